"""Advice, reviews and bots in words: pure functions from the server's answers to lines."""

from __future__ import annotations

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
RANKED_BY: dict[Measure, str] = {
    "bits": "information",
    "size": "expected size",
    "worst": "worst case",
    "parts": "number of parts",
}


def describe_advice(advice: Advice, by: Measure, rules: Rules) -> Iterator[str]:
    """Yield the best guesses, one a line: what each may bring, and whether it can be the secret."""
    left = f"{advice.left} code{' is' if advice.left == 1 else 's are'} left"
    sampled = "; not every guess was weighed" if advice.sampled else ""
    yield f"Advice for guess {advice.guess}, ranked by {RANKED_BY[by]} ({left}{sampled}):"
    for number, guess in enumerate(advice.guesses, start=1):
        parts = f"{guess.parts} part{'' if guess.parts == 1 else 's'}"
        yield (
            f"{number:2}  {write_code(guess.code, rules)}  {guess.bits:.2f} bits, "
            f"size {guess.size:.1f}, worst {guess.worst}, {parts}, "
            f"{'can' if guess.possible else 'cannot'} be it"
        )


def describe_review(
    turns: Sequence[Reviewed], match: Match, number: int, me: str | None
) -> Iterator[str]:
    """Yield how well a round was played, to the player with id `me` or to anybody else.

    Two lines a guess: the codes left before and after, the bits that the feedback earned, and those
    to be expected of the guess, whose difference is luck; then the expected size, and what the bot
    `optimal` would have guessed.
    """
    played, rules = match.played[number - 1], match.rules
    breaker = subject(match, played.breaker, me)
    yield f"Review of round {number}, {breaker.lower() if breaker == 'You' else breaker} breaking:"
    for count, turn in enumerate(turns, start=1):
        guess, best = turn.guess, turn.best
        codes = "code" if turn.after == 1 else "codes"
        yield (
            f"{count:2}  {write_code(guess.code, rules)}  {turn.before} -> {turn.after} {codes}, "
            f"{turn.earned:.2f} bits; {guess.bits:.2f} expected, luck {turn.luck:+.2f}"
        )
        notes = "" if guess.possible else "; could not be it"
        notes += "; with advice" if count in played.advised else ""
        same = best.code == guess.code
        other = f"optimal plays {write_code(best.code, rules)}: {best.bits:.2f} bits expected"
        yield (
            f"    expected size {guess.size:.1f}; {'as optimal plays' if same else other}{notes}"
        )
    beaten = sum(turn.beaten for turn in turns)
    yield f"{breaker} beat the expected size on {beaten} of {len(turns)} guesses."


def describe_bots(bots: Sequence[KnownBot]) -> Iterator[str]:
    """Yield a line for each bot: its name, its other names, and how it plays."""
    for bot in bots:
        names = " or ".join(map(sanitise, (bot.name, *bot.aliases)))
        yield f"{names}: {sanitise(bot.about)}"
