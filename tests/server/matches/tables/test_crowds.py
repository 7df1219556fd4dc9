"""Crowds of spectators delay no player, and each spectator receives each row once."""

from __future__ import annotations

import asyncio
import gc
import itertools
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from kit.client import PeerStub, RawClient
from kit.matches import SeededRandom, pegs
from mastermind_protocol.codec import encode
from mastermind_protocol.commands import GuessCode
from mastermind_protocol.events import Player, SecretSet
from mastermind_protocol.messages import AnyMessage, Happened, Log, Presence, Said, Spectators
from mastermind_protocol.requests import Say
from mastermind_server.broadcast import RECIPIENTS_PER_ITERATION
from mastermind_server.matches.tables import chat, followers, row_messages
from mastermind_server.matches.tables.followers import SPECTATOR_COUNT_SECONDS
from mastermind_server.matches.tables.table import Table

CROWD = 3 * RECIPIENTS_PER_ITERATION + 1


class Spectator(PeerStub):
    """A spectator's connection, which checks that it is sent each version once, and in order."""

    def __init__(self, number: int) -> None:
        super().__init__(Player(id=f"GUEST{number}", name="Guest"))
        self.version = 0

    def read(self) -> list[AnyMessage]:
        """Return the messages since the last call; fails if a version is not the next."""
        messages = self.take_messages()
        for message in messages:
            rows = message.rows if isinstance(message, Log) else ()
            for version in [row.v for row in rows]:
                self.take(version)
            if isinstance(message, Happened):
                self.take(message.v)
        return messages

    def take(self, version: int) -> None:
        assert version == self.version + 1
        self.version = version


async def add_spectators(at: Table, number: int) -> list[Spectator]:
    """Return `number` spectators that follow, after all messages about them."""
    crowd = [Spectator(n) for n in range(number)]
    for peer in crowd:
        at.follow(peer, 1, 0)
    await deliver(at)
    for peer in crowd:
        peer.read()
    return crowd


async def deliver(at: Table) -> None:
    """Run the loop until the crowd has received everything."""
    for _ in range(len(at.followers) // RECIPIENTS_PER_ITERATION + 2):
        await asyncio.sleep(0)


@pytest.fixture
async def endless(ada, bob):
    """A match without a limit of guesses; Bob is to guess."""
    match = (await ada.open(rules="knuth")).match
    await bob.join(match)
    await ada.set(match, "1234")
    return match


async def guess(at: Table, by: RawClient, requester: PeerStub | None = None) -> None:
    await at.perform(GuessCode(pegs("5555")), by.id, requester=requester)


@pytest.mark.promise("crowd-of-spectators")
async def test_players_get_a_row_at_once_and_a_crowd_in_slices(hall, ada, bob, endless):
    async with hall.server.tables.use(endless) as at:
        maker, breaker = PeerStub(ada), PeerStub(bob)
        crowd = await add_spectators(at, CROWD)
        for player in (maker, breaker):  # the last to follow
            at.follow(player, 1, 0)
            player.take_messages()
        await guess(at, bob, breaker)
        assert [len(player.take_messages()) for player in (maker, breaker)] == [1, 1]
        counts = [0]
        for _ in range(CROWD // RECIPIENTS_PER_ITERATION + 1):
            counts.append(sum(bool(peer.frames) for peer in crowd))
            await asyncio.sleep(0)
    told = [after - before for before, after in itertools.pairwise(counts)]
    assert (told, counts[-1]) == ([RECIPIENTS_PER_ITERATION] * 3 + [1], CROWD)
    assert len({peer.frames[0] for peer in crowd}) == 1


async def test_every_spectator_gets_every_version_once(hall, bob, endless):
    random = SeededRandom(1)
    async with hall.server.tables.use(endless) as at:
        crowd = await add_spectators(at, CROWD)
        gone: list[Spectator] = []
        for _ in range(40):
            await guess(at, bob)
            for peer in random.sample(crowd, RECIPIENTS_PER_ITERATION // 4):
                at.followers.remove(peer)
                peer.read()
                crowd.remove(peer)
                gone.append(peer)
            for peer in random.sample(gone, len(gone) // 2):  # a return resumes
                at.follow(peer, 1, peer.version)
                peer.read()
                assert peer.version == at.log.version
                gone.remove(peer)
                crowd.append(peer)
            for peer in random.sample(crowd, 3):  # follows, and asks once more
                peer.read()
                at.follow(peer, 1, peer.version)
            for peer in gone:
                assert peer.frames == [], "it got a frame after it left"
        await deliver(at)
        for peer in crowd:
            peer.read()
            assert peer.version == at.log.version


async def test_a_frame_is_encoded_once_for_any_number_of_followers(
    hall, ada, bob, endless, monkeypatch
):
    made: Counter[type] = Counter()

    def count(message):
        made[type(message)] += 1
        return encode(message)

    async def send_everything(at, number):
        crowd, player = await add_spectators(at, number), PeerStub(ada)
        at.follow(player, 1, at.log.version)
        made.clear()
        await guess(at, bob)
        say = ada.new(Say, match=endless, phrase=1)
        await at.say(player.call(say))
        hall.clock.skip(SPECTATOR_COUNT_SECONDS)
        at.followers.remove(crowd[0])
        return made.copy()

    for module in (row_messages, followers, chat):
        monkeypatch.setattr(module, "encode", count)
    async with hall.server.tables.use(endless) as at:
        few = await send_everything(at, 2)
        many = await send_everything(at, CROWD)
    assert few == many
    assert many == {Happened: 1, Said: 2, Spectators: 1}  # one is the answer to the speaker


def count_steps(work: Callable[[], None]) -> int:
    """Return the number of Python instructions of a call."""
    steps = 0

    def trace(frame: Any, event: str, arg: object) -> Any:
        nonlocal steps
        del event, arg
        frame.f_trace_opcodes = True
        steps += 1
        return trace

    before = sys.gettrace()
    gc.disable()  # Hypothesis has a callback in Python for each collection
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
        gc.enable()
    return steps


async def test_following_costs_the_same_for_any_number_of_followers(hall, endless):
    async def measure(at, crowd):
        await add_spectators(at, crowd)
        peer, second = Spectator(-1), Spectator(-2)
        at.follow(peer, 1, 0)  # its count is pending now
        steps = [count_steps(lambda: at.follow(second, 1, 0))]
        steps.append(count_steps(lambda: at.followers.remove(second)))
        steps.append(count_steps(lambda: at.followers.remove(peer)))
        return steps

    async with hall.server.tables.use(endless) as at:
        await measure(at, 3)  # Python 3.12 does not trace the first call
        few = await measure(at, 3)
        many = await measure(at, CROWD)
    assert few == many


async def test_a_spectator_who_joins_is_a_player_on_every_connection(hall, ada, bob):
    match = (await ada.open(maker="open", breaker="me")).match
    second = await hall.connect_again(bob)
    for connection in (bob, second):
        await connection.follow(match)
    await bob.join(match)
    assert await second.until(Presence) == Presence(match=match, player=bob.id, here=True)
    await bob.set(match, "1234")
    told = await second.until(Happened, lambda happened: happened.v == 3)
    (secret,) = told.events
    assert isinstance(secret, SecretSet)
    assert secret.code == pegs("1234")
