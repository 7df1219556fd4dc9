"""The palettes of peg colours.

A palette has a tile for each peg: the colours of its background and of its letter. The client's
themes do not affect tiles. All palettes keep the names and letters of the pegs. A palette has tiles
for three colour depths:

- 24 bit: any colour. The tiles of `default` are softer than with 256 colours. `okabe-ito` uses the
  hues of Okabe and Ito ("Color Universal Design", 2008) for the colours that they name. Red is
  their vermilion. A search found the other hues, as different as possible for protanopes,
  deuteranopes and tritanopes.
- 256 colours: only values of the colour cube, so that nothing is rounded. A second search found the
  hues of `okabe-ito` among these values, because the rounded hues are too similar.
- 16 colours: the theme of the terminal defines these, so all palettes share them. Two pegs of one
  game have different colours. The Linux console draws a bright background as the normal one. Two
  pegs with colours that differ only in brightness then differ only in their letters, which are
  readable on both backgrounds.

The hues are in `mastermind_client.colours`. The letter on each tile is black or white. Tests check
all contrasts and differences.
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


EVEN_CONTRAST_LUMINANCE = 0.179  # the luminance with equal contrast to black and white
SIDE_BRIGHTNESS = 0.6  # brightness of a peg's side, relative to its face
CUBE_VALUES = (0x00, 0x5F, 0x87, 0xAF, 0xD7, 0xFF)  # of red, green and blue


class Tile(NamedTuple):
    """The colours of one peg, in prompt_toolkit's notation.

    A peg is drawn as a keycap: a face of the colour `background` with its `letter`, and a darker
    `side` below.
    """

    background: str
    letter: str
    side: str


Tiles: TypeAlias = "Mapping[str, Tile]"
"""The tiles of pegs by the names of their colours."""


@dataclass(frozen=True, slots=True)
class Palette:
    """The tiles for 24 bit, 256 and 16 colours. Empty for a palette without colours."""

    true: Tiles
    cube: Tiles
    ansi: Tiles

    def tiles(self, depth: ColorDepth) -> Tiles:
        """Return the tiles for a colour depth. Empty for a depth of one bit."""
        return {
            ColorDepth.DEPTH_1_BIT: {},
            ColorDepth.DEPTH_4_BIT: self.ansi,
            ColorDepth.DEPTH_8_BIT: self.cube,
            ColorDepth.DEPTH_24_BIT: self.true,
        }[depth]


def _choose_letter_colour(background: str) -> str:
    """Return black or white, whichever contrasts more with `background` (nearly as in WCAG 2.2)."""
    shares = (0.2126, 0.7152, 0.0722)  # of red, green and blue in the luminance
    values = (int(background[at : at + 2], 16) / 255 for at in (1, 3, 5))
    luminance = sum(share * value**2.2 for share, value in zip(shares, values, strict=True))
    return "#000000" if luminance > EVEN_CONTRAST_LUMINANCE else "#ffffff"


def _darken(hue: str) -> list[int]:
    """Return the red, green and blue values of a peg's side, from the `hue` of its face in hex."""
    return [int(SIDE_BRIGHTNESS * int(hue[at : at + 2], 16)) for at in (0, 2, 4)]


def _round_to_cube(value: int) -> int:
    return min(CUBE_VALUES, key=lambda step: abs(step - value))


def _make_tiles(hues: Mapping[str, str], *, cube: bool) -> Tiles:
    """Return a tile for each hue. If `cube`, the sides have values of the 256-colour cube."""
    tiles = {}
    for name, hue in hues.items():
        side = [_round_to_cube(value) if cube else value for value in _darken(hue)]
        tiles[name] = Tile(
            f"#{hue}", _choose_letter_colour(f"#{hue}"), "#{:02x}{:02x}{:02x}".format(*side)
        )
    return tiles


_ANSI_TILES: Tiles = {  # a darker colour is another peg's, so a side has its face's colour
    name: Tile(f"ansi{colour.ansi}", f"ansi{colour.letter}", f"ansi{colour.ansi}")
    for name, colour in COLOURS.items()
}
_HIGH_CONTRAST_HUES = {name: colour.high_contrast for name, colour in COLOURS.items()}

PALETTES: Mapping[settings.Palette, Palette] = MappingProxyType(
    {
        "default": Palette(
            true=_make_tiles(
                {name: colour.default for name, colour in COLOURS.items()}, cube=False
            ),
            cube=_make_tiles(
                {name: colour.default_cube for name, colour in COLOURS.items()}, cube=True
            ),
            ansi=_ANSI_TILES,
        ),
        "okabe-ito": Palette(
            true=_make_tiles(
                {name: colour.okabe_ito for name, colour in COLOURS.items()}, cube=False
            ),
            cube=_make_tiles(
                {name: colour.okabe_ito_cube for name, colour in COLOURS.items()}, cube=True
            ),
            ansi=_ANSI_TILES,
        ),
        "high-contrast": Palette(
            true=_make_tiles(_HIGH_CONTRAST_HUES, cube=False),
            cube=_make_tiles(_HIGH_CONTRAST_HUES, cube=True),
            ansi=_ANSI_TILES,
        ),
        "mono": Palette(true={}, cube={}, ansi={}),
    }
)
