"""The page of the best players of a day."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.columns import write_cells
from mastermind_client.config.options import ProfileOptions, ReviewOptions
from mastermind_client.language import mark as N_
from mastermind_client.lists import ServerList
from mastermind_client.messages.days.dates import format_date
from mastermind_client.messages.days.sentences import explain_places
from mastermind_client.messages.days.tables import PLACE_COLUMNS
from mastermind_client.screen.pages.list_page import ListPage
from mastermind_client.screen.toolkit.lines import wrap
from mastermind_client.screen.toolkit.list_view import row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.network.session import Session
    from mastermind_client.screen.app import App
    from mastermind_client.screen.pages.page import Sheet
    from mastermind_client.screen.screen import PlacesPage
    from mastermind_client.screen.toolkit.list_view import Item
    from mastermind_protocol.messages import PlacedTry

FOOT_STAGE_ROWS = 20  # rows of a stage with room for the explanation


class PlacesScreen(ListPage):
    """The places of a day. Enter opens a board after the reveal, and before it a profile.

    The own row is always visible.
    """

    enter_hint = N_("board or player")
    paging_hint = N_("more")
    loading_more_notice = N_("Loading more players ...")

    def __init__(self, app: App, page: PlacesPage) -> None:
        self._page = page
        server_list = ServerList(
            N_("Best tries"), "", N_("Nobody has a place yet."), self._load, PLACE_COLUMNS,
            self._find_destination, refresh=False, key=lambda placed: placed.player,
        )  # fmt: skip
        super().__init__(app, server_list, page.server)

    def items(self) -> Sequence[Item]:
        """Return no items."""
        return ()

    def sheet(self) -> Sheet:
        """Return the places, and below them which tries are counted."""
        sheet = super().sheet()
        sheet.note = f"{format_date(self._page.day)}, {self._page.rules}"
        if (own := self._page.own) is not None:
            cells = write_cells(PLACE_COLUMNS, own)
            sheet.pinned = row(own.player, cells, partial(self.open, own.player))
        if self.stage.rows >= FOOT_STAGE_ROWS:
            sheet.foot = wrap(explain_places(), self.stage.columns, "class:dim")
        return sheet

    async def _load(self, session: Session, after: str | None) -> tuple[Sequence[PlacedTry], bool]:
        number = 0 if after is None else len(self._entries)
        page = self._page
        places = await session.list_places(page.rules, page.day, number)
        return places.places, places.more and bool(places.places)

    def _find_destination(self, player: str, server: str) -> ReviewOptions | ProfileOptions:
        found = (each for each in self._entries if each.player == player)
        placed = next(found, None)  # the own row can be on a later page
        if placed is not None and placed.match is not None:
            return ReviewOptions(placed.match, server)
        return ProfileOptions(server, player=player)
