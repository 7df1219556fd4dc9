"""How well a round was played, in words: a verdict on each guess, and the sentences about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.language import Decimal, ngettext
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.players import say_of
from mastermind_protocol.match import find_excluding_guess

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Match, Round
    from mastermind_protocol.messages import Reviewed
    from mastermind_protocol.rules import Rules

EXCELLENT, GOOD, WEAK = 0.97, 0.85, 0.1  # the least part of the best guess's expected bits
SUPERBLY, WELL, FAIRLY = 95, 85, 70  # the least mean of a round, in 100
LUCKY, VERY_LUCKY = 0.5, 1.5  # bits above expectation
MANY = 10  # codes, from which on a mean of them is told without its fraction


class Verdict(Enum):
    """What is said of a guess, the best first."""

    FOUND = N_("found it")
    EXCELLENT = N_("excellent")
    GOOD = N_("good")
    WEAK = N_("weak")
    WASTED = N_("wasted")


class Luck(Enum):
    """Whether feedback brought more than was to be expected."""

    LUCKY = N_("lucky")
    EVEN = ""
    UNLUCKY = N_("unlucky")


@dataclass(frozen=True, slots=True)
class Judged:
    """A guess of a round, and what is thought of it.

    `worth` is the part, 0 to 1, of the bits that the best guess promised. `excluded` is the number
    of the earlier guess that ruled it out, `found` whether it was the code.
    """

    number: int
    said: Reviewed
    worth: float
    found: bool
    excluded: int | None = None
    advised: bool = False

    @property
    def verdict(self) -> Verdict:
        """The verdict on it: in one word, before any figure."""
        if self.found:
            return Verdict.FOUND
        if self.worth >= EXCELLENT:
            return Verdict.EXCELLENT
        if self.worth >= GOOD:
            return Verdict.GOOD
        return Verdict.WEAK if self.worth >= WEAK else Verdict.WASTED

    @property
    def luck(self) -> Luck:
        """The word for its luck."""
        if self.said.luck >= LUCKY:
            return Luck.LUCKY
        return Luck.UNLUCKY if self.said.luck <= -LUCKY else Luck.EVEN


class Better(NamedTuple):
    """A sentence on what was better: a `code` stands in it between two texts, or none does."""

    before: str
    code: Code | None = None
    after: str = ""


def judge_round(said: Sequence[Reviewed], played: Round, rules: Rules) -> tuple[Judged, ...]:
    """Judge the guesses of a round of which the bots have said something, from the first on."""
    return tuple(
        Judged(
            number,
            reviewed,
            worth=_weigh(reviewed, found=turn.feedback.black == rules.pegs),
            found=turn.feedback.black == rules.pegs,
            excluded=(
                None
                if reviewed.guess.possible
                else find_excluding_guess(turn.code, played.turns[: number - 1])
            ),
            advised=number in played.advised,
        )
        for number, (reviewed, turn) in enumerate(zip(said, played.turns, strict=False), start=1)
    )


def _weigh(said: Reviewed, *, found: bool) -> float:
    """Return what a guess is worth; where the code is known, only the code itself is."""
    if found:
        return 1.0
    return min(1.0, said.guess.bits / said.best.bits) if said.best.bits > 0 else 0.0


def find_mean(judged: Sequence[Judged]) -> int:
    """Return the mean worth of the guesses, 0 to 100: 100 only if no guess was better.

    Raises ValueError without a guess.
    """
    if not judged:
        raise ValueError("no guess, no mean")
    mean = round(100 * sum(guess.worth for guess in judged) / len(judged))
    return min(mean, 99) if any(guess.worth < 1 for guess in judged) else mean


_PLAYED: Mapping[int, tuple[str, str]] = MappingProxyType(
    {
        SUPERBLY: (N_("you played superbly"), N_("{name} played superbly")),
        WELL: (N_("you played well"), N_("{name} played well")),
        FAIRLY: (N_("you played fairly"), N_("{name} played fairly")),
        0: (N_("you will do better"), N_("{name} will do better")),
    }
)
_FORTUNES: Sequence[tuple[float, tuple[str, str]]] = (
    (VERY_LUCKY, (N_("were very lucky"), N_("was very lucky"))),
    (LUCKY, (N_("were lucky"), N_("was lucky"))),
)
_MISFORTUNES: Sequence[tuple[float, tuple[str, str]]] = (
    (VERY_LUCKY, (N_("were very unlucky"), N_("was very unlucky"))),
    (LUCKY, (N_("were unlucky"), N_("was unlucky"))),
)


def write_verdict(judged: Sequence[Judged], match: Match, played: Round, me: str | None) -> str:
    """Return the verdict on a round: ``93 of 100: you played well, and were lucky``."""
    mean = find_mean(judged)
    you, other = next(words for least, words in _PLAYED.items() if mean >= least)
    told = say_of(match, played.breaker, me, _(you), _(other))
    luck = sum(guess.said.luck for guess in judged)
    for least, (mine, theirs) in _FORTUNES if luck > 0 else _MISFORTUNES:
        if abs(luck) >= least:
            fortune = _(mine) if played.breaker == me else _(theirs)
            told = _("{played}, and {fortune}").format(played=told, fortune=fortune)
            break
    return _("{mean} of 100: {told}").format(mean=mean, told=told)


def write_word(judged: Judged) -> str:
    """Return the verdict on a guess with its luck, for a line: ``good, lucky``."""
    words = [_(judged.verdict.value)]
    if judged.luck is not Luck.EVEN:
        words.append(_(judged.luck.value))
    return ", ".join(words)


def head_guess(judged: Judged) -> str:
    """Return the heading over what is said of a guess: ``Guess 2: good``."""
    text = (
        _("Guess {number}: {verdict}, with advice")
        if judged.advised
        else _("Guess {number}: {verdict}")
    )
    return text.format(number=judged.number, verdict=_(judged.verdict.value))


def tell_left(judged: Judged, *, short: bool = False) -> str:
    """Say what a guess left, beside what it would have left on average; in `short` without that."""
    said, luck = judged.said, judged.luck
    if judged.found and said.before == 1:
        return _("It was the only code that was left.")
    if judged.found:
        text = (
            _("It was the code, one of {before} that were left: lucky.")
            if luck is Luck.LUCKY
            else _("It was the code, one of {before} that were left.")
        )
        return text.format(before=said.before)
    if not said.guess.bits:
        return _("It could bring nothing new.")
    left = ngettext(
        "It left {after} code of {before}", "It left {after} codes of {before}", said.after
    ).format(after=said.after, before=said.before)
    word, size = _(luck.value) if luck is not Luck.EVEN else "", _write_size(said.guess.size)
    if short:
        return f"{left}: {word}." if word else f"{left}."
    average = _("On average it would have left {size}").format(size=size)
    return f"{left}. {average}: {word}." if word else f"{left}. {average}."


def tell_better(judged: Judged, *, short: bool = False) -> Better | None:
    """Say what was better than a guess, in `short` without why; None of the right one."""
    said, best = judged.said, judged.said.best
    if judged.found:
        return None
    if said.guess.code == best.code or said.guess.bits >= best.bits > 0:
        return Better(_("No guess was better."))
    if said.before == 1:
        text = _("Better was {code}: it was the only code that was left.")
    elif short:
        text = _("Better was {code}, which leaves {size}.")
    elif best.possible:
        text = _("Better was {code}, which leaves {size} and might have been the code.")
    else:
        text = _("Better was {code}, which leaves {size}, though it could not be the code.")
    before, _code, after = text.partition("{code}")
    return Better(before, best.code, after.format(size=f"{Decimal(best.size):.1f}"))


def tell_excluded(judged: Judged, *, short: bool = False) -> str:
    """Say which earlier guess ruled a guess out, perhaps in `short`; empty if none did."""
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


def list_figures(judged: Judged) -> list[str]:
    """Return the figures of a guess: bits, sizes, luck."""
    said, best = judged.said, judged.said.best
    return [
        _("{earned:.2f} bits, {bits:.2f} expected, best {best:.2f}").format(
            earned=Decimal(said.earned), bits=Decimal(said.guess.bits), best=Decimal(best.bits)
        ),
        _("size {size:.1f}, best {best:.1f}").format(
            size=Decimal(said.guess.size), best=Decimal(best.size)
        ),
        _("luck {luck:+.2f}").format(luck=Decimal(said.luck)),
    ]


def _write_size(size: float) -> str:
    """Return a mean number of codes: whole ones if they are many."""
    return f"{Decimal(size):.1f}" if size < MANY else f"{size:.0f}"
