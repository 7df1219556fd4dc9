"""Feedback: what the codemaker answers to a guess, and how it is written."""

from __future__ import annotations

from dataclasses import dataclass
from operator import eq
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Feedback(NamedTuple):
    """`black` pegs have the right colour in the right place, `white` ones only the colour."""

    black: int
    white: int


def score(secret: Sequence[int], guess: Sequence[int]) -> Feedback:
    """Return the feedback to `guess`; both are codes of the same length.

    Black counts equal places. Black and white together count what the two codes share as
    multisets of colours, so each peg of the secret is counted once (Knuth, "The computer as
    Master Mind", Journal of Recreational Mathematics 9(1), 1976-77).
    """
    black = sum(map(eq, secret, guess))
    unmatched = list(secret)
    for colour in guess:
        if colour in unmatched:
            unmatched.remove(colour)
    return Feedback(black, len(secret) - len(unmatched) - black)


@dataclass(frozen=True, slots=True)
class KeyNotation:
    """How feedback is written.

    Counted notation names each kind with its number ("1 black, 2 white"); otherwise one sign
    is written for each key peg, `separator` between them.
    """

    black: str = "black"
    white: str = "white"
    empty: str = ""
    counted: bool = True
    separator: str = ", "
    brackets: tuple[str, str] = ("", "")
    white_first: bool = False
    nothing: str = ""

    def write(self, feedback: Feedback, pegs: int) -> str:
        """Return the feedback to a guess of `pegs` pegs in this notation."""
        kinds = [(feedback.black, self.black), (feedback.white, self.white)]
        if self.white_first:
            kinds.reverse()
        if self.empty:
            kinds.append((pegs - feedback.black - feedback.white, self.empty))
        if self.counted:
            parts = [f"{number} {sign}" for number, sign in kinds]
        else:
            parts = [sign for number, sign in kinds for _ in range(number)]
        opening, closing = self.brackets
        return opening + (self.separator.join(parts) or self.nothing) + closing


COUNTS = KeyNotation()
