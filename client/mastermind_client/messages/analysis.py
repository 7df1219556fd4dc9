"""Texts about advice and reviews."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, get_args

from mastermind_client.language import LocalisedFloat, ngettext
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.codes import format_count, format_mean_count, format_pegs
from mastermind_client.messages.judging import (
    LUCKY_BITS,
    VERY_LUCKY_BITS,
    JudgedGuess,
    Luck,
    Verdict,
    compute_mean,
    judge_round,
)
from mastermind_client.messages.players import choose_sentence
from mastermind_protocol.requests import Measure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Match, Round
    from mastermind_protocol.messages import Advice, GuessMeasures, ReviewedGuess
    from mastermind_protocol.rules import Rules


SUPERB_MEAN, GOOD_MEAN, FAIR_MEAN = 95, 85, 70  # minimum mean of a round, of 100
LEAST_ROUNDED_CODES = 10  # the least mean number of codes that is written as a whole number
MEASURES: tuple[Measure, ...] = get_args(Measure)
MEASURE_NAMES: Mapping[Measure, str] = MappingProxyType(
    {
        "bits": N_("information"),
        "size": N_("expected size"),
        "worst": N_("worst case"),
        "parts": N_("number of parts"),
    }
)
"""The name of each measure, marked for translation."""
_PLAY_TEXTS: Mapping[int, tuple[str, str]] = MappingProxyType(
    {
        SUPERB_MEAN: (N_("you played superbly"), N_("{name} played superbly")),
        GOOD_MEAN: (N_("you played well"), N_("{name} played well")),
        FAIR_MEAN: (N_("you played fairly well"), N_("{name} played fairly well")),
        0: (N_("you can do better"), N_("{name} can do better")),
    }
)
_LUCKY_TEXTS: Sequence[tuple[float, tuple[str, str]]] = (
    (VERY_LUCKY_BITS, (N_("were very lucky"), N_("was very lucky"))),
    (LUCKY_BITS, (N_("were lucky"), N_("was lucky"))),
)
_UNLUCKY_TEXTS: Sequence[tuple[float, tuple[str, str]]] = (
    (VERY_LUCKY_BITS, (N_("were very unlucky"), N_("was very unlucky"))),
    (LUCKY_BITS, (N_("were unlucky"), N_("was unlucky"))),
)


class BetterGuessText(NamedTuple):
    """A sentence about a better guess: the text before the guess, the guess, and the text after it.

    A sentence without a guess has None as `code`.
    """

    before: str
    code: Code | None = None
    after: str = ""


def describe_verdict(
    judged: Sequence[JudgedGuess], match: Match, played: Round, me: str | None
) -> str:
    """Return the verdict on a round: ``93 of 100: you played well, and were lucky``.

    `me` is the reader's id, or None for a spectator.
    """
    mean = compute_mean(judged)
    you, other = next(words for least, words in _PLAY_TEXTS.items() if mean >= least)
    praise = choose_sentence(match, played.breaker, me, _(you), _(other))
    luck = sum(guess.review.luck for guess in judged)
    for least, (mine, theirs) in _LUCKY_TEXTS if luck > 0 else _UNLUCKY_TEXTS:
        if abs(luck) >= least:
            fortune = _(mine) if played.breaker == me else _(theirs)
            praise = _("{played}, and {fortune}").format(played=praise, fortune=fortune)
            break
    verdict = _("{mean} of 100: {praise}").format(mean=mean, praise=praise)
    advised = len(played.advised)
    if not advised:
        return verdict
    text = ngettext("{number} guess advised", "{number} guesses advised", advised)
    return f"{verdict}; {text.format(number=advised)}"


def format_verdict(judged: JudgedGuess) -> str:
    """Return the verdict on a guess with its luck: ``good, lucky``."""
    words = [_(judged.verdict.value)]
    if judged.luck is not Luck.EVEN:
        words.append(_(judged.luck.value))
    return ", ".join(words)


def format_guess_heading(judged: JudgedGuess) -> str:
    """Return the heading of a reviewed guess: ``Guess 2: good``."""
    text = (
        _("Guess {number}: {verdict}, with advice")
        if judged.advised
        else _("Guess {number}: {verdict}")
    )
    return text.format(number=judged.number, verdict=_(judged.verdict.value))


def describe_remaining(judged: JudgedGuess, *, short: bool = False) -> str:
    """Return a sentence about the number of codes left after a guess.

    Unless `short`, the sentence includes the expected number.
    """
    review, luck = judged.review, judged.luck
    before, after = (
        format_count(number, estimated=review.estimated) for number in (review.before, review.after)
    )
    if judged.found and review.before == 1:
        return _("It was the only code left.")
    if judged.found:
        text = (
            _("It was the code, one of {before} left: lucky.")
            if luck is Luck.LUCKY
            else _("It was the code, one of {before} left.")
        )
        return text.format(before=before)
    if not review.guess.bits:
        return _("It could reveal nothing new.")
    left = ngettext(
        "It left {after} code of {before}", "It left {after} codes of {before}", review.after
    ).format(after=after, before=before)
    word = _(luck.value) if luck is not Luck.EVEN else ""
    if short:
        return f"{left}: {word}." if word else f"{left}."
    size = format_mean_count(
        review.guess.size, estimated=review.estimated, whole_from=LEAST_ROUNDED_CODES
    )
    average = _("On average it would have left {size}").format(size=size)
    return f"{left}. {average}: {word}." if word else f"{left}. {average}."


def describe_better_guess(judged: JudgedGuess, *, short: bool = False) -> BetterGuessText | None:
    """Return the parts of a sentence about a better guess, or None if the guess was the secret.

    Unless `short`, the sentence adds whether the better guess could have been the secret.
    """
    review, best = judged.review, judged.review.best
    if judged.found:
        return None
    if review.guess.code == best.code or review.guess.bits >= best.bits > 0:
        return BetterGuessText(_("No guess was better."))
    if review.before == 1:
        text = _("Better: {code}, the only code left.")
    elif short:
        text = _("Better: {code}, which leaves {size}.")
    elif best.possible:
        text = _("Better: {code}, which leaves {size} and might have been the code.")
    else:
        text = _("Better: {code}, which leaves {size}, though it could not be the code.")
    before, _code, after = text.partition("{code}")
    size = format_mean_count(best.size, estimated=review.estimated)
    return BetterGuessText(before, best.code, after.format(size=size))


def describe_exclusion(judged: JudgedGuess, *, short: bool = False) -> str:
    """Return a sentence about the earlier guess that ruled this guess out, or an empty string.

    If `short`, the sentence names only the earlier guess.
    """
    if judged.excluded is None:
        return ""
    if short:
        return _("Guess {earlier} had ruled it out.").format(earlier=judged.excluded)
    good = judged.verdict in (Verdict.EXCELLENT, Verdict.GOOD)
    text = (
        _("But guess {number} could not be the code itself: guess {earlier} ruled it out.")
        if good
        else _("Guess {number} could not be the code itself: guess {earlier} ruled it out.")
    )
    return text.format(number=judged.number, earlier=judged.excluded)


def list_figures(judged: JudgedGuess) -> list[str]:
    """Return the figures of a guess as texts: information, expected codes left, luck."""
    review, best = judged.review, judged.review.best
    write_bits = partial(_format_bits, estimated=review.estimated)
    write_size = partial(format_mean_count, estimated=review.estimated)
    return [
        _("{earned} bits, {bits} expected, best {best}").format(
            earned=write_bits(review.earned_bits),
            bits=write_bits(review.guess.bits),
            best=write_bits(best.bits),
        ),
        _("size {size}, best {best}").format(
            size=write_size(review.guess.size), best=write_size(best.size)
        ),
        _("luck {luck}").format(luck=write_bits(review.luck, sign="+")),
    ]


def _format_bits(bits: float, *, estimated: bool, sign: str = "") -> str:
    """Return a number of bits with two decimals, or an estimate with one, with its `sign`."""
    return f"{LocalisedFloat(bits):{sign}z.{1 if estimated else 2}f}"


def find_next_measure(by: Measure) -> Measure:
    """Return the measure after `by`. The first one follows the last one."""
    return MEASURES[(MEASURES.index(by) + 1) % len(MEASURES)]


def describe_advice(advice: Advice, by: Measure, rules: Rules) -> Iterator[str]:
    """Yield a heading, and a line for each advised guess with its expected effect."""
    if advice.sampled:
        heading = ngettext(
            "Advice for guess {guess}, ranked by {measure} "
            "({left} code is left; only some guesses were tried):",
            "Advice for guess {guess}, ranked by {measure} "
            "({left} codes are left; only some guesses were tried):",
            advice.left,
        )
    else:
        heading = ngettext(
            "Advice for guess {guess}, ranked by {measure} ({left} code is left):",
            "Advice for guess {guess}, ranked by {measure} ({left} codes are left):",
            advice.left,
        )
    left = format_count(advice.left, estimated=advice.estimated)
    yield heading.format(guess=advice.guess, measure=_(MEASURE_NAMES[by]), left=left)
    yield from list_guesses(advice.guesses, rules, estimated=advice.estimated)


def list_guesses(
    guesses: Iterable[GuessMeasures], rules: Rules, *, estimated: bool
) -> Iterator[str]:
    """Yield a numbered line for each of the best next guesses, with its expected effect."""
    for number, guess in enumerate(guesses, start=1):
        effect = _describe_effect(guess, estimated=estimated)
        yield f"{number:2}  {format_pegs(guess.code, rules)}  {effect}"


def _describe_effect(guess: GuessMeasures, *, estimated: bool) -> str:
    """Return the expected effect of an advised guess, with its figures."""
    write_count = partial(format_count, estimated=estimated)
    size = format_mean_count(guess.size, estimated=estimated)
    return _("{leaves}, {chance}; {figures}").format(
        leaves=_("leaves {size}").format(size=size),
        chance=_("may be the code") if guess.possible else _("cannot be the code"),
        figures=ngettext(
            "{bits} bits, worst {worst}, {parts} part",
            "{bits} bits, worst {worst}, {parts} parts",
            guess.parts,
        ).format(
            bits=_format_bits(guess.bits, estimated=estimated),
            worst=write_count(guess.worst),
            parts=write_count(guess.parts),
        ),
    )


def describe_review(
    turns: Sequence[ReviewedGuess], match: Match, number: int, me: str | None
) -> Iterator[str]:
    """Yield the review of a round: the verdict on the round, then each guess with its figures.

    `number` is the number of the round, and `me` the reader's id, or None for a spectator.
    """
    played, rules = match.played[number - 1], match.rules
    judged = judge_round(turns, played, rules)
    you = _("Review of round {number}, your guesses:")
    other = _("Review of round {number}, guesses of {name}:")
    yield choose_sentence(match, played.breaker, me, you, other, number=number)
    if judged:
        yield describe_verdict(judged, match, played, me) + "."
    for guess in judged:
        yield _format_judged(guess, rules)
        for line in _describe_judged(guess, rules):
            yield f"    {line}"


def _format_judged(guess: JudgedGuess, rules: Rules) -> str:
    """Return a guess and the verdict on it, as one line."""
    text = (
        _("{number:2}  {code}  {verdict}, with advice")
        if guess.advised
        else _("{number:2}  {code}  {verdict}")
    )
    code = format_pegs(guess.review.guess.code, rules)
    return text.format(number=guess.number, code=code, verdict=format_verdict(guess))


def _describe_judged(guess: JudgedGuess, rules: Rules) -> Iterator[str]:
    """Yield the sentences about a guess, then its figures."""
    yield describe_remaining(guess)
    if better := describe_better_guess(guess):
        code = format_pegs(better.code, rules) if better.code is not None else ""
        yield f"{better.before}{code}{better.after}"
    if exclusion := describe_exclusion(guess):
        yield exclusion
    yield "; ".join(list_figures(guess))
