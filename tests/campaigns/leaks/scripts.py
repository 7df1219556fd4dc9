"""Random matches: what is played, what everybody else does meanwhile, and two secrets.

A script says all but the secret. Whatever it guesses gets the same feedback from either secret, so
that nobody but the codemaker may see which of them it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import product
from random import Random
from typing import TypeAlias, get_args

import msgspec
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from kit.strategies import codes_of, values_of
from mastermind_protocol.code import Code
from mastermind_protocol.feedback import score
from mastermind_protocol.requests import AnyRequest, Request
from mastermind_protocol.rules import PRESETS, Rules, find_rules
from mastermind_server.bots import find_bot

CUSTOM = ("2x4", "1x12", "3x2", "3x3/20", "5x2", "6x3/3", "5x8", "9x12/99", "6x10", "4x6/1")
REQUESTS_OF_A_KIND = 12
FEW = 1296  # codes, among which all that fit can be listed
REQUESTS: tuple[type[Request], ...] = get_args(AnyRequest)


class Opening(StrEnum):
    """Who plays, and how they found each other."""

    MAKER_OPENS = "the codemaker opens"
    BREAKER_OPENS = "the codebreaker opens"
    SEEK = "both seek"
    REMATCH = "a rematch"
    BOT = "a bot makes the code"
    SEEDED = "a seed makes the code"
    DEVIOUS = "devious makes none"
    SOLVER = "a bot breaks the code"
    BOTS = "two bots"


ALONE = (Opening.BOT, Opening.SEEDED, Opening.DEVIOUS)  # the codebreaker plays with a bot
WITHOUT_SCRIPT = (Opening.SOLVER, Opening.BOTS)  # what is guessed is the bot's to choose


class Ending(StrEnum):
    """How the round ends: only then may somebody see the secret."""

    RESIGNED = "resigned"
    BREAKER_LEAVES = "the codebreaker leaves"
    MAKER_LEAVES = "the codemaker leaves"
    EXHAUSTED = "no guess is left"


class Who(StrEnum):
    """Who does something. All but the codemaker are to see the same."""

    MAKER = "maker"
    BREAKER = "breaker"
    SECOND = "second"  # connection of the codebreaker's
    EARLY = "early"  # looks on from the beginning
    LATE = "late"  # looks on from the first time it does something
    STRANGER = "stranger"  # follows nothing unless it asks for it
    PROGRAM = "program"  # looks on, and says that it is one


SEATED = (Who.MAKER, Who.BREAKER, Who.SECOND)


class Act(StrEnum):
    """What is done that is no request."""

    GARBAGE = "sends bytes that say nothing"
    TEXT = "sends text"
    LARGE = "sends a frame that is too large"
    ABUSE = "sends garbage until it is cut off"
    DROP = "is cut off"
    FAREWELL = "closes the connection"
    AGAIN = "sends the same again"
    REUSE = "asks for something else by the same id"
    WAIT = "waits a minute"


_ACTS: st.SearchStrategy[Act] = st.sampled_from(Act)


@dataclass(frozen=True)
class Ask:
    """A request, as it is but for its id; its match is this one and its version `off` the real."""

    request: Request
    here: bool
    off: int


@dataclass(frozen=True)
class Step:
    """Somebody does something."""

    who: Who
    what: Ask | Act


@dataclass(frozen=True)
class Script:
    """What is played but for the secret; `steps` come before it, before each guess, and last."""

    rules: str
    opening: Opening
    public: bool
    rated: bool
    rounds: int
    before: int  # rounds that are over, when the one begins that is looked at
    guesses: tuple[Code, ...]
    steps: tuple[tuple[Step, ...], ...]
    ending: Ending
    seeds: tuple[int, int] = (0, 0)
    exported: bool = False  # what is kept of the codebreaker, before the end


Pair: TypeAlias = "tuple[Script, Code, Code]"


def fits(first: Code, second: Code, guess: Code) -> bool:
    """Tell whether a guess gets the same feedback from both, and is neither."""
    return guess not in (first, second) and score(first, guess) == score(second, guess)


def pairs() -> st.SearchStrategy[Pair]:
    """Return the strategy of scripts with two secrets that they cannot tell apart."""
    list_requests()
    return _pairs()


@st.composite
def _pairs(draw: st.DrawFn) -> Pair:
    opening = draw(st.sampled_from(Opening))
    rules = find_rules(draw(st.sampled_from((*PRESETS, *CUSTOM))))
    if opening in (*WITHOUT_SCRIPT, Opening.DEVIOUS) and rules.codes > 2 * FEW:
        rules = find_rules("classic")  # what bots take long for is no other secret
    seeds = draw(st.tuples(st.integers(0, 2**32), st.integers(0, 2**32)))
    first, second = draw(_secrets(rules))
    if opening is Opening.SEEDED:
        first, second = (make_by_seed(rules, seed) for seed in seeds)
    guesses = draw(_guesses(rules, first, second))
    if opening is Opening.DEVIOUS:
        guesses = guesses[:2]  # by which nobody finds a code that evades
    rated = opening not in (*ALONE, *WITHOUT_SCRIPT) and draw(st.booleans())
    once = opening in (*WITHOUT_SCRIPT, *ALONE)  # bots may not sit in every seat of all rules
    rounds = 1 if once else draw(st.sampled_from((1, 1, 2, 3)))
    before = draw(st.integers(0, rounds - 1))
    endings = [Ending.RESIGNED, Ending.BREAKER_LEAVES]
    endings += [Ending.MAKER_LEAVES] * (opening not in ALONE)
    spare = draw(_guesses(rules, first, second)) if len(guesses) == rules.limit - 1 else ()
    ending = draw(st.sampled_from(endings))
    if spare:
        guesses, ending = (*guesses, spare[0]), Ending.EXHAUSTED
    moments = len(guesses) + 2
    steps = tuple(tuple(draw(st.lists(_steps(rules), max_size=3))) for _ in range(moments))
    script = Script(
        rules.name, opening, draw(st.booleans()), rated, rounds, before, guesses, steps, ending,
        seeds, exported=draw(st.integers(0, 15)) == 15,
    )  # fmt: skip
    return script, first, second


def make_by_seed(rules: Rules, seed: int) -> Code:
    """Return the code that a bot makes where a match was opened with a seed."""
    return find_bot("random").make(rules, Random(seed))  # noqa: S311 - as the server draws it


@st.composite
def _secrets(draw: st.DrawFn, rules: Rules) -> tuple[Code, Code]:
    first = draw(codes_of(rules))
    second = draw(st.permutations(first).map(tuple) | codes_of(rules))
    if second == first:
        second = ((first[0] + 1) % rules.colours, *first[1:])
    return first, second


@st.composite
def _guesses(draw: st.DrawFn, rules: Rules, first: Code, second: Code) -> tuple[Code, ...]:
    most = min(6, rules.limit - 1)
    if rules.codes <= FEW:
        everything = product(range(rules.colours), repeat=rules.pegs)
        alike = [code for code in everything if fits(first, second, code)]
    else:
        plain = [(colour,) * rules.pegs for colour in range(rules.colours)]
        drawn = draw(st.lists(codes_of(rules), max_size=12))
        alike = [code for code in (*plain, *drawn) if fits(first, second, code)]
    return tuple(draw(st.lists(st.sampled_from(alike), max_size=most))) if alike else ()


def _steps(rules: Rules) -> st.SearchStrategy[Step]:
    return st.builds(Step, st.sampled_from(Who), _asks(rules) | _asks(rules) | _ACTS)


@st.composite
def _asks(draw: st.DrawFn, rules: Rules) -> Ask:
    request = draw(st.sampled_from(draw(st.sampled_from(list_requests()))))
    if "code" in request.__struct_fields__ and draw(st.booleans()):
        request = msgspec.structs.replace(request, code=draw(codes_of(rules)))
    here, off = draw(st.sampled_from((True, True, False))), draw(st.sampled_from((0, 0, -1, 1)))
    return Ask(request, here, off)


@cache
def list_requests() -> tuple[tuple[Request, ...], ...]:
    """Return some requests of each kind, as the protocol allows them.

    They are drawn once, as what is drawn in one script is bounded.
    """
    return tuple(tuple(_draw_some(kind)) for kind in REQUESTS)


def list_kinds() -> list[str]:
    """Return what the requests are called on the wire."""
    return [str(kind.__struct_config__.tag) for kind in REQUESTS]


def _draw_some(kind: type[Request]) -> list[Request]:
    drawn: list[Request] = []

    @settings(
        max_examples=REQUESTS_OF_A_KIND, derandomize=True, database=None, deadline=None,
        phases=[Phase.generate],
    )  # fmt: skip
    @given(values_of(kind))
    def draw(request: Request) -> None:
        drawn.append(request)

    draw()
    return drawn
