"""Nothing of the secret reaches anybody but its codemaker before the round is over.

The same match, with the same chat, is played twice, on two servers, with two secrets that give the
same feedback to every guess. Whoever is not the codemaker must be sent the very same bytes both
times, but for the commitment, which is random to them.
"""

from __future__ import annotations

import itertools
import tempfile
from contextlib import AsyncExitStack
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manual_clock import HurryingClock
from mastermind_protocol.codec import decode_message
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import Player, SecretSet
from mastermind_protocol.feedback import score
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Chat, Happened, Said
from mastermind_protocol.requests import Archive, Guess, Join, Rematch, Resign, Say, Secret
from mastermind_protocol.rules import find_rules
from mastermind_protocol.transitions import Decision, decide
from mastermind_server.matches import table
from mastermind_server.matches.views import show
from mastermind_server.storage.store import Store
from strategies import codes_of
from wire import Dice, Hall, Wire

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_protocol.code import Code
    from mastermind_protocol.commands import Command
    from mastermind_protocol.events import AnyEvent
    from mastermind_protocol.match import Match

NAMES = ("maker", "breaker", "early", "late")
TOKENS = {name: f"{name:-<43}" for name in NAMES}
SMALL = (
    "classic",
    "eight",
    "lab",
    "knuth",
    "mini",
    "thirteen",
    "2x4",
    "3x2",
    "3x3/20",
    "5x2",
    "6x3",
)


@dataclass(frozen=True)
class Script:
    """What is played: the guesses, and after which of them somebody joins or reconnects."""

    rules: str
    guesses: tuple[Code, ...]
    late: int
    resumed: int
    known: int


@st.composite
def scripts(draw: st.DrawFn) -> tuple[Script, Code, Code]:
    """Draw a script and two secrets that it cannot tell apart."""
    rules = find_rules(draw(st.sampled_from(SMALL)))
    first = draw(codes_of(rules))
    second = draw(st.permutations(first).map(tuple) | codes_of(rules))
    if second == first:
        second = ((first[0] + 1) % rules.colours, *first[1:])
    everything = itertools.product(range(rules.colours), repeat=rules.pegs)
    alike = [code for code in everything if score(first, code) == score(second, code)]
    most = min(8, rules.limit - 1)
    guesses = draw(st.lists(st.sampled_from(alike), max_size=most)) if alike else []
    moments = st.integers(0, len(guesses))
    script = Script(rules.name, tuple(guesses), draw(moments), draw(moments), draw(moments))
    return script, first, second


async def register_all(database: Path) -> None:
    """Make a database that knows the same players as every other one that this makes."""
    store = await Store.open(database)
    for name in NAMES:
        player = Player(id=f"id-{name}", name=name)
        await store.add_player(player, sha256(TOKENS[name].encode()).digest(), 0)
    await store.close()


async def play(script: Script, secret: Code) -> dict[str, list[bytes]]:
    """Play the script against a secret; return the frames that everybody else was sent."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        hall = Hall(folder)
        await register_all(hall.database)
        stack.push_async_callback(hall.close)
        hall.clock = HurryingClock()  # the spectators are told of at once
        await hall.start(random=Dice(0))
        maker, breaker, early, late = [await hall.meet(token=TOKENS[name]) for name in NAMES]
        match = (await maker.open(rules=script.rules, rounds=2)).match
        await breaker.join(match)
        await early.follow(match)
        await early.say(match, "It will be blue.")
        await breaker.say(match, phrase=1)
        await maker.turn(match)
        answer = await maker.ask(maker.new(Secret, match=match, code=secret))
        await breaker.turn(match)

        resumed = await hall.connect(breaker.ids)
        for moment, guess in enumerate([*script.guesses, None]):
            if moment == script.late:
                await late.follow(match)
                await late.say(match, "Blue it is.")
            if moment == script.resumed:
                await resumed.hello(token=breaker.token)
                await resumed.follow(match, 2 + min(script.known, moment))
            if guess is not None:
                await breaker.ask(breaker.new(Guess, match=match, code=guess))
        await breaker.say(match, "Hm.")
        await breaker.advise(match)
        await provoke(breaker, match)
        await provoke(early, match)
        for person in (breaker, early, late, resumed):
            await person.list("running")  # when that is answered, all the rest has come
            assert breaker.matches[match].phase is Phase.BREAKING
        for person in (breaker, resumed):
            assert words_of(person) <= {None, "Hm."}  # what spectators say is not for them yet
        assert words_of(early) == {None, "Hm.", "It will be blue.", "Blue it is."}
        others = {"breaker": breaker, "early": early, "late": late, "resumed": resumed}
        assert isinstance(answer, Happened)
        (shown,) = answer.events
        assert isinstance(shown, SecretSet)
        return {name: masked(wire, shown) for name, wire in others.items()}


def words_of(wire: Wire) -> set[str | None]:
    """Return what a connection was told that somebody said; None stands for a phrase."""
    told: set[str | None] = set()
    for message in map(decode_message, wire.frames):
        if isinstance(message, Said):
            told.add(message.line.text)
        elif isinstance(message, Chat):
            told.update(line.text for line in message.lines)
    return told


async def provoke(wire: Wire, match: str) -> None:
    """Ask for much that is refused: an error must not tell anything either."""
    version = wire.versions[match]
    rules = wire.matches[match].rules
    for kind, fields in (
        (Secret, {"v": version, "code": (0,) * rules.pegs}),
        (Guess, {"v": version + 1, "code": (0,) * rules.pegs}),
        (Guess, {"v": version, "code": (11,) * rules.pegs}),
        (Guess, {"v": version, "code": (0,)}),
        (Resign, {"v": version - 1}),
        (Rematch, {}),
        (Say, {"text": "\x1b"}),
        (Say, {}),
    ):
        await wire.refused(kind, match=match, **fields)
    await wire.refused(Archive, before=match)
    await wire.archive()
    await wire.ask(wire.new(Join, match=match))
    await wire.follow(match, 1)


def masked(wire: Wire, secret: SecretSet) -> list[bytes]:
    commitment = secret.commitment
    assert commitment is not None
    return [frame.replace(commitment, b"?" * len(commitment)) for frame in wire.frames]


async def compare(script: Script, first: Code, second: Code) -> None:
    """Assert that nobody can tell the two secrets apart."""
    seen, other = await play(script, first), await play(script, second)
    for name in seen:
        assert seen[name] == other[name], f"{name} can tell {first} from {second}"


@given(scripts())
@settings(max_examples=8)
async def test_two_secrets_with_the_same_feedback_look_the_same_to_everybody(
    drawn: tuple[Script, Code, Code],
) -> None:
    await compare(*drawn)


EXAMPLE = Script("classic", ((0, 0, 1, 1), (2, 2, 3, 3)), late=1, resumed=1, known=0)
FIRST, SECOND = (4, 5, 4, 5), (5, 4, 5, 4)


def show_all(events: tuple[AnyEvent, ...], viewer: str | None) -> tuple[AnyEvent, ...]:
    del viewer
    return events


def show_spectators(events: tuple[AnyEvent, ...], viewer: str | None) -> tuple[AnyEvent, ...]:
    return show(events, viewer) if viewer in ("id-maker", "id-breaker") else events


def show_breaker(events: tuple[AnyEvent, ...], viewer: str | None) -> tuple[AnyEvent, ...]:
    return events if viewer == "id-breaker" else show(events, viewer)


def tell_in_errors(match: Match, command: Command, by: str) -> Decision | Refused:
    outcome = decide(match, command, by)
    if isinstance(outcome, Refused) and match.current and match.current.secret:
        return Refused.told(
            outcome.code, f"no, {sum(match.current.secret[::2])}", field=outcome.field
        )
    return outcome


async def test_the_example_shows_nobody_anything() -> None:
    await compare(EXAMPLE, FIRST, SECOND)


@pytest.mark.parametrize(
    ("name", "leak"),
    [
        ("show", show_all),
        ("show", show_spectators),
        ("show", show_breaker),
        ("decide", tell_in_errors),
    ],
)
async def test_a_leak_would_be_noticed(
    monkeypatch: pytest.MonkeyPatch, name: str, leak: Callable[..., object]
) -> None:
    monkeypatch.setattr(table, name, leak)
    with pytest.raises(AssertionError, match="can tell"):
        await compare(EXAMPLE, FIRST, SECOND)
