"""The form for a game with anyone, and the list of those who wait for an opponent."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mastermind_client.config.options import JoinOptions
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.screen.forms.match_form import WITH_ANYONE, MatchForm
from mastermind_client.screen.forms.outlook import draw_outlook
from mastermind_client.screen.kit.tables import Column, DataTable, TableRow
from mastermind_client.screen.pages.listing import ListPage
from mastermind_client.words.listings import list_terms, name_listed
from mastermind_protocol.events import Seat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.app import App
    from mastermind_client.screen.kit.forms import Item
    from mastermind_client.screen.pages.page import Sheet
    from mastermind_client.screen.places.places import Place
    from mastermind_protocol.messages import Listed
    from mastermind_protocol.rules import Rules


class FindScreen(ListPage):
    """Join somebody who waits; or wait, and be in the lists of others."""

    title, heading = N_("Find an opponent"), N_("Waiting for an opponent now")

    def __init__(self, app: App, address: str) -> None:
        self.match = MatchForm(app, WITH_ANYONE, address)
        super().__init__(app, DataTable(list_columns, self.join), address)

    @property
    def explained(self) -> Rules:
        """The rules that are chosen."""
        return self.match.rules

    def items(self) -> Sequence[Item]:
        """Return the start and the questions."""
        return self.match.items

    def sheet(self) -> Sheet:
        """Return what happens on Enter above the form, and the list below it."""
        above = draw_outlook(self.match, self.stage.columns, self.app.look)
        return replace(super().sheet(), above=above)

    def nothing(self) -> str:
        """Say that nobody waits."""
        return _('Nobody is waiting. Choose "Find one": whoever looks here next finds you.')

    async def load(self, place: Place) -> None:
        """List the matches that are waiting."""
        found = await place.session.list_matches("waiting")
        self.fill([write_waiting(listed) for listed in found])

    def join(self, code: str) -> None:
        """Take the free seat of a match."""
        self.app.go(JoinOptions(code, self.address))


def list_columns() -> list[Column]:
    """Return the columns of the list of matches that wait: who, and what is played."""
    return [Column(""), Column("", rigid=True, dim=True), Column("", 1, rigid=True, dim=True)]


def write_waiting(listed: Listed) -> TableRow:
    """Return a match that waits as a row: who is there, what seat is free, and its code."""
    there = Seat.MAKER if listed.maker else Seat.BREAKER
    told = [
        _("you break") if there is Seat.MAKER else _("you hide"),
        *list_terms(listed.rules, listed.rounds, rated=listed.rated),
    ]
    return TableRow(listed.match, (name_listed(listed, there), ", ".join(told), listed.match))
