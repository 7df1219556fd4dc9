"""The public matches that are being played, to watch one of them, or two bots."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.config.options import WatchOptions
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.screen.forms.fields import ask_match_code
from mastermind_client.screen.kit.forms import Item, action
from mastermind_client.screen.kit.tables import Column, DataTable, TableRow
from mastermind_client.screen.pages.listing import ListPage
from mastermind_client.screen.screen import MenuPage
from mastermind_client.words.listings import list_terms, name_listed
from mastermind_protocol.events import Seat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.app import App
    from mastermind_client.screen.places.places import Place
    from mastermind_protocol.messages import Listed


class MatchesScreen(ListPage):
    """The matches that can be watched."""

    title, heading = N_("Watch a match"), N_("Being played now")

    def __init__(self, app: App, address: str | None) -> None:
        table = DataTable(list_columns, self.watch)
        super().__init__(app, table, address or app.settings.server)

    def items(self) -> Sequence[Item]:
        """Return the ways to watch what is in no list."""
        ask_code = partial(ask_match_code, self.app, self.watch)
        return [
            action(
                "bots", _("Two bots"), partial(self.app.go, MenuPage.BOTS),
                _("They play, you look on; offline too."),
            ),
            action("code", _("By its code"), ask_code, _("A match that is in no list.")),
        ]  # fmt: skip

    def nothing(self) -> str:
        """Say that nothing is being played."""
        return _("No public match is being played. Two bots can play for you, though.")

    async def load(self, place: Place) -> None:
        """List the matches that are running."""
        found = await place.session.list_matches("running")
        self.fill([write_running(listed) for listed in found])

    def watch(self, code: str, server: str | None = None) -> None:
        """Watch a match, here or on another server."""
        self.app.go(WatchOptions(server or self.address, code))


def list_columns() -> list[Column]:
    """Return the columns of the list of running matches: who, and what is played."""
    return [Column(""), Column("", rigid=True, dim=True), Column("", 1, rigid=True, dim=True)]


def write_running(listed: Listed) -> TableRow:
    """Return a running match as a row: who hides a code from whom, what is played, its code."""
    players = _("{breaker} and {maker}").format(
        breaker=name_listed(listed, Seat.BREAKER), maker=name_listed(listed, Seat.MAKER)
    )
    terms = list_terms(listed.rules, listed.rounds, rated=listed.rated)
    return TableRow(listed.match, (players, ", ".join(terms), listed.match))
