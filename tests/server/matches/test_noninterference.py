"""Messages to a player depend on nothing that is hidden from that player.

A match is played twice, with two secrets that give the same feedback. From the secret to the end of
the round the codebreaker and a spectator receive the same bytes both times: rows, chat, advice,
lists, snapshots and refusals. Only the identifiers of the two matches and the commitments may
differ.
"""

import itertools
import re
from collections.abc import Callable, Sequence
from functools import partial

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from kit.client import RawClient
from kit.matches import pegs
from kit.server import GameServer
from kit.strategies import codes_of
from mastermind_protocol.code import Code
from mastermind_protocol.events import SecretSet
from mastermind_protocol.feedback import score
from mastermind_protocol.messages import Happened, Said
from mastermind_protocol.requests import (
    Guess,
    Leave,
    Rematch,
    Request,
    Resign,
    Review,
    Say,
    Secret,
)
from mastermind_protocol.rules import DEFAULT
from mastermind_server.matches.tables import row_messages
from mastermind_server.matches.tables.views import show

NAMES = ("Maker", "Breaker", "Spectator")
KINDS = ("guess", "advise", "refuse", "follow", "list", "Maker", "Breaker", "Spectator")
EVERYTHING = (
    "Maker",
    "guess",
    "advise",
    "Spectator",
    "refuse",
    "follow",
    "list",
    "Breaker",
    "guess",
)
REFUSED: tuple[tuple[type[Request], dict[str, object]], ...] = (
    (Secret, {"code": pegs("1111"), "v": 3}),
    (Guess, {"v": 2, "code": pegs("1111")}),
    (Guess, {"code": pegs("11")}),
    (Resign, {"v": 2}),
    (Rematch, {}),
    (Review, {}),
    (Say, {}),
)
# At the end of a line of chat, as encoded: nodes take it from the clock of the database.
CHAT_TIME = re.compile(
    rb"(?<=\xa2at)(?:[\x00-\x7f]|\xcc.|\xcd..)(?=\xa2id|\x87\xa4room|\Z)", re.DOTALL
)
CODES: tuple[Code, ...] = tuple(itertools.product(range(6), repeat=4))

guesses = st.lists(codes_of(DEFAULT), min_size=1, max_size=3)


class Game:
    """A match of three people, each on one of the halls, up to its secret."""

    def __init__(self, people: Sequence[RawClient], match: str) -> None:
        self.people, self.match = dict(zip(NAMES, people, strict=True)), match
        self.version = 2

    async def settle(self, *, said: Sequence[str] = ()) -> None:
        """Wait for the last row on each connection, and for a line of chat on those in `said`."""
        for name in said:
            await self.people[name].until(Said)
        for wire in self.people.values():
            while wire.versions[self.match] < self.version:
                await wire.next()

    async def do(self, kind: str, guess: Callable[[], Code]) -> None:
        """Do one step of a script, and wait for the messages to others."""
        breaker, match = self.people["Breaker"], self.match
        said: list[str] = []
        if kind == "guess":
            await breaker.ask(breaker.new(Guess, match=match, code=guess()))
            self.version += 1
        elif kind == "advise":
            before = breaker.versions[match]
            await breaker.advise(match)
            self.version += breaker.versions[match] > before
        elif kind == "refuse":
            for name in NAMES[1:]:
                for request, fields in REFUSED:
                    await self.people[name].refused(request, match=match, **fields)
            await self.people["Spectator"].refused(Leave, match=match)
        elif kind == "follow":
            for name in NAMES[1:]:
                await self.people[name].follow(match, 2)
        elif kind == "list":
            for name in NAMES[1:]:
                await self.people[name].archive()
                await self.people[name].snapshot(match)
        else:
            await self.people[kind].say(match, "Hm.")
            said = [name for name in NAMES if name != kind]
            if kind == "Spectator":
                said = []
        await self.settle(said=said)


async def play(
    halls: Sequence[GameServer], secret: Code, script: Sequence[str], guessed: Sequence[Code]
) -> dict[str, list[bytes]]:
    """Play a match; return the masked frames of all but the codemaker since the secret."""
    people = [await hall.meet(name) for hall, name in zip(halls, NAMES, strict=True)]
    maker, breaker, spectator = people
    match = (await maker.open(rounds=2, public=True)).match
    await spectator.follow(match)
    await breaker.join(match)
    game = Game(people, match)
    await game.settle()
    for wire in people:
        log = await wire.follow(match)
        while (set(log.present), log.spectators) != ({maker.id, breaker.id}, 1):
            log = await wire.follow(match)  # presence at other nodes is known a little later
        wire.ids = itertools.count(1000)
    begun = {name: len(wire.frames) for name, wire in game.people.items()}
    answer = await maker.ask(maker.new(Secret, match=match, code=secret))
    assert isinstance(answer, Happened)
    (hidden,) = answer.events
    assert isinstance(hidden, SecretSet)
    game.version = 3
    await game.settle()
    following = iter(guessed)
    for kind in script:
        await game.do(kind, partial(next, following))
    masks = (match, *(wire.id for wire in people), hidden.commitment)
    frames = {
        name: [mask(frame, masks) for frame in game.people[name].frames[begun[name] :]]
        for name in NAMES[1:]
    }
    for wire in people:
        await wire.close()
    return frames


def mask(frame: bytes, secrets: tuple[str | bytes | None, ...]) -> bytes:
    for number, known in enumerate(secrets):
        text = known.encode() if isinstance(known, str) else known
        assert text is not None
        frame = frame.replace(text, b"%d" % number)
    return CHAT_TIME.sub(b"", frame)


async def compare(
    halls: Sequence[GameServer],
    secrets: Sequence[Code],
    script: Sequence[str],
    guessed: Sequence[Code],
) -> None:
    first, second = [await play(halls, secret, script, guessed) for secret in secrets]
    for name, frames in first.items():
        assert frames == second[name], f"the {name} can tell {secrets[0]} from {secrets[1]}"


@settings(
    max_examples=12,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(guesses, codes_of(DEFAULT), st.lists(st.sampled_from(KINDS[1:]), max_size=6), st.data())
async def test_two_secrets_with_the_same_feedback_look_the_same(
    hall, guessed, secret, script, data
):
    feedback = [score(secret, guess) for guess in guessed]
    alike = [
        code
        for code in CODES
        if code not in (secret, *guessed) and [score(code, g) for g in guessed] == feedback
    ]
    assume(alike)
    assume(secret not in guessed)
    hall.clock.skip(3600)  # every rate limit has its burst again
    steps = data.draw(st.permutations([*script, *["guess"] * len(guessed)]))
    await compare([hall] * 3, (secret, data.draw(st.sampled_from(alike))), steps, guessed)


ALIKE = (pegs("5656"), pegs("6565"))
GUESSED = (pegs("1122"), pegs("3344"))


@pytest.mark.promise("spectator-at-node")
async def test_two_secrets_with_the_same_feedback_look_the_same_on_other_nodes(start_node):
    halls = [await start_node() for _ in range(3)]
    await compare(halls, ALIKE, EVERYTHING, GUESSED)


async def test_a_leak_would_be_noticed(hall, monkeypatch):
    def show_spectators(events, viewer):
        return events if viewer is None else show(events, viewer)

    monkeypatch.setattr(row_messages, "show", show_spectators)
    with pytest.raises(AssertionError, match="can tell"):
        await compare([hall] * 3, ALIKE, EVERYTHING, GUESSED)
