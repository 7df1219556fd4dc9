"""The colours of the pegs: a tile has both its own colour and its letter's, so no theme hides it.

A palette changes hues and never meaning: each peg keeps its name and its letter. It has its tiles
three times, for a terminal can show any colour, the 216 of the cube of 256-colour terminals, or
the 16 of its own theme:

- 24 bit: any colour; those of `default` are softer there. `okabe-ito` has the hues that Okabe and
  Ito published ("Color Universal Design", 2008) where they have one of that name (red is their
  vermilion), and further ones that were searched for: those that stay furthest apart for
  protanopes, deuteranopes and tritanopes.
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
SHADE = 0.6  # of the face's colour in a peg's side: clearly darker, and still of its hue
CUBE = (0x00, 0x5F, 0x87, 0xAF, 0xD7, 0xFF)  # what each part of a colour of the cube may be


class Tile(NamedTuple):
    """The colours of one peg, as prompt_toolkit writes colours.

    A peg is a keycap: its face is the `background` of its `letter`, and below it is its `side`.
    """

    background: str
    letter: str
    side: str


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


def _shade(hue: str) -> list[int]:
    """Return red, green and blue of the side of a peg."""
    return [int(SHADE * int(hue[at : at + 2], 16)) for at in (0, 2, 4)]


def _round_to_cube(value: int) -> int:
    return min(CUBE, key=lambda step: abs(step - value))


def _paint(hues: Mapping[str, str], *, cube: bool) -> Tiles:
    """Return the tiles of these hues; their sides are of the cube, too, if the hues are."""
    tiles = {}
    for name, hue in hues.items():
        side = [_round_to_cube(value) if cube else value for value in _shade(hue)]
        tiles[name] = Tile(f"#{hue}", _letter_on(f"#{hue}"), "#{:02x}{:02x}{:02x}".format(*side))
    return tiles


_ANSI: Tiles = {  # a side of another of the sixteen colours would be another peg's
    name: Tile(f"ansi{colour.ansi}", f"ansi{colour.letter}", f"ansi{colour.ansi}")
    for name, colour in COLOURS.items()
}
_HIGH_CONTRAST = {name: colour.high_contrast for name, colour in COLOURS.items()}

PALETTES: Mapping[settings.Palette, Palette] = MappingProxyType(
    {
        "default": Palette(
            true=_paint({name: colour.default for name, colour in COLOURS.items()}, cube=False),
            cube=_paint({name: colour.default_cube for name, colour in COLOURS.items()}, cube=True),
            ansi=_ANSI,
        ),
        "okabe-ito": Palette(
            true=_paint({name: colour.okabe_ito for name, colour in COLOURS.items()}, cube=False),
            cube=_paint(
                {name: colour.okabe_ito_cube for name, colour in COLOURS.items()}, cube=True
            ),
            ansi=_ANSI,
        ),
        "high-contrast": Palette(
            true=_paint(_HIGH_CONTRAST, cube=False),
            cube=_paint(_HIGH_CONTRAST, cube=True),
            ansi=_ANSI,
        ),
        "mono": Palette(true={}, cube={}, ansi={}),
    }
)
