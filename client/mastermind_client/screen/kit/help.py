"""The help: how to play, where there is something to play, and the keys of the screen below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.screen.kit.frames import MARGIN, draw_framed
from mastermind_client.screen.kit.keys import Key, describe_keys
from mastermind_client.screen.kit.lines import (
    Extent,
    Line,
    centre,
    pad,
    side_by_side,
    text,
    width,
    wrap,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.kit.keys import Binding
    from mastermind_client.screen.kit.lines import Glyphs

STEP = 8  # lines at once by a key
_WIDE = 96  # from here on, keys and rules lie side by side


class Help:
    """The help of a screen that it lies over while it is `shown`; its own `keys` scroll and end it.

    Its first page is a `lesson`, if one is to be learned: then `?` turns over to that of the keys.
    `top` is the first line that is seen, once it is drawn.
    """

    def __init__(self) -> None:
        self.shown = self.lesson = False
        self.top = 0
        self.keys: tuple[Key, ...] = (
            Key(
                ("?", "f1"), N_("the keys"), self._turn_over,
                short=N_("keys"), when=lambda: self.lesson,
            ),
            Key(
                ("?", "f1"), N_("close the help"), self.end, when=lambda: not self.lesson
            ),
            Key(("escape", "enter"), N_("close the help"), self.end, short=N_("close")),
            Key(("down", "pagedown", "space"), N_("further down"), lambda: self.scroll(STEP)),
            Key(("up", "pageup"), N_("back to the top"), lambda: self.scroll(-self.top)),
        )  # fmt: skip

    def begin(self, *, lesson: bool) -> None:
        """Show it from its beginning, with a lesson or without one."""
        self.shown, self.lesson, self.top = True, lesson, 0

    def end(self) -> None:
        """Show it no more."""
        self.shown = False

    def scroll(self, rows: int) -> None:
        """Go so many lines down, or up if negative; drawing stops at the end."""
        self.top = max(0, self.top + rows)

    def draw_keys(
        self, table: Sequence[Binding], explained: Sequence[str], glyphs: Glyphs, extent: Extent
    ) -> list[Line]:
        """Return the page of the keys in a frame; what is `explained` are paragraphs."""
        body = _write(table, explained, extent.columns)
        return self._draw(body, (_("Help"), _("Help (PageDown for more)")), glyphs, extent)

    def draw_lesson(self, lesson: Sequence[Line], glyphs: Glyphs, extent: Extent) -> list[Line]:
        """Return the page of a lesson in the middle of a frame."""
        titles = (_("How to play"), _("How to play (PageDown for more)"))
        return self._draw(centre(lesson, extent.columns - 2 * MARGIN), titles, glyphs, extent)

    def _draw(
        self, body: Sequence[Line], titles: tuple[str, str], glyphs: Glyphs, extent: Extent
    ) -> list[Line]:
        """Return lines in a frame, no larger than the extent, by the second title if not all."""
        rows = extent.rows - 2
        self.top = max(0, min(self.top, len(body) - rows))
        heading = text(titles[len(body) > rows], "class:heading")
        shown = body[self.top : self.top + rows]
        return draw_framed(shown, extent.columns, glyphs, title=heading)

    def _turn_over(self) -> None:
        self.lesson, self.top = False, 0


def _write(table: Sequence[Binding], explained: Sequence[str], columns: int) -> list[Line]:
    inner = columns - 2 * MARGIN
    if explained and inner >= _WIDE:
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
