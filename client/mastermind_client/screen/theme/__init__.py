"""Palettes, glyphs, colour depth, and the drawing of pegs, large letters and QR codes."""

from mastermind_client.screen.theme.look import Look

__all__ = ["Look"]
