"""The QR code of a link, in half blocks."""

from __future__ import annotations

from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING

from mastermind_client.screen.toolkit.lines import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.theme.look import Look
    from mastermind_client.screen.toolkit.lines import Line

QUIET_ZONE = 2  # light modules around the code, which decoders need


def draw_qr_code(link: str, look: Look) -> list[Line]:
    """Return the QR code of a link, or no lines in ASCII, which has no half blocks.

    A module is one column wide and half a row high. The code is black on white. Without colours it
    is reversed, so it is light on dark in a light terminal, which most decoders read too.
    """
    glyphs = look.glyphs
    if glyphs.upper.isspace():
        return []
    signs = {(0, 0): " ", (1, 0): glyphs.upper, (0, 1): glyphs.lower, (1, 1): glyphs.block}
    modules = _encode(link)
    light = bytes(len(modules[0]))
    pairs = zip_longest(modules[::2], modules[1::2], fillvalue=light)
    return [
        text("".join(signs[halves] for halves in zip(above, below, strict=True)), "class:qr")
        for above, below in pairs
    ]


@lru_cache(1)
def _encode(link: str) -> Sequence[bytes]:
    """Return the rows of modules, with the quiet zone; 1 is dark."""
    import segno  # late: it takes 40 ms, and most screens need none

    return tuple(map(bytes, segno.make_qr(link, error="l").matrix_iter(border=QUIET_ZONE)))
