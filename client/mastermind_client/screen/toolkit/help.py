"""The help overlay: a page with the keys.

If the screen has `rules`, a page that explains how to play precedes the page with the keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.screen.toolkit.frames import FRAME_MARGIN, draw_framed
from mastermind_client.screen.toolkit.keys import Key, describe_keys
from mastermind_client.screen.toolkit.lines import (
    Extent,
    Line,
    centre,
    lay_over,
    pad,
    side_by_side,
    text,
    width,
    wrap,
)
from mastermind_client.screen.toolkit.overlays import Overlay

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.screen.toolkit.keys import Binding
    from mastermind_client.screen.toolkit.lines import Glyphs
    from mastermind_client.screen.toolkit.overlays import OverlayAreas

SCROLL_LINES = 8  # lines that a key scrolls
_TWO_COLUMN_WIDTH = 96  # columns of a help with keys and paragraphs side by side


class Help(Overlay):
    """The help of a screen. `draw_page` returns the lines of the open page.

    The first page has the keys. If `teaches`, `?` then opens the page with how to play (`lesson`).
    `top` is the index of the first visible line.
    """

    rank = 1
    shared = slice(1, None)

    def __init__(self, draw_page: Callable[[Help, Extent], list[Line]], *, teaches: bool) -> None:
        self._draw_page, self._teaches, self.lesson = draw_page, teaches, False
        self.top = 0
        self.keys = (
            Key(
                ("?", "f1"), N_("how to play"), self._open_lesson,
                short=N_("how to play"), when=self._has_next_page,
            ),
            Key(
                ("?", "f1"), N_("close the help"), lambda: self.close(),
                when=lambda: not self._has_next_page(),
            ),
            Key(("escape", "enter"), N_("close the help"), lambda: self.close(), short=N_("close")),
            Key(
                ("down", "pagedown", "space"),
                N_("further down"),
                lambda: self.scroll(SCROLL_LINES),
            ),
            Key(("up", "pageup"), N_("back to the top"), lambda: self.scroll(-self.top)),
        )  # fmt: skip

    def draw_over(self, lines: list[Line], room: OverlayAreas, glyphs: Glyphs) -> list[Line]:  # noqa: ARG002
        """Return the lines with the help centred over the stage."""
        page = self._draw_page(self, room.stage)
        return [*lay_over(lines, page, room.stage), *lines[room.stage.rows :]]

    def scroll(self, rows: int) -> None:
        """Scroll down by a number of rows, or up if it is negative.

        The next drawing limits the position.
        """
        self.top = max(0, self.top + rows)

    def draw_keys(
        self, table: Sequence[Binding], explained: Sequence[str], glyphs: Glyphs, extent: Extent
    ) -> list[Line]:
        """Return the page with the keys of `table` and the paragraphs `explained`, in a frame."""
        body = _draw_keys_and_paragraphs(table, explained, extent.columns)
        titles = (_("Help"), _("Help (PageDown for more)"))
        return self._draw_in_frame(body, titles, glyphs, extent)

    def draw_lesson(self, lesson: Sequence[Line], glyphs: Glyphs, extent: Extent) -> list[Line]:
        """Return the page of a lesson, centred in a frame."""
        titles = (_("How to play"), _("How to play (PageDown for more)"))
        body = centre(lesson, extent.columns - 2 * FRAME_MARGIN)
        return self._draw_in_frame(body, titles, glyphs, extent)

    def _draw_in_frame(
        self, body: Sequence[Line], titles: tuple[str, str], glyphs: Glyphs, extent: Extent
    ) -> list[Line]:
        """Return the visible lines in a frame. The second title is used if not all lines fit."""
        rows = extent.rows - 2
        self.top = max(0, min(self.top, len(body) - rows))
        heading = text(titles[len(body) > rows], "class:heading")
        shown = body[self.top : self.top + rows]
        return draw_framed(shown, extent.columns, glyphs, title=heading)

    def _has_next_page(self) -> bool:
        return self._teaches and not self.lesson

    def _open_lesson(self) -> None:
        self.lesson, self.top = True, 0


def _draw_keys_and_paragraphs(
    table: Sequence[Binding], explained: Sequence[str], columns: int
) -> list[Line]:
    inner = columns - 2 * FRAME_MARGIN
    if explained and inner >= _TWO_COLUMN_WIDTH:
        half = inner // 2 - 1
        keys, words = _draw_keys(table, half), _draw_paragraphs(explained, half)
        return side_by_side(keys, words, half + 2, "")
    return [
        *_draw_keys(table, inner),
        *([[]] if explained else []),
        *_draw_paragraphs(explained, inner),
    ]


def _draw_keys(table: Sequence[Binding], columns: int) -> list[Line]:
    described = describe_keys(table)
    left = (
        min(max((width([("", label)]) for label, _does in described), default=0), columns // 2) + 2
    )
    lines: list[Line] = []
    for label, does in described:
        for number, line in enumerate(wrap(does, columns - left)):
            lines.append([*pad([("class:key", label if number == 0 else "")], left), *line])
    return lines


def _draw_paragraphs(explained: Sequence[str], columns: int) -> list[Line]:
    return [line for paragraph in explained for line in wrap(paragraph, columns)]
