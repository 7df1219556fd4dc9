"""The characters of the drawing, in Unicode and in ASCII, each one column wide.

Characters that some terminals draw as an emoji of two columns are not used.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mastermind_client.screen.toolkit.lines import Glyphs

if TYPE_CHECKING:
    from mastermind_client.config import settings


@dataclass(frozen=True, slots=True)
class BoardGlyphs(Glyphs):
    """The characters of the toolkit and of the game.

    `shield` is a peg of a hidden secret, and `hole` a place without a peg or key peg. Large letters
    consist of `block`. Half blocks are the edges of a peg: `upper` and `lower`, `first_half` and
    `second_half` of a small peg, and `notch` beside the letter of a flat peg. In ASCII the half
    blocks are blanks, so a peg is only a letter on its face. `floor` is drawn below a place without
    a peg, and `bold_floor` below the cursor. A bar has a `bar_done` and a `bar_left` part.
    `tee_left` and `tee_right` join a rule to the sides of a frame. `away` marks a disconnected
    player.
    """

    black: str
    white: str
    hole: str
    shield: str
    block: str
    upper: str
    lower: str
    first_half: str
    second_half: str
    notch: str
    floor: str
    bold_floor: str
    bar_done: str
    bar_left: str
    tee_left: str
    tee_right: str
    check: str
    cross: str
    away: str


_SIGNS = {
    "black": "●X",
    "white": "○o",
    "hole": "·.",
    "shield": "░#",
    "block": "█#",
    "upper": "▀ ",
    "lower": "▄ ",
    "first_half": "▐ ",
    "second_half": "▌ ",
    "notch": "▆ ",
    "floor": "▔-",
    "bold_floor": "▀=",
    "bar_done": "▆#",
    "bar_left": "▁-",
    "tee_left": "├+",
    "tee_right": "┤+",
    "check": "✓+",
    "cross": "✗x",
    "rule": "─-",
    "bar": "│|",
    "top_left": "╭+",
    "top_right": "╮+",
    "bottom_left": "╰+",
    "bottom_right": "╯+",
    "selected": "►>",
    "left": "←<",
    "right": "→>",
    "up": "↑^",
    "down": "↓v",
    "ellipsis": "…~",
    "away": "◇!",
}
UNICODE, ASCII = (
    BoardGlyphs(**{name: signs[number] for name, signs in _SIGNS.items()}) for number in range(2)
)


def choose_glyphs(setting: settings.Glyphs, encoding: str) -> BoardGlyphs:
    """Return the characters for the setting. `auto` is Unicode if the encoding is UTF-8."""
    if setting == "auto":
        return UNICODE if _is_utf8(encoding) else ASCII
    return UNICODE if setting == "unicode" else ASCII


def _is_utf8(encoding: str) -> bool:
    try:
        return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")
    except LookupError:  # Python knows all names of UTF-8
        return False
