"""A page with a list from a place: asked for when it is shown, and again while it is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Generic, TypeVar

from mastermind_client.config.options import OFFLINE
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.net.failures import ServerUnreachable
from mastermind_client.screen.connection_banner import describe_outage
from mastermind_client.screen.fields import name_place
from mastermind_client.screen.kit.keys import Key
from mastermind_client.screen.pages.page import Page, Sheet
from mastermind_client.words.failures import describe_failure
from mastermind_protocol.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.app import App
    from mastermind_client.screen.kit.keys import Binding
    from mastermind_client.screen.kit.tables import DataTable, TableRow
    from mastermind_client.screen.places import Place

REFRESH_SECONDS = 4.0  # soon enough to meet somebody, and a request that costs a server little


_T = TypeVar("_T")


class ListPage(Page, Generic[_T]):
    """A page whose table is filled from the place with this `address`."""

    title = ""
    heading = ""  # above the list; either is translated where it is shown
    refreshing = True  # by itself; or, once there is a list, only when asked to

    def __init__(self, app: App, table: DataTable, address: str) -> None:
        super().__init__(app, table)
        self.address = address
        self.error: Exception | None = None
        self.loaded = False
        self._place: Place | None = None
        self._asking = 0  # the number of the latest time that was asked
        self._busy = self._gone = False
        self._timer: asyncio.TimerHandle | None = None

    async def fetch(self, place: Place) -> _T:
        """Return what is to be listed. Raises ServerUnreachable, Refused."""
        raise NotImplementedError

    def take(self, found: _T) -> None:
        """List it."""
        raise NotImplementedError

    def sheet(self) -> Sheet:
        """Return the form, and the list below it."""
        return Sheet(
            title=_(self.title),
            form=self.form,
            note=name_place(self.address),
            heading=_(self.heading),
            table=self.table,
            message=self.message,
            outage=self.outage,
        )

    def nothing(self) -> str:
        """Say that the list is empty, and what can be done about it."""
        raise NotImplementedError

    @property
    def message(self) -> str:
        """What stands where the list would: why there is none, or that there is nothing."""
        if self.error is not None:
            words = describe_failure(self.error)
            if self.address == OFFLINE:
                return words
            return _("{trouble} The server can be changed in the settings.").format(trouble=words)
        return self.nothing() if self.loaded else _("One moment ...")

    @property
    def outage(self) -> str:
        """What is wrong with the connection to the place, if there has been one."""
        return "" if self._place is None else describe_outage(self._place)

    def own_keys(self) -> Sequence[Binding]:
        """Return the key that looks again."""
        return (Key(("r", "R"), N_("look again"), self.look_again, short=N_("look again")),)

    def on_show(self) -> None:
        """Look what there is."""
        self.look_again()

    async def on_close(self) -> None:
        """Look no more."""
        self._gone = True
        self._stop_timer()

    def go_to(self, address: str) -> None:
        """Show the list of another place."""
        self.address, self._place, self.error = address, None, None
        self.loaded = self._busy = False
        self.clear()
        self.look_again()

    def fill(self, rows: Sequence[TableRow]) -> None:
        """List these rows."""
        if self.table is not None:
            self.table.fill(rows)

    def clear(self) -> None:
        """List nothing."""
        self.fill(())

    def look_again(self) -> None:
        """Ask for the list, unless it is being asked for."""
        self._stop_timer()
        if not self._busy:
            self._busy = True
            self._asking += 1
            self.app.spawn(self._ask(self._asking))

    async def _ask(self, asking: int) -> None:
        try:
            place = await self.app.connect(self.address)
            if asking == self._asking:
                self._place = place
            found = await self.fetch(place)
        except (ServerUnreachable, Refused, OSError) as error:
            if asking == self._asking:
                self._busy, self.error, self._place = False, error, None
                self.clear()
                self._start_timer()  # perhaps it works then
            return
        if asking != self._asking or self._gone:
            return  # another place is looked at by now, or none
        self._busy, self.error, self.loaded = False, None, True
        self.take(found)
        if self.refreshing:
            self._start_timer()

    def _start_timer(self) -> None:
        if not self._gone:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(REFRESH_SECONDS, self._refresh)

    def _refresh(self) -> None:
        if self.app.shows(self):  # otherwise when it is shown again
            self.look_again()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
