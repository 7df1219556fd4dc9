"""The way into a match: connecting and asking for it, and what to do if that fails."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.config.options import (
    OFFLINE,
    JoinOptions,
    PlayOptions,
    ReviewOptions,
    WatchOptions,
)
from mastermind_client.config.values import parse_server
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.failures import describe_failure
from mastermind_client.net.failures import SeatOpenElsewhere, ServerUnreachable
from mastermind_client.net.identity import Identities
from mastermind_client.net.matchmaking import enter_match, leave_eventually
from mastermind_client.screen.forms.fields import accepting, ask_match_code, name_place
from mastermind_client.screen.introduction import ask_name
from mastermind_client.screen.kit.lines import make_inert
from mastermind_client.screen.kit.list_view import Item, action, field
from mastermind_client.screen.pages.page import Page, Sheet
from mastermind_client.screen.screen import MatchPage, MenuPage, back_key
from mastermind_protocol.errors import TRANSIENT, ErrorCode, Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.config.options import MatchOptions
    from mastermind_client.net.mirror import Mirror
    from mastermind_client.screen.app import App
    from mastermind_client.screen.kit.lines import Extent, Line
    from mastermind_client.screen.places.places import Place

_SEATS_TAKEN = {ErrorCode.SEAT_TAKEN, ErrorCode.WRONG_PHASE}  # it can be watched, though
_LATER = {*TRANSIENT, ErrorCode.TOO_MANY}  # it may be done then


class EnteringScreen(Page):
    """Comes to a match, while the screen below is seen, and is replaced by it.

    What is in the way is said here, with what can be done about it. Whoever goes back meanwhile, or
    ends the program, gives it up. What the server has been asked by then it may have done, so the
    answer is still waited for: a match that was opened in vain is left, and a seat is told of.
    """

    def __init__(self, app: App, options: MatchOptions) -> None:
        super().__init__(app)
        self.options = options
        self.error: Exception | None = None
        self._below = app.screen
        self._connecting: asyncio.Task[None] | None = None
        self._waiting_keys = (back_key(self, N_("give it up, and go back")),)
        self._page_keys = self.keys

    def on_show(self) -> None:
        """Begin, the first time."""
        if self._connecting is None and self.error is None:
            seated = isinstance(self.options, PlayOptions | JoinOptions)
            if seated and self.options.name is None:
                ask_name(self.app, self._begin)
            else:
                self._begin()

    async def on_close(self) -> None:
        """Cancel connecting; a request that was sent is still waited for: see `_enter`."""
        if self._connecting is not None:
            self._connecting.cancel()

    def draw(self, extent: Extent) -> list[Line]:
        """Return the screen below, or what went wrong."""
        if self.error is not None:
            return super().draw(extent)
        return [make_inert(line) for line in self._below.draw(extent)]  # without its clicks

    def sheet(self) -> Sheet:
        """Return what went wrong."""
        return Sheet(
            title=_("That did not work"),
            view=self.view,
            note=name_place(self._address),
            message="" if self.error is None else describe_failure(self.error),
        )

    def items(self) -> Sequence[Item]:
        """Return what can be done about it."""
        if self.error is None:
            return [Item("wait", _("One moment ..."))]
        items = []
        code = getattr(self.options, "code", None)
        if isinstance(self.error, Refused) and code:
            retype = partial(ask_match_code, self.app, self._take_code, code)
            about = _("What you typed is kept.")
            items.append(action("code", _("Another code"), retype, about))
        if _is_seat_taken(self.error) and code:
            watch = WatchOptions(server=self._address, code=code, name=self.options.name)
            items.append(
                action(
                    "watch", _("Watch it"), lambda: self._replace_options(watch),
                    _("You have no seat, but you can watch."),
                )
            )  # fmt: skip
        if not isinstance(self.error, Refused) or self.error.code in _LATER:
            about = _("Perhaps it works now.")
            items.append(action("again", _("Try again"), self._try_again, about))
        unreachable = not isinstance(self.error, Refused | SeatOpenElsewhere)
        if unreachable and self._address != OFFLINE:
            items += self._other_ways()
        return [*items, action("back", _("Back"), self.leave, _("To where you came from."))]

    @property
    def _address(self) -> str:
        return self.app.locate(find_address(self.options))

    def _other_ways(self) -> list[Item]:
        """Return what can be done without this server."""

        def take(server: str) -> None:
            self.app.change(server=server)
            self.options = replace(self.options, server=server)
            self._try_again()

        accept = accepting(parse_server, take)
        typed = field("server", _("Server"), self._address, "", self.app.prompt, accept)
        return [
            action(
                "server", _("Another server"), typed.press or self._try_again,
                _("Type the address of one that runs."),
            ),
            action(
                "offline", _("Play a bot"), partial(self.app.go, MenuPage.PLAY, instead_of=self),
                _("Bots play here too, without it."),
            ),
        ]  # fmt: skip

    def _take_code(self, code: str, server: str | None) -> None:
        """Try another code, on another server if one is named with it."""
        if not isinstance(self.options, PlayOptions):
            self.options = replace(self.options, code=code, server=server or self._address)
            self._try_again()

    def _begin(self) -> None:
        self.error = None
        self.keys = self._waiting_keys
        if self._address == OFFLINE:
            doing = _("One moment ... (Esc gives it up)")
        else:
            doing = _("Connecting to {server} ... (Esc gives it up)").format(server=self._address)
        self._connecting = self.app.spawn(self._go(), doing)

    def _try_again(self) -> None:
        self.view.select("again")
        self._begin()

    def _replace_options(self, options: MatchOptions) -> None:
        self.app.back()
        self.app.go(options)

    async def _go(self) -> None:
        code = self.options.code if isinstance(self.options, JoinOptions) else None
        try:
            place = await self.app.connect(self._address, self.options.name, code)
        except (ServerUnreachable, SeatOpenElsewhere, Refused, OSError) as error:
            self._stop(error)
            return
        if code is not None and not place.kept:  # another client has these games open
            self._stop(SeatOpenElsewhere(code))
        else:
            await asyncio.wait({self.app.spawn(self._enter(place), keep=True)})

    async def _enter(self, place: Place) -> None:
        """Ask for the match, and show it; or leave it again if it was given up meanwhile."""
        options = self.options
        try:
            mirror = await enter_match(place.session, options, Identities.of(self.app.context))
        except (ServerUnreachable, SeatOpenElsewhere, Refused, OSError) as error:
            self._stop(error)
            return
        if self.app.holds(self):
            review = isinstance(options, ReviewOptions)
            watched = options if isinstance(options, WatchOptions) else None
            self.app.go(MatchPage(place, mirror, review, watched), instead_of=self)
        else:
            await leave_eventually(lambda: self._leave_again(place, mirror))

    def _stop(self, error: Exception) -> None:
        self.error = error
        self.keys = self._page_keys

    async def _leave_again(self, place: Place, mirror: Mirror) -> None:
        """Leave a match that was entered after we gave it up: nobody is to wait for us in vain."""
        if isinstance(self.options, PlayOptions):
            await place.session.leave(mirror)
        elif isinstance(self.options, JoinOptions):
            told = _("You have a seat in match {match}: continue it from home.")
            self.app.notify(told.format(match=mirror.code))
        else:
            await place.session.unfollow(mirror)


def _is_seat_taken(error: Exception) -> bool:
    """Tell whether somebody else has the seats of a match, or another client has ours."""
    if isinstance(error, Refused):
        return error.code in _SEATS_TAKEN
    return isinstance(error, SeatOpenElsewhere)


def find_address(options: MatchOptions) -> str:
    """Return the address of the place where it is played; OFFLINE is in this process."""
    if isinstance(options, PlayOptions):
        return options.address or OFFLINE
    return options.server or OFFLINE
