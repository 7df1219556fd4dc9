"""Nothing of the secret reaches anybody by way of another node either.

The codemaker is on one node, the codebreaker on another, a spectator on a third. The same match is
played twice, with two secrets that give the same feedback: from the secret on, the others must be
sent the very same bytes, but for what tells the two matches apart and the commitments.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import count
from typing import TypeAlias

import pytest

from kit.client import Wire
from kit.matches import pegs
from kit.server import Hall
from mastermind_protocol.events import SecretSet
from mastermind_protocol.messages import Said
from mastermind_protocol.requests import Guess, Rematch, Resign, Secret
from mastermind_server.matches.tables import table
from mastermind_server.matches.tables.views import show

StartNode: TypeAlias = Callable[..., Awaitable[Hall]]

GUESSES = ("1122", "3344")
FIRST, SECOND = "5656", "6565"


async def until_all_have(wires: tuple[Wire, ...], match: str, version: int) -> None:
    """Return when everybody was told of a version: what follows is in its order for all."""
    for wire in wires:
        while wire.versions[match] < version:
            await wire.next()


async def play(nodes: list[Hall], secret: str) -> dict[str, list[bytes]]:
    """Play a match; return the frames that all but the codemaker were sent since the secret."""
    names = ("Maker", "Breaker", "Spectator")
    people = [await hall.meet(name) for hall, name in zip(nodes, names, strict=True)]
    maker, breaker, spectator = people
    everybody = (maker, breaker, spectator)
    match = (await maker.open(rounds=2)).match
    await spectator.follow(match)
    await breaker.join(match)
    await until_all_have(everybody, match, 2)
    for wire in everybody:
        log = await wire.follow(match)
        while (log.present, log.spectators) != ((maker.id, breaker.id), 1):
            log = await wire.follow(match)  # who is where is told in its own time
        wire.ids = count(1000)
    begun = [len(wire.frames) for wire in everybody]
    (hidden,) = (await maker.set(match, secret)).events
    assert isinstance(hidden, SecretSet)
    await until_all_have(everybody, match, 3)
    for number, guess in enumerate(GUESSES, 4):
        await breaker.guess(match, guess)
        await until_all_have(everybody, match, number)
    await breaker.advise(match)
    await until_all_have(everybody, match, 6)
    await maker.say(match, "Hm.")
    for wire in (breaker, spectator):
        await wire.until(Said)
        for kind, fields in (
            (Secret, {"code": pegs("1111")}),
            (Guess, {"v": 5, "code": pegs("1111")}),
            (Guess, {"code": pegs("11")}),
            (Resign, {"v": 2}),
            (Rematch, {}),
        ):
            await wire.refused(kind, match=match, **fields)
        await wire.follow(match, 2)
    masks = (match, *(wire.id for wire in everybody), hidden.commitment)
    return {
        name: [mask(frame, masks) for frame in wire.frames[start:]]
        for name, wire, start in zip(names[1:], people[1:], begun[1:], strict=True)
    }


def mask(frame: bytes, secrets: tuple[str | bytes | None, ...]) -> bytes:
    for number, known in enumerate(secrets):
        text = known.encode() if isinstance(known, str) else known
        assert text is not None
        frame = frame.replace(text, b"%d" % number)
    return frame


async def compare(start_node: StartNode) -> None:
    nodes = [await start_node() for _ in range(3)]
    first, second = await play(nodes, FIRST), await play(nodes, SECOND)
    for name, frames in first.items():
        assert frames == second[name], f"the {name} can tell {FIRST} from {SECOND}"


async def test_two_secrets_with_the_same_feedback_look_the_same_on_other_nodes(start_node):
    await compare(start_node)


async def test_a_leak_by_way_of_another_node_would_be_noticed(start_node, monkeypatch):
    def show_spectators(events, viewer):
        return events if viewer is None else show(events, viewer)

    monkeypatch.setattr(table, "show", show_spectators)
    with pytest.raises(AssertionError, match="can tell"):
        await compare(start_node)
