"""Palettes, glyphs, colour depth, and the drawing of pegs and large letters."""

from mastermind_client.screen.theme.look import Look

__all__ = ["Look"]
