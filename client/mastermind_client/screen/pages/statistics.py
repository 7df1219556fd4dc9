"""The page of the player's statistics."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.config.options import OFFLINE
from mastermind_client.config.puzzle_record import PuzzleRecord, load_record
from mastermind_client.figures import combine_statistics
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.language import ngettext
from mastermind_client.messages.failures import describe_failure
from mastermind_client.messages.solving.sentences import describe_puzzle_record
from mastermind_client.messages.statistics import draw_statistics, format_uncounted
from mastermind_client.network.failures import ServerUnreachable
from mastermind_client.network.players.identities import Identities
from mastermind_client.screen.app_screen import AppScreen
from mastermind_client.screen.screen import MenuPage, back_key
from mastermind_client.screen.toolkit.keys import Key
from mastermind_client.screen.toolkit.lines import (
    Extent,
    Line,
    crop,
    draw_title,
    indent,
    spread,
    text,
    wrap,
)
from mastermind_protocol.errors import Refused

if TYPE_CHECKING:
    from mastermind_client.messages.statistics import StatisticsRow
    from mastermind_client.screen.app import App
    from mastermind_client.screen.servers.server import Server

STATISTICS_COLUMNS = 62  # columns: sixty, and a blank on either side
STATISTICS_MARGIN = 1  # columns on either side
SCROLL_ROWS = 10  # rows per key press


class StatisticsScreen(AppScreen):
    """The statistics of all matches on this computer and on the server of the settings."""

    max_columns = STATISTICS_COLUMNS
    inset = STATISTICS_MARGIN

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self._servers: list[Server] = []
        self._missing: list[str] = []  # failures of servers that are not counted
        self._puzzles = PuzzleRecord()
        self._top = 0
        self._extent = Extent(STATISTICS_COLUMNS, 0)
        self.keys = (
            Key(
                ("down",),
                N_("one row down"),
                partial(self.scroll, 1),
                short=N_("scroll"),
                hinted=("up", "down"),
            ),
            Key(("up",), N_("one row up"), partial(self.scroll, -1)),
            Key(("pagedown", " "), N_("scroll down"), partial(self.scroll, SCROLL_ROWS)),
            Key(("pageup",), N_("scroll up"), partial(self.scroll, -SCROLL_ROWS)),
            Key(
                ("p",),
                N_("the people that you have played"),
                partial(app.go, MenuPage.PEOPLE),
                short=N_("people"),
            ),
            back_key(self),
        )

    def on_show(self) -> None:
        """Connect to this computer, then to the server. Both sessions load the statistics.

        Also read the record of puzzles.
        """
        if not self._servers:
            self.app.spawn(self._connect())
        self.app.spawn(self._read_puzzles())

    def draw(self, extent: Extent) -> list[Line]:
        """Return the title and the visible rows."""
        self._extent = extent
        title = draw_title([_("All your games")], "", extent.columns, STATISTICS_MARGIN)
        lines = self._draw_body(extent.columns - 2 * STATISTICS_MARGIN)
        room = extent.rows - 2
        shown = lines[self._top : self._top + room]
        hidden = len(lines) - self._top - len(shown)
        if hidden > 0:
            more = ngettext("{number} more line", "{number} more lines", hidden + 1)
            told = f"{self.app.look.glyphs.down} {more.format(number=hidden + 1)}"
            shown = [*shown[:-1], text(told, "class:dim")]
        return [title, [], *indent(shown, STATISTICS_MARGIN)]

    def scroll(self, rows: int) -> None:
        """Scroll by a number of rows."""
        lines = self._draw_body(self._extent.columns - 2 * STATISTICS_MARGIN)
        last = max(0, len(lines) - (self._extent.rows - 2))
        self._top = max(0, min(last, self._top + rows))
        self.app.redraw()

    async def _read_puzzles(self) -> None:
        self._puzzles = await asyncio.to_thread(load_record, self.app.context.folder)

    async def _connect(self) -> None:
        """Connect to both, but not to a server on which this computer has no player.

        A friend's server is not counted, because this computer has its matches.
        """
        here, usual = self.app.resolve_address(OFFLINE), self.app.settings.server
        stored = Identities.of(self.app.context)
        wanted = {here, *(server.address for server in self.app.open_servers)}
        if await asyncio.to_thread(stored.keeps_matches_on, usual):
            wanted.add(usual)
        for address in dict.fromkeys((here, usual)):
            if address not in wanted:
                continue
            try:
                server = await self.app.connect(address)
                if not server.session.identity.stored.host:
                    self._servers.append(server)
            except (ServerUnreachable, Refused, OSError) as error:
                self._missing.append(describe_failure(error))
            self.app.redraw()

    def _draw_body(self, columns: int) -> list[Line]:
        refused = [
            format_uncounted(server.address, server.uncounted)
            for server in self._servers
            if server.uncounted is not None
        ]
        missing = [
            line for why in (*self._missing, *refused) for line in wrap(why, columns, "class:dim")
        ]
        read = {
            server.address: server.statistics
            for server in self._servers
            if server.statistics is not None
        }
        puzzles = [
            line
            for told in describe_puzzle_record(self._puzzles)
            for line in ([], *wrap(told, columns))
        ]
        if not read:
            return [text(_("One moment ...")), *puzzles, [], *missing]
        found = combine_statistics(read.values())
        glyphs = self.app.look.glyphs
        rows = draw_statistics(found, read, columns, glyphs.bar_done, glyphs.hole)
        lines = [crop(_draw_row(row, columns), columns, glyphs.ellipsis) for row in rows]
        return [*lines, *puzzles, *([[]] if missing else []), *missing]


def _draw_row(row: StatisticsRow, columns: int) -> Line:
    left, right = (
        text(row.left, _style_class(row.style)),
        text(row.right, _style_class(row.right_style)),
    )
    return spread(left, right, columns)


def _style_class(style: str) -> str:
    return f"class:{style}" if style else ""
