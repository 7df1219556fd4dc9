"""The look of the app: characters, styles, colour depth, and the key pegs of an answer.

The characters are in Unicode and in ASCII, each one column wide. Characters that some terminals
draw as an emoji of two columns are not used.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

from mastermind_client.screen.theme.palettes import PALETTES
from mastermind_client.screen.toolkit.lines import Glyphs
from mastermind_client.tty.terminfo import find_capabilities

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prompt_toolkit.styles import BaseStyle

    from mastermind_client.config import settings
    from mastermind_client.screen.toolkit.lines import Line
    from mastermind_protocol.feedback import Feedback


@dataclass(frozen=True, slots=True)
class BoardGlyphs(Glyphs):
    """The characters of the toolkit and of the game.

    In ASCII the half blocks are blanks, so a peg is only a letter on its face.

    - `black`, `white`: key pegs.
    - `hole`: a place without a peg or key peg.
    - `shield`: a peg of a hidden secret.
    - `block`: large letters consist of it.
    - `upper`, `lower`: half blocks at the edges of a tile.
    - `first_half`, `second_half`: half blocks at the edges of a small peg.
    - `notch`: half block beside the letter of a peg that is one row high.
    - `floor`: below a place without a peg, or a hidden peg. `bold_floor`: below the cursor.
    - `bar_done`, `bar_left`: the filled and the empty part of a bar.
    - `tee_left`, `tee_right`: join a horizontal line to the sides of a frame.
    - `check`, `cross`: the marks for an honest code, and for a problem.
    - `away`: a disconnected player.
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


INTERFACE_STYLES = {
    "title": "bold",
    "heading": "bold",
    "rule": "dim",
    "dim": "dim",
    "strong": "bold",
    "turn": "bold reverse",
    "alarm": "bold",
    "notice": "bold",
    "error": "bold underline",
    "banner": "bold reverse",
    "key": "bold",
    "selected": "reverse",
    "hole": "dim",
    "shield": "dim",
}
"""The styles of everything except pegs.

They set attributes and no colours, because white, black or grey text is invisible in some themes.
No dim text is needed to play: some terminals draw it faintly, and others ignore the attribute.
"""

_LINUX_CONSOLE = "linux"  # a value of TERM
_DEPTHS: Mapping[str, ColorDepth] = MappingProxyType(
    {
        "never": ColorDepth.DEPTH_1_BIT,
        "16": ColorDepth.DEPTH_4_BIT,
        "256": ColorDepth.DEPTH_8_BIT,
        "true": ColorDepth.DEPTH_24_BIT,
    }
)
_TRUE_COLOUR_TERMS = ("truecolor", "24bit")  # values of COLORTERM for 24-bit colour
_CUBE_COLOURS = 256  # of a terminal that has a cube of 6 x 6 x 6 colours


@dataclass(frozen=True, slots=True)
class Look:
    """The characters, the palette and the colour depth."""

    glyphs: BoardGlyphs
    palette: settings.Palette
    depth: ColorDepth

    @classmethod
    def choose(
        cls,
        palette: settings.Palette,
        color: settings.Color,
        glyphs: settings.Glyphs,
        environ: Mapping[str, str],
        encoding: str,
    ) -> Look:
        """Return the look for the settings. `auto` depends on the environment and the encoding.

        The Linux console gets ASCII, because its font lacks most of the characters.
        """
        if glyphs == "auto" and environ.get("TERM") == _LINUX_CONSOLE:
            glyphs = "ascii"
        return cls(choose_glyphs(glyphs, encoding), palette, choose_depth(color, environ))

    @property
    def mono(self) -> bool:
        """Whether there are no colours. Pegs then differ only in their letters."""
        return not PALETTES[self.palette].tiles(self.depth)

    def style(self) -> BaseStyle:
        """Return the prompt_toolkit style for the style classes of all fragments.

        With 16 colours the letter on a tile is not bold, because many terminals draw bold black as
        grey.
        """
        tiles = PALETTES[self.palette].tiles(self.depth)
        sixteen = self.depth is ColorDepth.DEPTH_4_BIT
        classes = {
            **INTERFACE_STYLES,
            "qr": "reverse fg:#ffffff bg:#000000",  # not all decoders read light on dark
            "peg": "" if sixteen else "bold",
        }
        for name, tile in tiles.items():
            classes |= {
                f"peg.{name}": f"bg:{tile.background} fg:{tile.letter}",
                f"ink.{name}": f"fg:{tile.background}",
                f"side.{name}": f"fg:{tile.side}",
                f"edge.{name}": f"fg:{tile.background} bg:{tile.side}",
                f"ground.{name}": f"bg:{tile.background}",
            }
        return Style.from_dict(classes)

    def draw_key_pegs(self, feedback: Feedback, pegs: int, gap: str = "") -> Line:
        """Return the key pegs of feedback: black, then white, then empty places up to `pegs`."""
        glyphs, given = self.glyphs, feedback.black + feedback.white
        signs = [glyphs.black] * feedback.black + [glyphs.white] * feedback.white
        parts = (
            ("class:strong", gap.join(signs)),
            ("", gap if 0 < given < pegs else ""),
            ("class:hole", gap.join([glyphs.hole] * (pegs - given))),
        )
        return [(style, words) for style, words in parts if words]


def choose_depth(color: settings.Color, environ: Mapping[str, str]) -> ColorDepth:
    """Return the colour depth for the setting. `auto` depends on the environment.

    With `auto`, a non-empty NO_COLOR disables colours (https://no-color.org). COLORTERM can add
    24-bit colours to those of the terminal's terminfo entry.
    """
    if color != "auto":
        return _DEPTHS[color]
    term = environ.get("TERM", "").lower()
    if environ.get("NO_COLOR") or term == "dumb":
        return ColorDepth.DEPTH_1_BIT
    is_screen = term.startswith("screen")  # GNU screen before 5 misreads 24-bit colours
    has_true_colour = environ.get("COLORTERM", "").lower() in _TRUE_COLOUR_TERMS
    if (has_true_colour or environ.get("WT_SESSION")) and not is_screen:
        return ColorDepth.DEPTH_24_BIT  # Windows Terminal sets neither TERM nor COLORTERM
    colours = find_capabilities(environ).colours
    if colours >= _CUBE_COLOURS:
        return ColorDepth.DEPTH_8_BIT
    return ColorDepth.DEPTH_4_BIT if colours else ColorDepth.DEPTH_1_BIT
