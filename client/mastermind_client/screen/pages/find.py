"""The form for a game with anyone, and the list of those who wait for an opponent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.options import JoinOptions
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.screen.kit.tables import Column, DataTable, TableRow
from mastermind_client.screen.match_form import WITH_ANYONE, MatchForm
from mastermind_client.screen.pages.listing import ListPage
from mastermind_client.words.listings import name_listed
from mastermind_client.words.players import name_seat
from mastermind_protocol.events import Seat
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.app import App
    from mastermind_client.screen.kit.forms import Item
    from mastermind_client.screen.places import Place
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
    """Return the columns of the list of matches that wait."""
    return [
        Column(_("Opponent")),
        Column(_("Rules")),
        Column(_("Rounds"), spare=2, rigid=True),
        Column(_("You are"), rigid=True),
        Column(_("Rated"), spare=1, rigid=True),
        Column(_("Code"), spare=3, rigid=True),
    ]


def write_waiting(listed: Listed) -> TableRow:
    """Return a match that waits as a row: who is there, and what seat is free."""
    there = Seat.MAKER if listed.maker else Seat.BREAKER
    return TableRow(
        listed.match,
        (
            name_listed(listed, there),
            sanitise(listed.rules),
            str(listed.rounds),
            name_seat(there.other),
            _("yes") if listed.rated else _("no"),
            listed.match,
        ),
    )
