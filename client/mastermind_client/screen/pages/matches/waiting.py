"""The screen of a match that waits for its second player, until the match screen replaces it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.events import describe_result
from mastermind_client.messages.players import find_name
from mastermind_client.messages.updates import describe_declined
from mastermind_client.network.entering import is_invitation
from mastermind_client.network.updates import Moved
from mastermind_client.screen.invitation import (
    LEAST_TEXT_COLUMNS,
    QR_STAGE_COLUMNS,
    WaitingMatch,
    draw_waiting,
)
from mastermind_client.screen.pages.matches.followed import FollowingScreen
from mastermind_client.screen.pages.page import STAGE_COLUMNS, STAGE_MARGIN
from mastermind_client.screen.screen import MatchPage, Screen
from mastermind_client.screen.toolkit.keys import Key
from mastermind_client.screen.toolkit.overlays import Answer, Card
from mastermind_protocol.events import Declined, MatchEnd
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.updates import Update
    from mastermind_client.screen.app import App
    from mastermind_client.screen.servers.server import Server
    from mastermind_client.screen.toolkit.keys import Binding
    from mastermind_client.screen.toolkit.lines import Extent, Line
    from mastermind_protocol.match import Match

TILE_SECONDS = 1.0  # between two tiles of the row that fills
GREETING_SECONDS = 1.0  # display time of a new opponent before the match opens


class WaitingScreen(FollowingScreen):
    """The screen of a match with a free seat, until an opponent joins or the match is closed."""

    max_columns = STAGE_COLUMNS
    margin = STAGE_MARGIN

    def __init__(self, app: App, server: Server, mirror: Mirror) -> None:
        super().__init__(app, server, mirror)
        self._is_closed = False  # whether the player has closed the match
        self._since = f"{datetime.now(UTC).astimezone(app.context.zone):%H:%M}"
        self._filled = 0  # filled tiles
        self._joined = ""  # the name of a new opponent
        self._declined: Declined | None = None  # the event that has ended a challenge
        self._timer: asyncio.TimerHandle | None = None  # of the next tile, or of the opening
        if link := self.waiting.link:
            self.margin = 1
            longest = max(len(link), len(self.waiting.command))
            self.max_columns = min(
                max(QR_STAGE_COLUMNS, longest + QR_STAGE_COLUMNS - LEAST_TEXT_COLUMNS),
                Screen.max_columns,
            )
        self.keys: tuple[Binding, ...] = (
            Key(
                ("c", "enter"),
                N_("copy the link") if link else N_("copy the invite code"),
                self._copy_link if link else self._copy_code,
                short=N_("copy link") if link else N_("copy code"),
                when=self._is_invitation,
            ),
            Key(
                ("j",),
                N_("copy the command with which a friend joins"),
                self._copy_line,
                short=N_("copy line"),
                when=self._is_invitation,
            ),
            Key(
                ("escape",),
                N_("close the invitation, or keep it open"),
                self.leave,
                short=N_("close it"),
            ),
        )

    @property
    def waiting(self) -> WaitingMatch:
        """The values that the screen draws."""
        match, before = self.mirror.state, self._previous_match
        asked = match.opened.reserved
        return WaitingMatch(
            match_code=self.mirror.code,
            match=match,
            me=self.server.me,
            server_address=self.server.session.server,
            page_url=self.server.session.page_url,
            host=self.server.session.identity.stored.host,
            opponent=find_name(before.state, asked) if before is not None and asked else "",
            since_time=self._since,
            filled_tiles=self._filled,
            joined_name=self._joined,
        )

    def draw(self, extent: Extent) -> list[Line]:
        """Return the lines of the invitation, the search, or the offered rematch."""
        return draw_waiting(self.waiting, extent, self.app.look)

    def on_show(self) -> None:
        """If an opponent has joined, show the match. Otherwise animate the row of tiles."""
        self._open_or_go_back(greeting=False)
        if self.app.shows(self) and self.app.settings.motion:
            self._schedule(TILE_SECONDS, self._fill_tile)

    async def on_close(self) -> None:
        """Cancel the timer, and leave or unfollow the match unless the session has ended."""
        self._schedule(None)
        await super().on_close()

    def on_update(self, server: Server, update: Update) -> None:
        """Show the match when an opponent has joined. Go back when the match is closed."""
        if server is not self.server or not isinstance(update, Moved):
            return
        if update.mirror is self.mirror:
            ended = (event for event in update.events if isinstance(event, Declined))
            self._declined = next(ended, None)
            self._open_or_go_back()
        elif update.mirror is self._previous_match:
            self._go_back_if_left(update.after)

    def leave(self) -> None:
        """Ask whether to keep waiting. If an opponent has joined, show the match instead."""
        if self._joined:
            self._open()
        elif self.server.connection.ended is not None:
            self.app.back()
        else:
            self.app.ask(self._make_leave_card())

    @property
    def _previous_match(self) -> Mirror | None:
        """The match before this rematch, if this session follows it."""
        feed = self.server.feeds.get(self.mirror.state.opened.previous or "")
        return feed.mirror if feed is not None else None

    def _make_leave_card(self) -> Card:
        """Return the card that asks whether to keep waiting, or how to end the wait."""
        wait = Answer(_("Wait on"), _("Back to the waiting."), self.app.redraw)
        if self.waiting.is_rematch:
            answers = [Answer(_("Take it back"), _("There is no rematch."), self._close_match)]
            title = _("Take the offer back?")
        elif self.waiting.is_reserved:
            answers = [Answer(_("Take it back"), _("There is no match."), self._close_match)]
            title = _("Take the challenge back?")
        else:
            aside = _("The code stays valid; the bell rings when someone joins.")
            close = _("Nobody can join with this code any more.")
            answers = [
                Answer(_("Save for later"), aside, self.app.back),
                Answer(_("Close it"), close, self._close_match),
            ]
            title = _("Close the invitation?")
        return Card(title, wait, *answers, when=self._is_gathering)

    def _close_match(self) -> None:
        self._is_closed = True
        self.app.back()

    def _is_gathering(self) -> bool:
        return self.mirror.state.phase is Phase.GATHERING

    def _is_invitation(self) -> bool:
        return not self.waiting.is_reserved

    def _open_or_go_back(self, *, greeting: bool = True) -> None:
        """Open the match if an opponent has joined. Go back if the match was closed.

        With `greeting`, the name of the opponent is displayed before the match opens.
        """
        match = self.mirror.state
        if not self.app.shows(self) or match.phase is Phase.GATHERING:
            return
        if match.outcome is not None and match.outcome.how is MatchEnd.CLOSED:
            self.app.back()
            told = describe_result(match.outcome, match, self.server.me)
            if self._declined is not None:
                told = describe_declined(late=self._declined.late)
            self.app.notify(told)
            return
        opponent = match.opponent_of(self.server.me)
        if not self._joined:
            self._joined = find_name(match, opponent.id if opponent is not None else "")
            title = _("{name} is here - Mastermind").format(name=self._joined)
            self.app.set_title(title, ring=True)
            if greeting:
                self._schedule(GREETING_SECONDS, self._open)
            else:
                self._open()

    def _open(self) -> None:
        """Replace this screen by the match screen."""
        self._schedule(None)
        self.app.go(MatchPage(self.server, self.mirror), instead_of=self)
        self.app.notify(_("{name} is here.").format(name=self._joined))

    def _fill_tile(self) -> None:
        """Fill one more tile of the row, or after the last one empty all tiles."""
        self._filled = (self._filled + 1) % (self.rules.pegs + 1)
        self.app.redraw()
        if self.app.shows(self):  # otherwise when it is shown again
            self._schedule(TILE_SECONDS, self._fill_tile)

    def _schedule(self, seconds: float | None, act: Callable[[], None] = lambda: None) -> None:
        """Call `act` after `seconds`, and cancel an earlier call. None only cancels it."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.app.clock.call_later(seconds, act)

    def _go_back_if_left(self, before: Match) -> None:
        """Close the offer if the opponent has left the previous match: there is no rematch."""
        gone = before.departed - {self.server.me}
        if not self.app.shows(self) or not gone:
            return
        self._close_match()
        name = find_name(before, next(iter(gone)))
        self.app.notify(_("{name} has left: there will be no rematch.").format(name=name))

    async def leave_or_unfollow(self) -> None:
        """Keep or leave the match. For a rematch, also leave or unfollow the previous match.

        - The player has closed the match: leave it.
        - The player has only left the page: keep the match open.
        - The client ends: keep an invitation of a friend open. Leave any other open match.
        - A rematch is left before it has started: also leave the previous match.
        - A rematch has started or was declined: unfollow the previous match.
        """
        session, match, before = self.server.session, self.mirror.state, self._previous_match
        lasting = is_invitation(match)
        if match.phase is Phase.GATHERING:
            if not self._is_closed and (lasting or not self.app.is_ending):
                return
            await session.leave(self.mirror)
            if before is not None and self.server.me not in before.state.departed:
                await session.leave(before)
        elif before is not None:
            await session.unfollow(before)

    def _copy_code(self) -> None:
        self.app.terminal.copy(self.mirror.code)
        self.app.notify(_("The code is copied, if your terminal allows it."))

    def _copy_link(self) -> None:
        self.app.terminal.copy(self.waiting.link)
        self.app.notify(_("The link is copied, if your terminal allows it."))

    def _copy_line(self) -> None:
        self.app.terminal.copy(self.waiting.command)
        self.app.notify(_("The line is copied, if your terminal allows it."))
