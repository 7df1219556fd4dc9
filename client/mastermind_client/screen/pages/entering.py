"""The page that connects to a server and enters a match."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.config.options import (
    HOSTED,
    OFFLINE,
    ChallengeOptions,
    JoinOptions,
    PlayOptions,
    ReviewOptions,
    WatchOptions,
    find_address,
)
from mastermind_client.config.settings import load
from mastermind_client.config.values import parse_server
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.failures import describe_failure
from mastermind_client.messages.listings import describe_invitation
from mastermind_client.messages.updates import describe_new_usual_server
from mastermind_client.network.embedded import find_review_address
from mastermind_client.network.entering import enter_match, leave_eventually
from mastermind_client.network.failures import SeatOpenElsewhere, ServerUnreachable
from mastermind_client.network.players.identities import Identities
from mastermind_client.screen.forms.fields import (
    ask_match_code,
    ask_name,
    make_acceptor,
    name_server,
    needs_name,
)
from mastermind_client.screen.pages.page import Page, Sheet
from mastermind_client.screen.screen import MatchPage, MenuPage, back_key
from mastermind_client.screen.toolkit.lines import make_inert
from mastermind_client.screen.toolkit.list_view import Item, action, field
from mastermind_protocol.errors import TRANSIENT_CODES, ErrorCode, Refused
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from mastermind_client.config.options import MatchOptions
    from mastermind_client.config.values import Invitation
    from mastermind_client.network.mirror import Mirror
    from mastermind_client.screen.app import App
    from mastermind_client.screen.servers.server import Server
    from mastermind_client.screen.toolkit.lines import Extent, Line


_SEAT_TAKEN_ERRORS = {ErrorCode.SEAT_TAKEN, ErrorCode.WRONG_PHASE}  # but the match can be watched


_RETRY_LATER_ERRORS = {*TRANSIENT_CODES, ErrorCode.TOO_MANY}  # a later attempt may succeed


class _Step(Enum):
    """A step of entering a match. A failure keeps the step, so another attempt continues there."""

    CONNECTING = auto()  # no invitation: the previous screen stays visible
    INVITED = auto()  # the page of the invitation is visible, and waits for the match
    DECIDING = auto()  # it shows the terms of the match, which the user can accept
    ACCEPTED = auto()


class EnteringScreen(Page):
    """Connects to a server and enters a match. The match screen then replaces this screen.

    The previous screen stays visible during the connection. A user who has typed the code, or has
    no name, sees the invitation first. After a failure this screen lists the possible actions.

    Esc cancels. If the request was already sent, its answer is still awaited. If the answer is a
    new match, the user leaves it. If it is a joined match, the user keeps the seat, and a notice
    reports this.
    """

    def __init__(self, app: App, options: MatchOptions) -> None:
        super().__init__(app)
        self.options = options
        self.error: Exception | None = None
        self._previous_screen = app.screen
        self._step = _Step.CONNECTING
        self._invitation: Mirror | None = None
        self._unfollow: Callable[[], Awaitable[None]] | None = None  # the match of the invitation
        self.max_columns = self._previous_screen.max_columns
        self._connecting: asyncio.Task[None] | None = None
        self._waiting_keys = (back_key(self, N_("give it up, and go back")),)
        self._page_keys = self.keys

    def on_show(self) -> None:
        """Connect when this screen is shown for the first time."""
        if self._connecting is None and self.error is None:
            if self._is_invitation:
                self._step = _Step.INVITED
            if self._asks_name and self._step is _Step.CONNECTING:
                ask_name(self.app, self._start_connecting, self.leave)
            else:
                self._start_connecting()

    async def on_close(self) -> None:
        """Cancel the connection; `_enter` still awaits the answer to a sent request."""
        if self._connecting is not None:
            self._connecting.cancel()
        if self._unfollow is not None:
            await leave_eventually(self._unfollow)

    def draw(self, extent: Extent) -> list[Line]:
        """Return the previous screen, the invitation, or the failure."""
        if self.error is not None or self._step is not _Step.CONNECTING:
            return super().draw(extent)
        return [make_inert(line) for line in self._previous_screen.draw(extent)]  # without clicks

    def sheet(self) -> Sheet:
        """Return the page of the invitation or of the failure."""
        if self.error is None:
            shown = self._invitation
            return Sheet(
                title=_("Invitation {match}").format(match=getattr(self.options, "code", "")),
                view=self.view,
                note=name_server(self._address),
                message="" if shown is None else " ".join(describe_invitation(shown.state)),
            )
        return Sheet(
            title=_("That did not work"),
            view=self.view,
            note=name_server(self._address),
            message="" if self.error is None else describe_failure(self.error),
        )

    def items(self) -> Sequence[Item]:
        """Return the possible actions."""
        if self.error is None and self._invitation is None:
            return [Item("wait", _("One moment ..."))]
        back = action("back", _("Back"), self.leave, _("To the previous page."))
        if self.error is None:
            accept = action("accept", _("Accept"), self._accept, _("Then the match begins."))
            return [accept, back]
        items = []
        code = getattr(self.options, "code", None)
        if _is_seat_taken(self.error) and code:
            watch = WatchOptions(server=self._address, code=code, name=self.options.name)
            about = _("You have no seat, but you can watch.")
            open_watch = partial(self._open_instead, watch)
            items.append(action("watch", _("Watch it"), open_watch, about))
        if isinstance(self.error, Refused) and code:
            retype = partial(ask_match_code, self.app, self._replace_match_code, code)
            items.append(action("code", _("Another code"), retype, _("Your text is kept.")))
        if not isinstance(self.error, Refused) or self.error.code in _RETRY_LATER_ERRORS:
            again = self._try_again
            items.append(action("again", _("Try again"), again, _("Perhaps it works now.")))
        if not isinstance(self.error, Refused | SeatOpenElsewhere) and self._address != OFFLINE:
            items += self._list_other_actions()
        return [*items, back]

    @property
    def _asks_name(self) -> bool:
        """Whether to ask for a name first: the user has none, and will have a seat."""
        seated = isinstance(self.options, PlayOptions | JoinOptions)
        return seated and self.options.name is None and needs_name(self.app)

    @property
    def _is_invitation(self) -> bool:
        """Whether to show the invitation first: the user has not seen the terms of the match."""
        options = self.options
        if not isinstance(options, JoinOptions) or options.own or self._step is _Step.ACCEPTED:
            return False
        return options.typed or self._asks_name

    @property
    def _address(self) -> str:
        return self.app.resolve_address(find_address(self.options))

    def _list_other_actions(self) -> list[Item]:
        """Return the actions that do not need this server."""

        def take(server: str) -> None:
            self.app.change_settings(server=server)
            self.options = replace(self.options, server=server)
            if isinstance(self.options, JoinOptions):
                self.options = replace(self.options, host="")
            self._try_again()

        accept = make_acceptor(parse_server, take)
        known = self.app.settings.server if self._address == HOSTED else self._address
        typed = field("server", _("Server"), known, "", self.app.prompt, accept)
        ask_server = typed.press or self._try_again
        play = partial(self.app.go, MenuPage.PLAY, instead_of=self)
        return [
            action("server", _("Another server"), ask_server, _("Type its address.")),
            action("offline", _("Play a bot"), play, _("Bots play here too, without it.")),
        ]

    def _replace_match_code(self, invitation: Invitation) -> None:
        """Try another match code, on another server if the invitation names one."""
        code, server, host = invitation
        if not isinstance(self.options, PlayOptions | ChallengeOptions):
            self.options = replace(self.options, code=code, server=server or self._address)
            if isinstance(self.options, JoinOptions):
                names_server = self.options.names_server or server is not None
                self.options = replace(
                    self.options, names_server=names_server, host=host, typed=True
                )
            self._try_again()

    def _start_connecting(self) -> None:
        self.error = None
        self.keys = self._waiting_keys
        shown = self._previous_screen if self._step is _Step.CONNECTING else type(self)
        self.max_columns = shown.max_columns
        local = self._address in (OFFLINE, HOSTED)
        doing = _("Connecting to {server} ... (Esc gives it up)").format(server=self._address)
        doing = _("One moment ... (Esc gives it up)") if local else doing
        self._connecting = self.app.spawn(self._connect(), doing)

    def _try_again(self) -> None:
        self.view.select("again")
        self._start_connecting()

    def _open_instead(self, options: MatchOptions) -> None:
        self.app.back()
        self.app.go(options)

    async def _connect(self) -> None:
        options = self.options
        code, host = None, ""
        if isinstance(options, JoinOptions):
            code, host = options.code, options.host
        try:
            if isinstance(options, ReviewOptions):
                address = await find_review_address(self.app.context, options)
                self.options = options = replace(options, server=address)
            server = await self.app.connect(self._address, options.name, code, host)
        except (ServerUnreachable, SeatOpenElsewhere, Refused, OSError) as error:
            self._show_failure(error)
            return
        if code is not None and not server.kept:  # another client has these games open
            self._show_failure(SeatOpenElsewhere(code))
        elif code is not None and self._is_invitation and not server.has_seat(code, None):
            await self._show_invitation(server, code)
        else:
            await asyncio.wait({self.app.spawn(self._enter(server), keep=True)})

    async def _show_invitation(self, server: Server, code: str) -> None:
        """Show the invitation, and ask for the player's name if there is none.

        Esc cancels: the match is not joined. Without a free seat, only the seat is requested.
        """
        try:
            mirror = await server.session.follow(code)
            if is_full := mirror.state.phase is not Phase.GATHERING:
                await server.session.unfollow(mirror)
        except (ServerUnreachable, Refused) as error:
            self._show_failure(error)
            return
        if is_full:
            await self._enter(server)  # the server says why no seat is free, or resumes ours
            return
        self._invitation, self._step = mirror, _Step.DECIDING
        self.keys, self.max_columns = self._page_keys, type(self).max_columns
        self._unfollow = partial(server.session.unfollow, mirror)
        if self._asks_name:
            ask_name(self.app, self._accept, self.leave)
        self.app.redraw()

    def _accept(self) -> None:
        """Join the match."""
        self._step, self._unfollow = _Step.ACCEPTED, None
        self._start_connecting()

    async def _enter(self, server: Server) -> None:
        """Enter the match and show it. If the player has cancelled, call `_leave_after_cancel`."""
        options = self.options
        try:
            mirror = await enter_match(server.session, options, Identities.of(self.app.context))
        except (ServerUnreachable, SeatOpenElsewhere, Refused, OSError) as error:
            self._show_failure(error)
            return
        if self.app.holds(self):
            review = isinstance(options, ReviewOptions)
            watched = options if isinstance(options, WatchOptions) else None
            self.app.go(MatchPage(server, mirror, review, watched), instead_of=self)
            if isinstance(options, JoinOptions) and options.names_server:
                await self._remember_server(options.server)
        else:
            await leave_eventually(lambda: self._leave_after_cancel(server, mirror))

    async def _remember_server(self, server: str) -> None:
        """Save the server of an invitation as the usual one, and notify the player of a change."""
        file = self.app.context.settings_file
        if (await asyncio.to_thread(load, file)).settings.server != server:
            self.app.change_settings(server=server)
            self.app.notify(describe_new_usual_server(server))

    def _show_failure(self, error: Exception) -> None:
        self.error = error
        self.keys, self.max_columns = self._page_keys, type(self).max_columns

    async def _leave_after_cancel(self, server: Server, mirror: Mirror) -> None:
        """Undo an entry that the user has cancelled too late.

        Leave a match that the user has opened, and unfollow one that the user only watches. In a
        joined match the user keeps the seat, and a notice reports this.
        """
        if isinstance(self.options, PlayOptions | ChallengeOptions):
            await server.session.leave(mirror)
        elif isinstance(self.options, JoinOptions):
            told = _("You have a seat in match {match}: continue it from home.")
            self.app.notify(told.format(match=mirror.code))
        else:
            await server.session.unfollow(mirror)


def _is_seat_taken(error: Exception) -> bool:
    """Return whether `error` means that no seat is free, or that another client uses our seat."""
    if isinstance(error, Refused):
        return error.code in _SEAT_TAKEN_ERRORS
    return isinstance(error, SeatOpenElsewhere)
