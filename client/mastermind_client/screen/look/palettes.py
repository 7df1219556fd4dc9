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

All this is held by tests, which name the contrasts and differences that are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from prompt_toolkit.output import ColorDepth

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mastermind_client.config import settings


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


def _black_on(**backgrounds: str) -> dict[str, Tile]:
    return {name: Tile(background, "#000000") for name, background in backgrounds.items()}


def _white_on(**backgrounds: str) -> dict[str, Tile]:
    return {name: Tile(background, "#ffffff") for name, background in backgrounds.items()}


_ANSI: Tiles = MappingProxyType(
    {
        "red": Tile("ansired", "ansiwhite"),
        "green": Tile("ansigreen", "ansiblack"),
        "blue": Tile("ansibrightblue", "ansiwhite"),
        "yellow": Tile("ansibrightyellow", "ansiblack"),
        "orange": Tile("ansiyellow", "ansiblack"),
        "purple": Tile("ansimagenta", "ansiwhite"),
        "violet": Tile("ansimagenta", "ansiwhite"),
        "olive": Tile("ansiyellow", "ansiblack"),
        "pink": Tile("ansibrightmagenta", "ansiblack"),
        "teal": Tile("ansicyan", "ansiblack"),
        "cyan": Tile("ansibrightcyan", "ansiblack"),
        "magenta": Tile("ansibrightmagenta", "ansiblack"),
        "lime": Tile("ansibrightgreen", "ansiblack"),
        "navy": Tile("ansiblue", "ansiwhite"),
        "white": Tile("ansiwhite", "ansiblack"),
    }
)

_DEFAULT: Tiles = MappingProxyType(
    _white_on(red="#d70000", blue="#005fff", purple="#8700af", navy="#00005f")
    | _black_on(
        green="#00af00",
        yellow="#ffff00",
        orange="#ff8700",
        violet="#af87ff",
        olive="#878700",
        pink="#ffafd7",
        teal="#008787",
        cyan="#5fd7ff",
        magenta="#ff5fff",
        lime="#87ff00",
        white="#ffffff",
    )
)

_HIGH_CONTRAST: Tiles = MappingProxyType(
    _white_on(red="#af0000", blue="#0000ff", purple="#870087", teal="#005f5f", navy="#00005f")
    | _black_on(
        green="#00af00",
        yellow="#ffff00",
        orange="#ff8700",
        violet="#af87ff",
        olive="#afaf5f",
        pink="#ffafd7",
        cyan="#5fd7ff",
        magenta="#ff5fff",
        lime="#afd75f",
        white="#ffffff",
    )
)

_OKABE_ITO: Tiles = MappingProxyType(
    _white_on(blue="#0072b2", violet="#6000f0", olive="#606030", teal="#004848", navy="#181860")
    | _black_on(
        red="#d55e00",
        green="#009e73",
        yellow="#f0e442",
        orange="#e69f00",
        purple="#cc79a7",
        pink="#ffa8d8",
        cyan="#00d8d8",
        magenta="#ff30ff",
        lime="#a8d878",
        white="#ffffff",
    )
)

_OKABE_ITO_CUBE: Tiles = MappingProxyType(
    _white_on(olive="#5f5f00", teal="#005f5f", navy="#00005f")
    | _black_on(
        red="#ff5f00",
        green="#00af87",
        blue="#0087af",
        yellow="#ffd75f",
        orange="#ffaf00",
        purple="#d787d7",
        violet="#af5fff",
        pink="#ff87d7",
        cyan="#5fd7d7",
        magenta="#d700d7",
        lime="#d7ff00",
        white="#ffffff",
    )
)

PALETTES: Mapping[settings.Palette, Palette] = MappingProxyType(
    {
        "default": Palette(true=_DEFAULT, cube=_DEFAULT, ansi=_ANSI),
        "okabe-ito": Palette(true=_OKABE_ITO, cube=_OKABE_ITO_CUBE, ansi=_ANSI),
        "high-contrast": Palette(true=_HIGH_CONTRAST, cube=_HIGH_CONTRAST, ansi=_ANSI),
        "mono": Palette(true={}, cube={}, ansi={}),
    }
)
