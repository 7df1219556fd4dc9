"""Advice, reviews and bots in words: pure functions from the server's answers to lines."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING, get_args

from mastermind_client.plain.wording import subject, write_code
from mastermind_client.trouble import sanitise
from mastermind_protocol.messages import Measure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mastermind_protocol.match import Match
    from mastermind_protocol.messages import Advice, KnownBot, Reviewed
    from mastermind_protocol.rules import Rules

MEASURES: tuple[Measure, ...] = get_args(Measure)


def describe_advice(advice: Advice, by: Measure, rules: Rules) -> Iterator[str]:
    """Yield the best guesses, one a line: whether it can be the secret, and what it may bring."""
    left = f"{advice.left} code{' is' if advice.left == 1 else 's are'} left"
    estimated = "; not every guess was weighed" if advice.sampled else ""
    yield f"Advice for guess {advice.guess}, the best by {by} first ({left}{estimated}):"
    for number, guess in enumerate(advice.guesses, start=1):
        possible = "may be the secret" if guess.possible else "is not the secret"
        yield (
            f"{number:2}  {write_code(guess.code, rules)}  {guess.bits:.2f} bits, "
            f"size {guess.size:.1f}, worst {guess.worst}, {guess.parts} parts, {possible}"
        )


def describe_review(
    turns: Sequence[Reviewed], match: Match, number: int, me: str | None
) -> Iterator[str]:
    """Yield how well a round was played, to the player with id `me` or to anybody else.

    A line a guess: the codes left before and after, the bits that the feedback earned, those to
    be expected of the guess, the difference, which is luck, and the best guess there was.
    """
    played, rules = match.played[number - 1], match.rules
    breaker = subject(match, played.breaker, me)
    yield f"Review of round {number}, {breaker.lower() if breaker == 'You' else breaker} breaking:"
    for count, turn in enumerate(turns, start=1):
        guess, best = turn.guess, turn.best
        earned = log2(turn.before / turn.after)
        codes = "code" if turn.after == 1 else "codes"
        notes = [] if guess.possible else ["not the secret"]
        notes += ["advised"] if count in played.advised else []
        better = f"best {best.bits:.2f} by {write_code(best.code, rules)}"
        yield (
            f"{count:2}  {write_code(guess.code, rules)}  {turn.before} -> {turn.after} {codes}, "
            f"{earned:.2f} bits; expected {guess.bits:.2f} (luck {earned - guess.bits:+.2f}), "
            f"{'the best' if best.code == guess.code else better}"
            f"{''.join(f'; {note}' for note in notes)}"
        )
    beaten = sum(turn.after < turn.guess.size for turn in turns)
    yield f"{breaker} beat the expected size on {beaten} of {len(turns)} guesses."


def describe_bots(bots: Sequence[KnownBot]) -> Iterator[str]:
    """Yield a line for each bot: its name, its other names, and how it plays."""
    for bot in bots:
        names = " or ".join(map(sanitise, (bot.name, *bot.aliases)))
        yield f"{names}: {sanitise(bot.about)}"
