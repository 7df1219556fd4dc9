"""Concurrent requests of one player on two nodes, which must append a single row."""

from __future__ import annotations

import asyncio
from collections import Counter
from enum import StrEnum

from kit.client import RawClient
from kit.matches import SeededRandom
from mastermind_protocol.code import Code
from mastermind_protocol.messages import AnyMessage, Error, Happened
from mastermind_protocol.requests import Guess

COLLISIONS_PER_MATCH = 40
RULES = f"6x6/{COLLISIONS_PER_MATCH + 1}"


class Collision(StrEnum):
    """The kinds of request pairs sent to the two nodes."""

    TWO_MOVES = "two moves"
    ONE_TWICE = "one request twice"
    ONE_ID = "two moves under one id"


async def collide(here: str, there: str, *, times: int, seed: int) -> Counter[str]:
    """Send `times` pairs of guesses to the nodes at two addresses; return the counts of outcomes.

    Asserts that each pair appends one row, and that both nodes send the same events.
    """
    dice, outcomes = SeededRandom(seed), Counter[str]()
    ada, bob = await RawClient.connect(here), await RawClient.connect(here)
    await ada.hello("Ada")
    await bob.hello("Bob")
    other = await RawClient.connect(there, bob.ids)
    await other.hello(token=bob.token)
    match = ""
    for number in range(times):
        if number % COLLISIONS_PER_MATCH == 0:
            match = (await ada.open(rules=RULES)).match
            await bob.join(match)
            await ada.set(match, "111116")
            await bob.turn(match)
            await other.follow(match)
        outcomes[await _collide(bob, other, match, dice)] += 1
    for wire in (ada, bob, other):
        await wire.close()
    return outcomes


async def _collide(bob: RawClient, other: RawClient, match: str, dice: SeededRandom) -> str:
    version = bob.versions[match]
    kind = dice.choice(list(Collision))
    first = bob.new(Guess, match=match, code=_draw(dice))
    match kind:
        case Collision.TWO_MOVES:
            second = bob.new(Guess, match=match, code=_draw(dice))
        case Collision.ONE_TWICE:
            second = first
        case Collision.ONE_ID:
            second = bob.new(Guess, id=first.id, match=match, code=_draw(dice))
    answers = await asyncio.gather(bob.ask(first), other.ask(second))
    assert kind is not Collision.ONE_TWICE or answers[0] == answers[1]
    for wire in (bob, other):
        while wire.versions[match] == version:
            await wire.next()
        assert wire.versions[match] == version + 1
    assert bob.matches[match] == other.matches[match]
    return f"{kind}: {' and '.join(sorted(map(_name, answers)))}"


def _draw(dice: SeededRandom) -> Code:
    return (*dice.choices(range(6), k=5), 0)


def _name(answer: AnyMessage) -> str:
    if isinstance(answer, Happened):
        return "done"
    assert isinstance(answer, Error)
    return str((answer.details or {}).get("reason"))
