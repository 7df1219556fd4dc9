"""Advice, reviews and bots in words: pure functions from the server's answers to lines."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, get_args

from mastermind_client.language import Decimal, ngettext
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.codes import write_code
from mastermind_client.messages.players import say_of
from mastermind_client.messages.verdicts import (
    judge_round,
    list_figures,
    tell_better,
    tell_excluded,
    tell_left,
    write_verdict,
    write_word,
)
from mastermind_protocol.requests import Measure
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mastermind_client.messages.verdicts import Judged
    from mastermind_protocol.match import Match
    from mastermind_protocol.messages import Advice, KnownBot, Reviewed, Weighed
    from mastermind_protocol.rules import Rules

MEASURES: tuple[Measure, ...] = get_args(Measure)
RANKED_BY: Mapping[Measure, str] = MappingProxyType(
    {
        "bits": N_("information"),
        "size": N_("expected size"),
        "worst": N_("worst case"),
        "parts": N_("number of parts"),
    }
)
"""What each measure ranks by; to be translated where it is shown."""


def describe_advice(advice: Advice, by: Measure, rules: Rules) -> Iterator[str]:
    """Yield the best guesses, one a line: what each may bring, and whether it can be the secret."""
    if advice.sampled:
        heading = ngettext(
            "Advice for guess {guess}, ranked by {measure} "
            "({left} code is left; not every guess was weighed):",
            "Advice for guess {guess}, ranked by {measure} "
            "({left} codes are left; not every guess was weighed):",
            advice.left,
        )
    else:
        heading = ngettext(
            "Advice for guess {guess}, ranked by {measure} ({left} code is left):",
            "Advice for guess {guess}, ranked by {measure} ({left} codes are left):",
            advice.left,
        )
    yield heading.format(guess=advice.guess, measure=_(RANKED_BY[by]), left=advice.left)
    for number, guess in enumerate(advice.guesses, start=1):
        yield f"{number:2}  {write_code(guess.code, rules)}  {_describe_worth(guess)}"


def _describe_worth(guess: Weighed) -> str:
    """Say what a guess leaves and whether it may be the secret, and then its figures."""
    return _("{leaves}, {chance}; {figures}").format(
        leaves=_("leaves {size:.1f}").format(size=Decimal(guess.size)),
        chance=tell_chance(guess),
        figures=ngettext(
            "{bits:.2f} bits, worst {worst}, {parts} part",
            "{bits:.2f} bits, worst {worst}, {parts} parts",
            guess.parts,
        ).format(bits=Decimal(guess.bits), worst=guess.worst, parts=guess.parts),
    )


def tell_chance(guess: Weighed) -> str:
    """Say whether an advised guess may be the secret."""
    return _("may be the code") if guess.possible else _("cannot be it")


def describe_review(
    turns: Sequence[Reviewed], match: Match, number: int, me: str | None
) -> Iterator[str]:
    """Yield how well a round was played, to the player with id `me` or to anybody else.

    The verdict on the round is first; of each guess its verdict too, then sentences, then figures.
    """
    played, rules = match.played[number - 1], match.rules
    judged = judge_round(turns, played, rules)
    you = _("Review of round {number}, you breaking:")
    other = _("Review of round {number}, {name} breaking:")
    yield say_of(match, played.breaker, me, you, other, number=number)
    if judged:
        yield write_verdict(judged, match, played, me) + "."
    for guess in judged:
        yield _write_judged(guess, rules)
        for line in _explain_judged(guess, rules):
            yield f"    {line}"


def _write_judged(guess: Judged, rules: Rules) -> str:
    """Return a guess with the verdict on it, in one line."""
    text = (
        _("{number:2}  {code}  {verdict}, with advice")
        if guess.advised
        else _("{number:2}  {code}  {verdict}")
    )
    code = write_code(guess.said.guess.code, rules)
    return text.format(number=guess.number, code=code, verdict=write_word(guess))


def _explain_judged(guess: Judged, rules: Rules) -> Iterator[str]:
    """Yield the sentences about a guess, and its figures."""
    yield tell_left(guess)
    if better := tell_better(guess):
        code = write_code(better.code, rules) if better.code is not None else ""
        yield f"{better.before}{code}{better.after}"
    if told := tell_excluded(guess):
        yield told
    yield "; ".join(list_figures(guess))


def describe_bots(bots: Sequence[KnownBot]) -> Iterator[str]:
    """Yield a line for each bot: its name, its other names, and how it plays."""
    for bot in bots:
        names = sanitise(bot.name)
        for alias in bot.aliases:
            names = _("{one} or {other}").format(one=names, other=sanitise(alias))
        yield f"{names}: {describe_bot(bot)}"


def describe_bot(bot: KnownBot) -> str:
    """Say how a bot plays, in the reader's language if the catalogue knows it."""
    about = sanitise(bot.about)
    return _(about) if about else ""  # of nothing, gettext has the catalogue's own header
