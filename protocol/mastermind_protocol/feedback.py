"""Scoring: what the codemaker answers to a guess."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from mastermind_protocol.code import Code


class Feedback(NamedTuple):
    """`black` pegs have the right colour in the right place, `white` ones only the colour."""

    black: int
    white: int


def score(secret: Code, guess: Code) -> Feedback:
    """Return the feedback to `guess`; both codes are of the same length.

    Black counts equal places. Black and white together count what the two codes share as
    multisets of colours, so each peg of the secret is counted once (Knuth, "The computer as
    Master Mind", Journal of Recreational Mathematics 9(1), 1976-77).
    """
    black = sum(map(int.__eq__, secret, guess))
    shared = sum(min(secret.count(colour), guess.count(colour)) for colour in set(guess))
    return Feedback(black, shared - black)
