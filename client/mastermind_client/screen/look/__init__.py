"""What everything looks like: palettes, signs and colour depth, and the one value made of them."""

from mastermind_client.screen.look.look import Look

__all__ = ["Look"]
