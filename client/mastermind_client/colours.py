"""The colours of pegs: their names, and their values in each palette.

The letter of a peg is the first letter of its colour's name, so the names in one game start with
different letters. `screen.theme.palettes` describes the requirements for the values.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.language import mark as N_

if TYPE_CHECKING:
    from collections.abc import Mapping


class Colour(NamedTuple):
    """A colour: its name, marked for translation, and its values in the palettes.

    In a terminal's sixteen colours, `ansi` is the colour of the peg, and `letter` the colour of the
    letter on it. The other fields are the colour of the peg as six hexadecimal digits (RRGGBB).
    Fields ending in `_cube` are for terminals with 256 colours. The others are for true colour, and
    `high_contrast` is for both.
    """

    name: str
    ansi: str
    letter: str
    default: str
    default_cube: str
    high_contrast: str
    okabe_ito: str
    okabe_ito_cube: str


_TABLE = (
    Colour(N_("red"), "red", "white", "d7263d", "d70000", "af0000", "d55e00", "ff5f00"),
    Colour(N_("orange"), "yellow", "black", "f5832a", "ff8700", "ff8700", "e69f00", "ffaf00"),
    Colour(N_("yellow"), "brightyellow", "black", "ffd23f", "ffff00", "ffff00", "f0e442", "ffd75f"),
    Colour(N_("green"), "green", "black", "27a84f", "00af00", "00af00", "009e73", "00af87"),
    Colour(N_("blue"), "brightblue", "white", "2364e0", "005fff", "0000ff", "0072b2", "0087af"),
    Colour(N_("purple"), "magenta", "white", "8a3ab9", "8700af", "870087", "cc79a7", "d787d7"),
    Colour(N_("violet"), "magenta", "white", "b79bff", "af87ff", "af87ff", "6000f0", "af5fff"),
    Colour(N_("olive"), "yellow", "black", "9c8618", "878700", "afaf5f", "606030", "5f5f00"),
    Colour(N_("pink"), "brightmagenta", "black", "ffafd7", "ffafd7", "ffafd7", "ffa8d8", "ff87d7"),
    Colour(N_("teal"), "cyan", "black", "128a94", "008787", "005f5f", "004848", "005f5f"),
    Colour(N_("cyan"), "brightcyan", "black", "6fd3f7", "5fd7ff", "5fd7ff", "00d8d8", "5fd7d7"),
    Colour(
        N_("magenta"), "brightmagenta", "black", "f062e0", "ff5fff", "ff5fff", "ff30ff", "d700d7"
    ),
    Colour(N_("lime"), "brightgreen", "black", "98dd1c", "87ff00", "afd75f", "a8d878", "d7ff00"),
    Colour(N_("navy"), "blue", "white", "2a3390", "00005f", "00005f", "181860", "00005f"),
    Colour(N_("white"), "white", "black", "f2f2f2", "ffffff", "ffffff", "ffffff", "ffffff"),
)

COLOURS: Mapping[str, Colour] = MappingProxyType({colour.name: colour for colour in _TABLE})
"""All colours by name, in the order of display."""
