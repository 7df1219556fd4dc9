"""What everything looks like: palettes, signs and colour depth, and the one value made of them."""

from mastermind_client.screen.look.depth import choose_depth
from mastermind_client.screen.look.glyphs import ASCII, UNICODE, choose_glyphs
from mastermind_client.screen.look.look import Look
from mastermind_client.screen.look.palettes import PALETTES, Palette, Tile

__all__ = [
    "ASCII",
    "PALETTES",
    "UNICODE",
    "Look",
    "Palette",
    "Tile",
    "choose_depth",
    "choose_glyphs",
]
