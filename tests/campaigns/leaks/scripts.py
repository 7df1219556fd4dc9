"""Generate random scripts of matches, each with two secrets.

All guesses of a script get the same feedback from both secrets, so only the codemaker may be able
to distinguish the secrets.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from random import Random
from typing import TypeAlias, get_args

import msgspec
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from kit.strategies import codes_of, values_of
from mastermind_protocol.code import Code
from mastermind_protocol.days import DAY_RULES
from mastermind_protocol.feedback import score
from mastermind_protocol.requests import AnyRequest, Request
from mastermind_protocol.rules import PRESETS, Rules, find_rules
from mastermind_server.bots import find_bot

CUSTOM = (
    *("2x4", "1x12", "3x2", "3x3/20", "5x2", "6x3/3", "5x8", "9x12/99", "6x10", "4x6/1"),
    *("3x5u", "9x12u"),
)
REQUESTS_OF_A_KIND = 12
FEW = 1296  # codes at most, to search all of them for guesses
REQUESTS: tuple[type[Request], ...] = get_args(AnyRequest)


class Opening(StrEnum):
    """The ways to open a match and fill its seats."""

    MAKER_OPENS = "the codemaker opens"
    BREAKER_OPENS = "the codebreaker opens"
    SEEK = "both seek"
    REMATCH = "a rematch"
    BOT = "a bot makes the code"
    SEEDED = "a seed makes the code"
    DEVIOUS = "devious makes none"
    SOLVER = "a bot breaks the code"
    BOTS = "two bots"
    DAY = "a try at the code of the day"


ALONE = (Opening.BOT, Opening.SEEDED, Opening.DEVIOUS, Opening.DAY)  # the server has the code
WITHOUT_SCRIPT = (Opening.SOLVER, Opening.BOTS)  # a bot chooses the guesses


class Ending(StrEnum):
    """The ways in which a round ends, which reveals its secret."""

    RESIGNED = "resigned"
    BREAKER_LEAVES = "the codebreaker leaves"
    MAKER_LEAVES = "the codemaker leaves"
    EXHAUSTED = "no guess is left"
    TIME = "the time is over"


class Who(StrEnum):
    """The clients. All except the codemaker must receive the same bytes for both secrets."""

    MAKER = "maker"
    BREAKER = "breaker"
    SECOND = "second"  # the codebreaker's second connection
    EARLY = "early"  # a spectator from the beginning
    LATE = "late"  # a spectator from its first step
    STRANGER = "stranger"  # follows the match only on request
    PROGRAM = "program"  # a spectator that declares itself a program


SEATED = (Who.MAKER, Who.BREAKER, Who.SECOND)


class Action(StrEnum):
    """An action other than a valid request."""

    GARBAGE = "sends invalid bytes"
    TEXT = "sends text"
    LARGE = "sends too large a frame"
    ABUSE = "sends garbage until the server disconnects it"
    DROP = "drops the connection"
    FAREWELL = "closes the connection"
    AGAIN = "repeats its last frame"
    REUSE = "sends another request with the same id"
    WAIT = "waits a minute, or some seconds while a clock runs"


_ACTIONS: st.SearchStrategy[Action] = st.sampled_from(Action)


@dataclass(frozen=True)
class Ask:
    """A request with a new id, mostly for this match (`here`), `off` from its real version."""

    request: Request
    here: bool
    off: int


LIVE_CLOCK = "5+3"


@dataclass(frozen=True)
class Step:
    """A request or action of one client."""

    who: Who
    what: Ask | Action


@dataclass(frozen=True)
class Script:
    """A match without its secret: `steps` run before the secret, before each guess, and last.

    The last steps of a try run again after its end, because its code remains secret.
    """

    rules: str
    opening: Opening
    public: bool
    rated: bool
    clock: str | None
    rounds: int
    before: int  # finished rounds before the compared one
    guesses: tuple[Code, ...]
    steps: tuple[tuple[Step, ...], ...]
    ending: Ending
    seeds: tuple[int, int] = (0, 0)
    exported: bool = False  # the codebreaker's data, before the round ends
    rival: bool = False  # the codemaker has a try, too, and breaks one of the two codes at once


Pair: TypeAlias = "tuple[Script, Code, Code]"


def fits(first: Code, second: Code, guess: Code) -> bool:
    """Return whether `guess` gets the same feedback from two codes and equals neither."""
    return guess not in (first, second) and score(first, guess) == score(second, guess)


def pairs() -> st.SearchStrategy[Pair]:
    """Return a strategy for scripts with two secrets that give the same feedback."""
    list_requests()
    return _pairs()


@st.composite
def _pairs(draw: st.DrawFn) -> Pair:
    opening = draw(st.sampled_from(Opening))
    days = opening is Opening.DAY
    rules = find_rules(draw(st.sampled_from(DAY_RULES if days else (*PRESETS, *CUSTOM))))
    if opening in WITHOUT_SCRIPT and rules.codes > 2 * FEW:
        rules = find_rules("classic")  # bots are slow for more codes
    seeds = draw(st.tuples(st.integers(0, 2**32), st.integers(0, 2**32)))
    first, second = draw(_secrets(rules))
    if opening is Opening.SEEDED:
        first, second = (make_by_seed(rules, seed) for seed in seeds)
    guesses = draw(_guesses(rules, first, second))
    if opening is Opening.DEVIOUS:
        guesses = guesses[:2]  # too few to find a code that changes
    people = opening not in (*ALONE, *WITHOUT_SCRIPT)
    rated = people and rules.guesses is not None and draw(st.booleans())
    clocks = (None, None, LIVE_CLOCK, "3d/move")
    clock = LIVE_CLOCK if rated else None if days else draw(st.sampled_from(clocks))
    once = opening in (*WITHOUT_SCRIPT, *ALONE)  # some bots cannot take each seat under all rules
    rounds = 1 if once else 2 if rated else draw(st.sampled_from((1, 1, 2, 3)))
    before = draw(st.integers(0, rounds - 1))
    endings = [Ending.RESIGNED, Ending.BREAKER_LEAVES]
    endings += [Ending.MAKER_LEAVES] * (opening not in ALONE)
    endings += [Ending.TIME] * (clock == LIVE_CLOCK)
    spare = draw(_guesses(rules, first, second)) if len(guesses) == rules.guess_limit - 1 else ()
    ending = draw(st.sampled_from(endings))
    if spare:
        guesses, ending = (*guesses, spare[0]), Ending.EXHAUSTED
    moments = len(guesses) + 2
    steps = tuple(tuple(draw(st.lists(_steps(rules), max_size=3))) for _ in range(moments))
    script = Script(
        rules.name, opening, draw(st.booleans()), rated, clock, rounds, before, guesses, steps,
        ending, seeds, exported=draw(st.integers(0, 15)) == 15, rival=days and draw(st.booleans()),
    )  # fmt: skip
    return script, first, second


def make_by_seed(rules: Rules, seed: int) -> Code:
    """Return the code that a bot makes in a match with `seed`."""
    return find_bot("random").make_secret(rules, Random(seed))  # noqa: S311 - the server uses the same generator


@st.composite
def _secrets(draw: st.DrawFn, rules: Rules) -> tuple[Code, Code]:
    first = draw(codes_of(rules))
    second = draw(st.permutations(first).map(tuple) | codes_of(rules))
    if second == first:
        second = tuple((colour + 1) % rules.colours for colour in first)
    return first, second


@st.composite
def _guesses(draw: st.DrawFn, rules: Rules, first: Code, second: Code) -> tuple[Code, ...]:
    most = min(6, rules.guess_limit - 1)
    if rules.codes <= FEW:
        alike = [code for code in rules.space.iterate_codes() if fits(first, second, code)]
    else:
        plain = [(colour,) * rules.pegs for colour in range(rules.colours) if rules.repeats]
        drawn = draw(st.lists(codes_of(rules), max_size=12))
        alike = [code for code in (*plain, *drawn) if fits(first, second, code)]
    return tuple(draw(st.lists(st.sampled_from(alike), max_size=most))) if alike else ()


def _steps(rules: Rules) -> st.SearchStrategy[Step]:
    return st.builds(Step, st.sampled_from(Who), _asks(rules) | _asks(rules) | _ACTIONS)


@st.composite
def _asks(draw: st.DrawFn, rules: Rules) -> Ask:
    request = draw(st.sampled_from(draw(st.sampled_from(list_requests()))))
    if "code" in request.__struct_fields__ and draw(st.booleans()):
        request = msgspec.structs.replace(request, code=draw(codes_of(rules)))
    here, off = draw(st.sampled_from((True, True, False))), draw(st.sampled_from((0, 0, -1, 1)))
    return Ask(request, here, off)


@cache
def list_requests() -> tuple[tuple[Request, ...], ...]:
    """Return random valid requests, one tuple for each type.

    They are drawn once, because Hypothesis limits the data of one example.
    """
    return tuple(tuple(_draw_requests(kind)) for kind in REQUESTS)


def list_kinds() -> list[str]:
    """Return the wire names of all requests."""
    return [str(kind.__struct_config__.tag) for kind in REQUESTS]


def _draw_requests(kind: type[Request]) -> list[Request]:
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
