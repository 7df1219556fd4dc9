"""A page with a list from a server: loaded when it is shown, and refreshed while it is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mastermind_client.config.options import OFFLINE
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.net.failures import ServerUnreachable
from mastermind_client.screen.connection_banner import find_trouble
from mastermind_client.screen.forms.fields import name_place
from mastermind_client.screen.kit.keys import Key
from mastermind_client.screen.pages.page import Page, Sheet
from mastermind_client.words.failures import describe_failure
from mastermind_protocol.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.app import App
    from mastermind_client.screen.connection_banner import Trouble
    from mastermind_client.screen.kit.keys import Binding
    from mastermind_client.screen.kit.tables import DataTable, TableRow
    from mastermind_client.screen.places.places import Place

REFRESH_SECONDS = 4.0  # soon enough to meet somebody, and a request that costs a server little


class ListPage(Page):
    """A page whose table is filled from the place with this `address`."""

    title = ""
    heading = ""  # above the list; either is translated where it is shown
    refreshing = True  # by itself; else, once there is a list, only by a key

    def __init__(self, app: App, table: DataTable, address: str) -> None:
        super().__init__(app, table)
        self.address = address
        self.error: Exception | None = None
        self.loaded = False
        self._place: Place | None = None
        self._loading: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def load(self, place: Place) -> None:
        """Ask for what there is, and list it. Raises ServerUnreachable, Refused."""
        raise NotImplementedError

    @property
    def trouble(self) -> Trouble | None:
        """The banner of a lost connection to the place of the list."""
        place = self._place
        return None if place is None else find_trouble(place.connection, seated=False)

    def sheet(self) -> Sheet:
        """Return the form, and the list below it."""
        return Sheet(
            title=_(self.title),
            form=self.form,
            note=name_place(self.address),
            heading=_(self.heading),
            table=self.table,
            message=self.message,
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

    def own_keys(self) -> Sequence[Binding]:
        """Return the key that looks again."""
        return (Key(("r", "R"), N_("look again"), self.look_again, short=N_("look again")),)

    def on_show(self) -> None:
        """Load the list."""
        self.look_again()

    async def on_close(self) -> None:
        """Stop loading and refreshing."""
        self._stop()

    def go_to(self, address: str) -> None:
        """Show the list of another place."""
        self._stop()
        self.address, self._place, self.error, self.loaded = address, None, None, False
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
        """Load the list, unless it is being loaded."""
        if self._loading is None:
            self._stop()
            self._loading = self.app.spawn(self._refresh())

    async def _refresh(self) -> None:
        try:
            self._place = await self.app.connect(self.address)
            await self.load(self._place)
        except (ServerUnreachable, Refused, OSError) as error:
            self.error, self._place = error, None
            self.clear()
        else:
            self.error, self.loaded = None, True
        self._loading = None
        if self.refreshing or self.error is not None:  # it may work then
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(REFRESH_SECONDS, self._refresh_if_shown)

    def _refresh_if_shown(self) -> None:
        if self.app.shows(self):  # otherwise when it is shown again
            self.look_again()

    def _stop(self) -> None:
        """Cancel what is being loaded, and the pending timer."""
        for pending in (self._loading, self._timer):
            if pending is not None:
                pending.cancel()
        self._loading = self._timer = None
