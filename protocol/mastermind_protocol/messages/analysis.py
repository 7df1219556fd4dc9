"""Advice, reviews, and the measures of guesses."""

from __future__ import annotations

import math

import msgspec

from mastermind_protocol.events import MatchCode, PegCount, Rounds, WireCode
from mastermind_protocol.messages.base import ServerMessage
from mastermind_protocol.requests import Count, GivenTurn, Number, RequestId

MAX_ANALYSED_CODES = 100  # remaining codes in one page: 1 KiB
MAX_CORRECTIONS = 20  # in one analysis, the best first
MAX_REVIEWED_GUESSES = 64  # guesses in one message, which keeps it below 16 KiB


class GuessMeasures(msgspec.Struct, frozen=True, omit_defaults=True):
    """The measures of a guess, where each remaining code is equally likely to be the secret.

    Remaining codes fit all feedback so far. `possible` is true if the guess is one. If m codes
    remain before the guess, each feedback leaves n codes. `worst` is the largest n (Knuth 1977).
    `size` is the expected n, the sum of n * n / m (Irving 1978). `bits` is the expected
    information, the sum of n / m * log2(m / n): the entropy of the feedback (C. E. Shannon, "A
    mathematical theory of communication", 1948; Neuwirth 1982). `parts` is the number of possible
    feedbacks (Kooi 2005).
    """

    code: WireCode
    possible: bool
    worst: Count
    size: float
    bits: float
    parts: Count


class Advice(ServerMessage, frozen=True, tag="advice"):
    """Answer to `advise` for guess number `guess`: the best `guesses` first.

    `left` is the number of remaining codes. If `sampled`, the search covered only a sample of the
    guesses. All measures are exact, unless `estimated`: then `left` and the measures are estimates
    from a sample of the remaining codes.
    """

    id: RequestId
    match: MatchCode
    guess: Count
    left: Count
    guesses: tuple[GuessMeasures, ...]
    sampled: bool = False
    estimated: bool = False


class ReviewedGuess(msgspec.Struct, frozen=True, omit_defaults=True):
    """The measures of one guess of a round, and of the best guess, which the bot `optimal` makes.

    `before` and `after` are the numbers of remaining codes before and after the guess. `after` is 1
    if the guess is the secret. If `estimated`, they and the measures are estimates.
    """

    guess: GuessMeasures
    best: GuessMeasures
    before: Count
    after: Count
    estimated: bool = False

    @property
    def earned_bits(self) -> float:
        """The information of the feedback, in bits; `guess.bits` is its expected value.

        If a round starts with n codes and ends with one, the sum over its guesses is log2(n).
        """
        return math.log2(self.before / self.after)

    @property
    def luck(self) -> float:
        """The bits that the feedback gave minus the expected bits. Negative after bad luck.

        The mean over all codes that were possible before the guess is 0.
        """
        return self.earned_bits - self.guess.bits


class Reviewing(ServerMessage, frozen=True, tag="reviewing"):
    """Answer to `review`: the guesses of a round in order. With `more` there is a next page."""

    id: RequestId
    match: MatchCode
    round: Rounds
    turns: tuple[ReviewedGuess, ...]
    more: bool = False


class Correction(msgspec.Struct, frozen=True):
    """Another feedback to guess number `turn`, from 1, with which `left` codes fit all feedback."""

    turn: Count
    black: PegCount
    white: PegCount
    left: Count


class PositionAnalysis(msgspec.Struct, frozen=True, omit_defaults=True):
    """The analysis of a position: what remains, and what to guess next.

    `left` is the number of remaining codes, and `codes` is a page of them in numeric order. `after`
    has the number of remaining codes after each of the guesses. `guesses` are the best next ones,
    the best first, and `choice` is that of a bot. `places[p][c]` is the number of remaining codes
    with colour c on peg p, and `colours[c]` that of those with colour c on any peg.

    If no code remains, `corrections` are the changes of one feedback after which a code remains,
    the smallest change first. They are empty if one change is not enough.

    If `estimated`, `left` and the measures of `guesses` are estimates from a sample, and `after`,
    `codes`, `places`, `colours` and `corrections` are empty. `sampled` is as in `advice`.
    """

    left: Number
    after: tuple[Number, ...] = ()
    codes: tuple[WireCode, ...] = ()
    guesses: tuple[GuessMeasures, ...] = ()
    choice: WireCode | None = None
    places: tuple[tuple[Number, ...], ...] = ()
    colours: tuple[Number, ...] = ()
    corrections: tuple[Correction, ...] = ()
    sampled: bool = False
    estimated: bool = False


class Analysed(ServerMessage, frozen=True, tag="analysed"):
    """Answer to `analyse`."""

    id: RequestId
    analysis: PositionAnalysis


class Puzzle(ServerMessage, frozen=True, tag="puzzle"):
    """Answer to `puzzle`: the `turns` leave exactly one code, which a client finds out itself."""

    id: RequestId
    turns: tuple[GivenTurn, ...]
