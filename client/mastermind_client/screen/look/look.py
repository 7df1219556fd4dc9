"""The look of the app: its styles and colour depth, and what is on a board as styled text."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

from mastermind_client.screen.look.glyphs import BoardGlyphs, choose_glyphs
from mastermind_client.screen.look.palettes import PALETTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prompt_toolkit.styles import BaseStyle

    from mastermind_client.config import settings
    from mastermind_client.screen.kit.lines import Line
    from mastermind_protocol.feedback import Feedback

CHROME = {
    "title": "bold",
    "heading": "bold",
    "rule": "dim",
    "dim": "dim",
    "strong": "bold",
    "turn": "bold reverse",
    "notice": "bold",
    "error": "bold underline",
    "banner": "bold reverse",
    "key": "bold",
    "selected": "reverse",
    "hole": "dim",
    "shield": "dim",
}
"""The style of everything but pegs: in the terminal's own two colours, as white, black or grey
text vanishes on some themes. What is dim is not needed to play: some terminals show it faintly,
and others as all else."""

_LINUX_CONSOLE = "linux"  # of TERM
_ASKED: Mapping[str, ColorDepth] = MappingProxyType(
    {
        "never": ColorDepth.DEPTH_1_BIT,
        "16": ColorDepth.DEPTH_4_BIT,
        "256": ColorDepth.DEPTH_8_BIT,
        "true": ColorDepth.DEPTH_24_BIT,
    }
)
_TRUE = ("truecolor", "24bit")  # what COLORTERM says where any colour can be shown
_ANSI_ENDINGS = ("ansi", "linux", "-color", "-16color")  # of TERM, where there are 16 or fewer


@dataclass(frozen=True, slots=True)
class Look:
    """Signs, palette and depth of colour: what `tiles` draws pegs by."""

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
        """Return the look that is set, fitted to the terminal where it is left to be found out.

        The Linux console reads UTF-8, but its font has few of the signs.
        """
        if glyphs == "auto" and environ.get("TERM") == _LINUX_CONSOLE:
            glyphs = "ascii"
        return cls(choose_glyphs(glyphs, encoding), palette, choose_depth(color, environ))

    @property
    def mono(self) -> bool:
        """Whether pegs are told by their letters only."""
        return not PALETTES[self.palette].tiles(self.depth)

    def style(self) -> BaseStyle:
        """Return what prompt_toolkit draws the classes of the fragments with.

        At 16 colours a tile's letter is not bold: many terminals show bold black as grey.
        """
        tiles = PALETTES[self.palette].tiles(self.depth)
        sixteen = self.depth is ColorDepth.DEPTH_4_BIT
        classes = {
            **CHROME,
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

    def keys(self, feedback: Feedback, pegs: int, gap: str = "") -> Line:
        """Return the key pegs of feedback: black ones, white ones, then empty places."""
        glyphs, given = self.glyphs, feedback.black + feedback.white
        signs = [glyphs.black] * feedback.black + [glyphs.white] * feedback.white
        parts = (
            ("class:strong", gap.join(signs)),
            ("", gap if 0 < given < pegs else ""),
            ("class:hole", gap.join([glyphs.hole] * (pegs - given))),
        )
        return [(style, words) for style, words in parts if words]


def choose_depth(color: settings.Color, environ: Mapping[str, str]) -> ColorDepth:
    """Return the depth that is asked for, or for `auto` the one that the environment promises.

    NO_COLOR counts if it is not empty (https://no-color.org), and only where nothing is asked for.
    """
    if color != "auto":
        return _ASKED[color]
    term = environ.get("TERM", "").lower()
    if environ.get("NO_COLOR") or term == "dumb":
        return ColorDepth.DEPTH_1_BIT
    if term.startswith("screen"):  # GNU screen before 5 takes 24 bit for other attributes
        return ColorDepth.DEPTH_8_BIT
    if environ.get("COLORTERM", "").lower() in _TRUE or environ.get("WT_SESSION"):
        return ColorDepth.DEPTH_24_BIT  # Windows Terminal sets neither TERM nor COLORTERM
    if not term:
        return ColorDepth.DEPTH_1_BIT
    if term.endswith(_ANSI_ENDINGS):
        return ColorDepth.DEPTH_4_BIT
    return ColorDepth.DEPTH_8_BIT
