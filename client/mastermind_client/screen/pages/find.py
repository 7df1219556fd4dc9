"""The form for a game with anyone, and those who are waiting for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.options import ANYONE, JoinOptions, PlayOptions
from mastermind_client.language import gettext as _
from mastermind_client.screen.kit.forms import Item, action
from mastermind_client.screen.kit.tables import Column, Row, Table
from mastermind_client.screen.match_terms import Terms, ask_rated, ask_rounds, ask_rules, ask_seat
from mastermind_client.screen.pages.listing import ListPage
from mastermind_client.screen.pages.page import Sheet
from mastermind_client.words.foreign import sanitise
from mastermind_client.words.listings import name_listed
from mastermind_client.words.players import name_seat
from mastermind_protocol.events import Seat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.app import App
    from mastermind_client.screen.places import Place
    from mastermind_protocol.messages import Listed
    from mastermind_protocol.rules import Rules


class FindScreen(ListPage["Sequence[Listed]"]):
    """Whoever waits can be joined; or one waits oneself, and is in others' lists."""

    def __init__(self, app: App, address: str) -> None:
        self.terms = Terms.remembered(app.settings)
        super().__init__(app, Table(list_columns, self.join), address)

    def sheet(self) -> Sheet:
        """Return the form, and the list of those who wait."""
        return Sheet(
            title=_("Find an opponent"),
            form=self.form,
            note=self.address,
            heading=_("Waiting for an opponent now"),
            table=self.table,
            message=self.message,
            trouble=self.trouble,
        )

    @property
    def explained(self) -> Rules:
        """The rules that are chosen."""
        return self.terms.rules

    def items(self) -> Sequence[Item]:
        """Return the start and the questions."""
        about = _("Somebody who wants to play like this is found, or waited for.")
        return [
            action("start", _("Find one"), self.start, about),
            *ask_rules(self.terms, self.app.edit),
            ask_seat(self.terms, (None, Seat.BREAKER, Seat.MAKER)),
            ask_rounds(self.terms, self.app.edit),
            ask_rated(self.terms),
        ]

    def nothing(self) -> str:
        """Say that nobody waits."""
        return _('Nobody is waiting. Choose "Find one": whoever looks here next finds you.')

    async def fetch(self, place: Place) -> Sequence[Listed]:
        """Return those who wait."""
        return await place.session.list_matches("waiting")

    def take(self, found: Sequence[Listed]) -> None:
        """List them."""
        if self.table is not None:
            self.table.fill([write_waiting(listed) for listed in found])

    def start(self) -> None:
        """Look for an opponent, or wait for one."""
        terms = self.terms
        self.app.go(
            PlayOptions(
                rules=terms.rules,
                versus=ANYONE,
                seat=terms.seat,
                server=self.address,
                rounds=terms.rounds,
                rated=terms.rated,
                settled=True,
            )
        )

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


def write_waiting(listed: Listed) -> Row:
    """Return a match that waits as a row: who is there, and what seat is free."""
    there = Seat.MAKER if listed.maker else Seat.BREAKER
    return Row(
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
