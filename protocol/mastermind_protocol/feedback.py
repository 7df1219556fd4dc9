"""Feedback: the codemaker's answer to a guess, and its notations."""

from __future__ import annotations

from dataclasses import dataclass
from operator import eq
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Feedback(NamedTuple):
    """`black` counts pegs of the right colour and place, `white` pegs of the right colour only."""

    black: int
    white: int


def score(secret: Sequence[int], guess: Sequence[int]) -> Feedback:
    """Return the feedback to `guess`; `secret` and `guess` have the same length.

    Black counts equal places. Black plus white is the size of the intersection of both codes as
    multisets, so each peg of the secret counts once (Knuth, "The computer as Master Mind", Journal
    of Recreational Mathematics 9(1), 1976-77).
    """
    black = sum(map(eq, secret, guess))
    unmatched = list(secret)
    for colour in guess:
        if colour in unmatched:
            unmatched.remove(colour)
    return Feedback(black, len(secret) - len(unmatched) - black)


@dataclass(frozen=True, slots=True)
class KeyNotation:
    """The format of the text that `write` returns, such as "1 black, 2 white" or "KWW".

    `black`, `white` and `empty` are the names of the key pegs. If `empty` is "", empty places are
    not written. The text has one part for each kind of key peg if `counted`, such as "1 black".
    Otherwise it has one part for each key peg, such as "K". `separator` joins the parts, and
    `brackets` enclose them. `nothing` replaces an empty list of parts. With `white_first`, white
    precedes black. `plural` is the ending of the names after a number other than 1.
    """

    black: str = "black"
    white: str = "white"
    empty: str = ""
    counted: bool = True
    separator: str = ", "
    brackets: tuple[str, str] = ("", "")
    white_first: bool = False
    nothing: str = ""
    plural: str = ""

    def write(self, feedback: Feedback, pegs: int) -> str:
        """Return the text of `feedback` to a guess of `pegs` pegs."""
        kinds = [(feedback.black, self.black), (feedback.white, self.white)]
        if self.white_first:
            kinds.reverse()
        if self.empty:
            kinds.append((pegs - feedback.black - feedback.white, self.empty))
        if self.counted:
            parts = [f"{number} {sign}{self.plural * (number != 1)}" for number, sign in kinds]
        else:
            parts = [sign for number, sign in kinds for _ in range(number)]
        opening, closing = self.brackets
        return opening + (self.separator.join(parts) or self.nothing) + closing


COUNT_NOTATION = KeyNotation()
