"""The signs that are drawn, in Unicode and in ASCII; each is one column wide, and none an emoji.

Signs that some terminals show as emoji, two columns wide, are left out even where their plain
form is narrow.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mastermind_client.screen.kit.lines import Glyphs

if TYPE_CHECKING:
    from mastermind_client.config import settings


@dataclass(frozen=True, slots=True)
class BoardGlyphs(Glyphs):
    """The signs of the toolkit, and one for each thing of the game that is drawn and not written.

    `shield` stands for a peg of the secret that is not to be seen, `hole` for a place without a
    peg, or without a key peg; large letters are made of `block`. Half blocks make the edges of a
    peg: `upper` and `lower`, of a small one the `first_half` and the `second_half`, and `notch`
    beside the letter of a flat one; they are blanks in ASCII, where a peg is its letter on its
    face. A `floor` is below a place without a peg, a `bold_floor` below the cursor. A bar has a
    `bar_done` and a `bar_left` part, a frame `tee_left` and `tee_right` where a rule crosses it.
    `away` says that somebody's connection is lost.
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
    """Return the signs that are set, or the Unicode ones if the terminal's encoding has them."""
    if setting == "auto":
        return UNICODE if _is_utf8(encoding) else ASCII
    return UNICODE if setting == "unicode" else ASCII


def _is_utf8(encoding: str) -> bool:
    try:
        return codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")
    except LookupError:  # a name that Python does not know is not UTF-8, which has many names
        return False
