"""The screen of a match that waits for its second player: the invite code, to be told."""

from __future__ import annotations

import ipaddress
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.language import ngettext
from mastermind_client.net.matchmaking import is_invitation
from mastermind_client.net.updates import Moved
from mastermind_client.screen.banner import draw_banner
from mastermind_client.screen.kit.cards import Answer, Card
from mastermind_client.screen.kit.keys import Key
from mastermind_client.screen.kit.lines import Extent, Line, centre, draw_title, text, wrap
from mastermind_client.screen.match.scene import Viewpoint
from mastermind_client.screen.pages.match import FollowedMatch
from mastermind_client.screen.screen import MatchPage
from mastermind_client.words.events import describe_result
from mastermind_client.words.players import find_name
from mastermind_client.words.rules import describe_size
from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_client.net.mirror import Mirror
    from mastermind_client.net.updates import Update
    from mastermind_client.screen.app import App
    from mastermind_client.screen.kit.keys import Binding
    from mastermind_client.screen.look import Look
    from mastermind_client.screen.places import Place
    from mastermind_protocol.match import Match

WIDEST = 76  # columns: longer lines of text are hard to read
_MARGIN = 2  # columns that are left free on either side


@dataclass(slots=True)
class Waiting(Viewpoint):
    """A match that waits, as whoever has the one seat is shown it.

    `server` is the address that others reach it at; `asked` the name of whoever a rematch was
    offered to, if it is known.
    """

    server: str
    asked: str = ""

    @property
    def rematch(self) -> bool:
        """Whether the seat is kept for one player, who knows of it already."""
        return self.match.opened.previous is not None

    @property
    def command(self) -> str:
        """What a friend types to join."""
        return f"mastermind join {self.code} --server {shlex.quote(self.server)}"


def draw_waiting(waiting: Waiting, extent: Extent, look: Look) -> list[Line]:
    """Return the screen of a match that waits.

    Where there is too little room for all of it, first the empty lines are left out, then what is
    played, and then the large letters: the code is there in plain ones, too.
    """
    head = [draw_title(_list_title(waiting), "", extent.columns)]
    columns = min(WIDEST, extent.columns - 2 * _MARGIN)
    room = extent.rows - len(head)
    body = _choose_body(waiting, Extent(columns, room), look)
    above = max(0, room - len(body)) // 3
    return [*head, *([] for _row in range(above)), *centre(body, extent.columns)]


def is_local(server: str) -> bool:
    """Tell whether a server's address means another machine on every machine."""
    host = urlsplit(server).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _list_title(waiting: Waiting) -> list[str]:
    parts = ["Mastermind", str(waiting.match.rules)]
    if waiting.match.opened.rated:
        parts.append(_("rated"))
    return [*parts, _("match {code}").format(code=waiting.code)]


def _choose_body(waiting: Waiting, extent: Extent, look: Look) -> list[Line]:
    """Return as much of what there is to tell as there is room for."""
    wait = wrap(_describe_wait(waiting), extent.columns, "class:strong")
    terms = _draw_terms(waiting, extent.columns)
    if waiting.rematch:
        return [*wait, [], *terms]
    large = draw_banner(waiting.code, look)
    invitation = _draw_invitation(waiting, extent.columns)
    wishes: tuple[list[Line], ...] = (
        [*wait, [], *large, [], *invitation, [], *terms],
        [*wait, *large, *invitation, *terms],
        [*wait, *large, *invitation],
    )
    fitting = (wish for wish in wishes if len(wish) <= extent.rows)
    return next(fitting, [*wait, *invitation])


def _describe_wait(waiting: Waiting) -> str:
    if waiting.rematch and waiting.asked:
        return _("Waiting for {name} to take the rematch ...").format(name=waiting.asked)
    if waiting.rematch:
        return _("Waiting for the answer ...")
    if waiting.match.opened.public:
        return _("Waiting for somebody to join ...")
    return _("Waiting for your friend ...")


def _draw_invitation(waiting: Waiting, columns: int) -> list[Line]:
    """Return the code and how to join by it: what is to be copied has lines of its own."""
    lines = [
        text(_("Invite code:"), "class:heading"),
        text(waiting.code),
        text(_("Your friend types:"), "class:heading"),
        *wrap(waiting.command, columns),
    ]
    if is_local(waiting.server):
        lines += wrap(_("This address is good on this machine only."), columns)
    lines += wrap(_("To select text with the mouse, hold Shift or press F5."), columns)
    return lines


def _draw_terms(waiting: Waiting, columns: int) -> list[Line]:
    match = waiting.match
    terms = [describe_size(match.rules)]
    if match.opened.rounds > 1:
        terms.append(
            ngettext(
                "{number} round is played; the seats are swapped after each.",
                "{number} rounds are played; the seats are swapped after each.",
                match.opened.rounds,
            ).format(number=match.opened.rounds)
        )
    if match.opened.rated:
        terms.append(_("It is rated: without advice, and without programs."))
    if match.opened.public and not waiting.rematch:
        terms.append(_("It is in the list of open matches."))
    making = match.seat_of(waiting.me) is Seat.MAKER
    if match.opened.rounds > 1:
        begin = _("You begin as codemaker.") if making else _("You begin as codebreaker.")
    else:
        begin = _("You are the codemaker.") if making else _("You are the codebreaker.")
    return [line for term in (*terms, begin) for line in wrap(term, columns)]


class WaitingScreen(FollowedMatch):
    """A match in which we have one seat, and the other is free; it goes on as the match itself."""

    def __init__(self, app: App, place: Place, mirror: Mirror) -> None:
        super().__init__(app, place, mirror)
        self._withdrawn = False  # whether nobody is to come any more
        self.keys: tuple[Binding, ...] = (
            Key(
                ("c", "enter"),
                N_("copy the invite code"),
                self._copy_code,
                short=N_("copy code"),
                when=self._invites,
            ),
            Key(
                ("j",),
                N_("copy the command with which a friend joins"),
                self._copy_command,
                short=N_("copy command"),
                when=self._invites,
            ),
            Key(("escape",), N_("close the match, and go back"), self.leave, short=N_("close")),
        )

    @property
    def waiting(self) -> Waiting:
        """What is shown now."""
        match, before = self.mirror.state, self._before
        asked = match.opened.reserved
        return Waiting(
            code=self.mirror.code,
            match=match,
            me=self.place.me,
            server=self.place.session.server,
            asked=find_name(before.state, asked) if before is not None and asked else "",
        )

    def draw(self, extent: Extent) -> list[Line]:
        """Return the invitation, and what is waited for."""
        return draw_waiting(self.waiting, extent, self.app.look)

    def on_show(self) -> None:
        """Go on at once if somebody has come already."""
        self._advance()

    def on_update(self, place: Place, update: Update) -> None:
        """Go on when somebody has come, or go back if nobody will."""
        if place is not self.place or not isinstance(update, Moved):
            return
        if update.mirror is self.mirror:
            self._advance()
        elif update.mirror is self._before:
            self._give_up(update.after)

    def leave(self) -> None:
        """Go back, after a question."""
        if self.place.ended is not None:
            self.app.back()
        else:
            self.app.ask(self._ask_to_leave())

    @property
    def _before(self) -> Mirror | None:
        """The match that this one is the rematch of, if we have played it here."""
        feed = self.place.feeds.get(self.mirror.state.opened.previous or "")
        return feed.mirror if feed is not None else None

    def _ask_to_leave(self) -> Card:
        """Return the question what becomes of the free seat."""
        wait = Answer(_("Wait on"), _("Back to the waiting."), self.app.redraw)
        if self.waiting.rematch:
            answers = [Answer(_("Take it back"), _("There is no rematch."), self._withdraw)]
            title = _("Take the offer back?")
        else:
            aside = _("The code stays good; the bell rings when somebody comes.")
            close = _("Nobody can come by this code any more.")
            answers = [
                Answer(_("Put it aside"), aside, self.app.back),
                Answer(_("Close it"), close, self._withdraw),
            ]
            title = _("Close the invitation?")
        return Card(title, wait, *answers, when=self._is_gathering)

    def _withdraw(self) -> None:
        self._withdrawn = True
        self.app.back()

    def _is_gathering(self) -> bool:
        return self.mirror.state.phase is Phase.GATHERING

    def _invites(self) -> bool:
        return not self.waiting.rematch

    def _advance(self) -> None:
        match = self.mirror.state
        if not self.app.shows(self) or match.phase is Phase.GATHERING:
            return
        if match.outcome is not None and match.outcome.how is MatchEnd.CLOSED:
            self.app.back()
            self.app.notify(describe_result(match.outcome, match, self.place.me))
            return
        opponent = match.opponent_of(self.place.me)
        name = find_name(match, opponent.id if opponent is not None else "")
        self.app.go(MatchPage(self.place, self.mirror), instead_of=self)
        self.app.notify(_("{name} is here.").format(name=name))
        if match.to_move is opponent:  # otherwise the match itself has called us
            title = _("{name} is here - Mastermind").format(name=name)
            self.app.set_title(title, ring=True)

    def _give_up(self, before: Match) -> None:
        gone = before.left - {self.place.me}
        if not self.app.shows(self) or not gone:
            return
        self.app.back()
        name = find_name(before, next(iter(gone)))
        self.app.notify(_("{name} has left: there will be no rematch.").format(name=name))

    async def end(self) -> None:
        """Close the match if that is meant; of the one before a rematch we hear no more.

        An invitation outlasts the program. An offer does not, nor a match in the public list, which
        nobody would wait in.
        """
        session, match, before = self.place.session, self.mirror.state, self._before
        lasting = is_invitation(match)
        if match.phase is Phase.GATHERING:
            if not self._withdrawn and (lasting or not self.app.ending):
                return
            await session.leave(self.mirror)
            if before is not None and self.place.me not in before.state.left:
                await session.leave(before)
        elif before is not None:
            await session.unfollow(before)

    def _copy_code(self) -> None:
        self.app.terminal.copy(self.mirror.code)
        self.app.notify(_("The code is copied, if your terminal allows it."))

    def _copy_command(self) -> None:
        self.app.terminal.copy(self.waiting.command)
        self.app.notify(_("The command is copied, if your terminal allows it."))
