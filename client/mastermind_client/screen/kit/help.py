"""The help: the key table of the screen it lies over, and what there is to explain there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.screen.kit.frames import MARGIN, draw_framed
from mastermind_client.screen.kit.keys import Key, describe_keys
from mastermind_client.screen.kit.lines import Extent, Line, pad, side_by_side, text, width, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.kit.keys import Binding
    from mastermind_client.screen.kit.lines import Glyphs

STEP = 8  # lines at once by a key
_WIDE = 96  # from here on, keys and rules lie side by side


class Help:
    """The help of a screen that it lies over while it is `shown`; its own `keys` scroll and end it.

    `top` is the first line that is seen, once it is drawn.
    """

    def __init__(self) -> None:
        self.shown = False
        self.top = 0
        self.keys: tuple[Key, ...] = (
            Key(("escape", "?", "f1", "enter"), N_("close the help"), self.end, short=N_("close")),
            Key(("down", "pagedown", "space"), N_("further down"), lambda: self.scroll(STEP)),
            Key(("up", "pageup"), N_("back to the top"), self.begin),
        )

    def begin(self) -> None:
        """Show it from its beginning."""
        self.shown, self.top = True, 0

    def end(self) -> None:
        """Show it no more."""
        self.shown = False

    def scroll(self, rows: int) -> None:
        """Go so many lines down, or up if negative; drawing stops at the end."""
        self.top = max(0, self.top + rows)

    def draw(
        self, table: Sequence[Binding], explained: Sequence[str], glyphs: Glyphs, extent: Extent
    ) -> list[Line]:
        """Return it in a frame, no larger than the extent; what is `explained` are paragraphs."""
        body, rows = _write(table, explained, extent.columns), extent.rows - 2
        self.top = max(0, min(self.top, len(body) - rows))
        title = _("Help") if len(body) <= rows else _("Help (PageDown for more)")
        shown = body[self.top : self.top + rows]
        heading = text(title, "class:heading")
        return draw_framed(shown, extent.columns, glyphs, title=heading)


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
