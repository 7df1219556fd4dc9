"""Signs beyond ASCII, for an output that can write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.messages.codes import ASCII_MARKS, MARKS, Marks

if TYPE_CHECKING:
    from typing import TextIO

BAR, ASCII_BAR = "▆", "#"


def choose_bar(output: TextIO) -> str:
    """Return what bars are made of."""
    return BAR if _can_write(BAR, output) else ASCII_BAR


def choose_marks(output: TextIO) -> Marks:
    """Return the marks of a game that is shared."""
    return MARKS if _can_write("".join(MARKS), output) else ASCII_MARKS


def _can_write(signs: str, output: TextIO) -> bool:
    try:
        signs.encode(output.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
