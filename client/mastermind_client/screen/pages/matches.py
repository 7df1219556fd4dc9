"""The public matches that are being played, to watch one of them, or two bots."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.config.options import WatchOptions
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.screen.fields import edit_match_code
from mastermind_client.screen.kit.forms import Item, action
from mastermind_client.screen.kit.tables import Column, DataTable, TableRow
from mastermind_client.screen.pages.listing import ListPage
from mastermind_client.screen.screen import MenuPage
from mastermind_client.words.listings import PHASES, name_listed
from mastermind_protocol.events import Seat
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.app import App
    from mastermind_client.screen.places import Place
    from mastermind_protocol.messages import Listed


class MatchesScreen(ListPage):
    """The matches that can be watched."""

    title, heading = N_("Watch a match"), N_("Being played now")

    def __init__(self, app: App, address: str | None) -> None:
        table = DataTable(list_columns, self.watch)
        super().__init__(app, table, address or app.settings.server)

    def items(self) -> Sequence[Item]:
        """Return the ways to watch what is in no list."""
        ask_code = partial(edit_match_code, self.app, self.watch)
        return [
            action(
                "bots", _("Two bots"), partial(self.app.go, MenuPage.BOTS),
                _("One hides a code, and the other breaks it; offline too."),
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

    def watch(self, code: str) -> None:
        """Watch a match."""
        self.app.go(WatchOptions(self.address, code))


def list_columns() -> list[Column]:
    """Return the columns of the list of running matches."""
    return [
        Column(_("Codemaker")),
        Column(_("Codebreaker")),
        Column(_("Rules")),
        Column(_("Rounds"), spare=2, rigid=True),
        Column(_("Now"), spare=1, rigid=True),
        Column(_("Rated"), spare=4, rigid=True),
        Column(_("Code"), spare=3, rigid=True),
    ]


def write_running(listed: Listed) -> TableRow:
    """Return a running match as a row."""
    return TableRow(
        listed.match,
        (
            name_listed(listed, Seat.MAKER),
            name_listed(listed, Seat.BREAKER),
            sanitise(listed.rules),
            str(listed.rounds),
            _(PHASES[listed.phase]),
            _("yes") if listed.rated else _("no"),
            listed.match,
        ),
    )
