"""The colours of the pegs: a tile has both its own colour and its letter's, so no theme hides it.

A palette changes hues and never meaning: each peg keeps its name and its letter. It has its tiles
three times, for a terminal can show any colour, the 216 of the cube of 256-colour terminals, or
the 16 of its own theme:

- 24 bit: any colour. `okabe-ito` has the hues that Okabe and Ito published there ("Color Universal
  Design", 2008) where they have one of that name (red is their vermilion), and further ones that
  were searched for: those that stay furthest apart for protanopes, deuteranopes and tritanopes.
- 256 colours: only values of the cube, so that nothing is rounded to something that was not
  tested. `okabe-ito` was searched for anew there, as its rounded hues run into one another.
- 16 colours: the theme decides what they are, so all palettes share them. Two pegs of one game
  never share one. The Linux console shows bright backgrounds as normal ones; the letters tell
  such pegs apart, and are of a colour that can be read on either.

The hues are in `mastermind_client.colours`, and the letter on each is black or white. All this is
held by tests, which name the contrasts and differences that are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from prompt_toolkit.output import ColorDepth

from mastermind_client.colours import COLOURS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mastermind_client.config import settings


EVEN = 0.179  # the luminance on which black and white are equally well read


class Tile(NamedTuple):
    """The colours of one peg and of the letter on it, as prompt_toolkit writes colours."""

    background: str
    letter: str


Tiles: TypeAlias = "Mapping[str, Tile]"
"""The tiles of pegs by the names of their colours."""


@dataclass(frozen=True, slots=True)
class Palette:
    """Tiles for each depth of colour; none at all where pegs are not told by colour."""

    true: Tiles
    cube: Tiles
    ansi: Tiles

    def tiles(self, depth: ColorDepth) -> Tiles:
        """Return the tiles to use at a depth: none where there is only one colour."""
        return {
            ColorDepth.DEPTH_1_BIT: {},
            ColorDepth.DEPTH_4_BIT: self.ansi,
            ColorDepth.DEPTH_8_BIT: self.cube,
            ColorDepth.DEPTH_24_BIT: self.true,
        }[depth]


def _letter_on(background: str) -> str:
    """Return black or white: whichever has more contrast, as WCAG 2.2 measures it (about)."""
    shares = (0.2126, 0.7152, 0.0722)  # of red, green and blue in the luminance
    values = (int(background[at : at + 2], 16) / 255 for at in (1, 3, 5))
    luminance = sum(share * value**2.2 for share, value in zip(shares, values, strict=True))
    return "#000000" if luminance > EVEN else "#ffffff"


def _paint(backgrounds: Mapping[str, str]) -> Tiles:
    return {name: Tile(hue, _letter_on(hue)) for name, hue in backgrounds.items()}


_ANSI: Tiles = {
    name: Tile(f"ansi{colour.ansi}", f"ansi{colour.letter}") for name, colour in COLOURS.items()
}
_DEFAULT = _paint({name: colour.default for name, colour in COLOURS.items()})
_HIGH_CONTRAST = _paint({name: colour.high_contrast for name, colour in COLOURS.items()})

PALETTES: Mapping[settings.Palette, Palette] = MappingProxyType(
    {
        "default": Palette(true=_DEFAULT, cube=_DEFAULT, ansi=_ANSI),
        "okabe-ito": Palette(
            true=_paint({name: colour.okabe_ito for name, colour in COLOURS.items()}),
            cube=_paint({name: colour.okabe_ito_cube for name, colour in COLOURS.items()}),
            ansi=_ANSI,
        ),
        "high-contrast": Palette(true=_HIGH_CONTRAST, cube=_HIGH_CONTRAST, ansi=_ANSI),
        "mono": Palette(true={}, cube={}, ansi={}),
    }
)
