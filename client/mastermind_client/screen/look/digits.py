"""Large digits, three rows high: a score or a clock that is read at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.screen.kit.lines import text, width

if TYPE_CHECKING:
    from mastermind_client.screen.kit.lines import Line
    from mastermind_client.screen.look.look import Look

ROWS = 3
_DRAWN = """
0█▀█|1▀█ |2▀▀█|3▀▀█|4█ █|5█▀▀|6█▀▀|7▀▀█|8█▀█|9█▀█|:▄|
 █ █|  █ | █▀▀|  ▀█| ▀▀█| ▀▀█| █▀█|   █| █▀█| ▀▀█| ▄|
 ▀▀▀| ▀▀▀| ▀▀▀| ▀▀▀|   ▀| ▀▀▀| ▀▀▀|   ▀| ▀▀▀| ▀▀▀|  |
"""


def _read_digits() -> dict[str, tuple[str, ...]]:
    rows = [row.removesuffix("|").split("|") for row in _DRAWN.strip("\n").splitlines()]
    columns = zip(*rows, strict=True)
    return {parts[0][0]: tuple(part[1:] for part in parts) for parts in columns}


DIGITS = _read_digits()
"""Each digit, and the colon between two numbers, as its rows."""


def draw_digits(written: str, look: Look, style: str = "class:strong") -> list[Line]:
    """Return a number or a time in large digits: `ROWS` lines of equal width.

    Without half blocks, in ASCII, they are plain ones, in the middle row. Raises KeyError for what
    is neither a digit nor a colon.
    """
    digits = [DIGITS[sign] for sign in written]
    if look.glyphs.upper.isspace():
        plain = text(written, style)
        blank = text(" " * width(plain))
        return [blank, plain, list(blank)]
    return [text(" ".join(digit[row] for digit in digits), style) for row in range(ROWS)]
