"""The list of the remaining codes, page by page, in the frame of the board."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mastermind_client import solver
from mastermind_client.language import gettext as _
from mastermind_client.messages.codes import format_count
from mastermind_client.screen.match.board import draw_in_frame
from mastermind_client.screen.match.rows import draw_small_code
from mastermind_client.screen.theme.tiles import SMALL_COLUMNS
from mastermind_protocol.messages import MAX_ANALYSED_CODES

if TYPE_CHECKING:
    import asyncio

    from mastermind_client.screen.app import App
    from mastermind_client.screen.match.layout import Layout
    from mastermind_client.screen.theme import Look
    from mastermind_client.screen.toolkit.lines import Line
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Turn
    from mastermind_protocol.messages import PositionAnalysis
    from mastermind_protocol.rules import Rules

_GAP = "  "  # between two codes in a line


class CodePage(NamedTuple):
    """Codes from the index `first` on, of the `left` codes in numeric order."""

    first: int
    codes: tuple[Code, ...]
    left: int


class CodeList:
    """The remaining codes of one position. `page` is the shown page if the list is open."""

    def __init__(self, app: App) -> None:
        self.page: CodePage | None = None
        self._app = app
        self._position: tuple[Rules, tuple[Turn, ...]] | None = None
        self._wanted = 0  # the index of the first code of the page that is shown or loading
        self._loading: asyncio.Task[None] | None = None

    def open(self, rules: Rules, turns: tuple[Turn, ...], analysis: PositionAnalysis) -> None:
        """Show the first codes of an analysed position."""
        self._position, self._wanted = (rules, turns), 0
        self.page = CodePage(0, analysis.codes, analysis.left)

    def close(self) -> None:
        """Hide the list."""
        self.page = None
        if self._loading is not None:
            self._loading.cancel()

    def has_next(self, layout: Layout) -> bool:
        """Return whether the open list has a next page on a board of this layout."""
        if self.page is None or self._position is None:
            return False
        return self.page.first + count_codes(self._position[0], layout) < self.page.left

    def turn(self, pages: int, layout: Layout) -> None:
        """Load the next page for a board of this layout, or the page before if it is negative."""
        if self.page is None or self._position is None:
            return
        rules, turns = self._position
        shown = count_codes(rules, layout)
        first = max(0, self._wanted + pages * shown)
        if first >= self.page.left or first == self._wanted:
            return
        self._wanted = first
        if self._loading is not None:
            self._loading.cancel()
        self._loading = self._app.spawn(self._load(rules, turns, first))

    async def _load(self, rules: Rules, turns: tuple[Turn, ...], first: int) -> None:
        found = await solver.analyse(rules, turns, most=1, after=first)
        self.page = CodePage(first, found.codes, found.left)


def count_codes(rules: Rules, layout: Layout) -> int:
    """Return the number of codes on one page."""
    return min(MAX_ANALYSED_CODES, _count_in_line(rules, layout) * (layout.board.rows - 2))


def _count_in_line(rules: Rules, layout: Layout) -> int:
    wide = rules.pegs * SMALL_COLUMNS + len(_GAP)
    return max(1, (layout.horizontal.inner_columns + len(_GAP)) // wide)


def draw_codes(page: CodePage, rules: Rules, layout: Layout, look: Look) -> list[Line]:
    """Return the frame with a page of the codes."""
    shown = page.codes[: count_codes(rules, layout)]
    title = _("Codes {first} to {last} of {left}").format(
        first=format_count(page.first + 1), last=format_count(page.first + len(shown)),
        left=format_count(page.left),
    )  # fmt: skip
    in_line = _count_in_line(rules, layout)
    lines: list[Line] = []
    for start in range(0, len(shown), in_line):
        line: Line = []
        for code in shown[start : start + in_line]:
            line += [("", _GAP)] if line else []
            line += draw_small_code(code, rules, look)
        lines.append(line)
    return draw_in_frame(title, lines, layout, look)
