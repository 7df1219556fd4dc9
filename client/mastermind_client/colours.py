"""The colours of pegs: what each is called, and what it looks like in every palette.

A peg's letter is the first of its colour's name, so no two colours of one game begin with the same.
What the hues have to keep to is said where they are used, in `screen.look.palettes`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.language import mark as N_

if TYPE_CHECKING:
    from collections.abc import Mapping


class Colour(NamedTuple):
    """One colour: its name, to be translated where it is shown, and its tile.

    `ansi` and `letter` are two of the sixteen colours of a terminal's theme, for a peg and what is
    written on it. The others are its hues in 24 bits, and for `okabe_ito_cube` in 256 colours.
    """

    name: str
    ansi: str
    letter: str
    default: str
    high_contrast: str
    okabe_ito: str
    okabe_ito_cube: str


_TABLE = (
    Colour(N_("red"), "red", "white", "#d70000", "#af0000", "#d55e00", "#ff5f00"),
    Colour(N_("orange"), "yellow", "black", "#ff8700", "#ff8700", "#e69f00", "#ffaf00"),
    Colour(N_("yellow"), "brightyellow", "black", "#ffff00", "#ffff00", "#f0e442", "#ffd75f"),
    Colour(N_("green"), "green", "black", "#00af00", "#00af00", "#009e73", "#00af87"),
    Colour(N_("blue"), "brightblue", "white", "#005fff", "#0000ff", "#0072b2", "#0087af"),
    Colour(N_("purple"), "magenta", "white", "#8700af", "#870087", "#cc79a7", "#d787d7"),
    Colour(N_("violet"), "magenta", "white", "#af87ff", "#af87ff", "#6000f0", "#af5fff"),
    Colour(N_("olive"), "yellow", "black", "#878700", "#afaf5f", "#606030", "#5f5f00"),
    Colour(N_("pink"), "brightmagenta", "black", "#ffafd7", "#ffafd7", "#ffa8d8", "#ff87d7"),
    Colour(N_("teal"), "cyan", "black", "#008787", "#005f5f", "#004848", "#005f5f"),
    Colour(N_("cyan"), "brightcyan", "black", "#5fd7ff", "#5fd7ff", "#00d8d8", "#5fd7d7"),
    Colour(N_("magenta"), "brightmagenta", "black", "#ff5fff", "#ff5fff", "#ff30ff", "#d700d7"),
    Colour(N_("lime"), "brightgreen", "black", "#87ff00", "#afd75f", "#a8d878", "#d7ff00"),
    Colour(N_("navy"), "blue", "white", "#00005f", "#00005f", "#181860", "#00005f"),
    Colour(N_("white"), "white", "black", "#ffffff", "#ffffff", "#ffffff", "#ffffff"),
)

COLOURS: Mapping[str, Colour] = MappingProxyType({colour.name: colour for colour in _TABLE})
"""All there are, by name, in the order in which they are shown."""
