"""A session's updates are read in order, by one reader at a time, and none is lost."""

import asyncio
from contextlib import aclosing

import pytest

from kit.matches import pegs
from kit.people import PATIENCE, sit_down, unreachable
from mastermind_client.net.identity import Identity
from mastermind_client.net.session import Session
from mastermind_client.net.updates import Heard, Moved, PresenceChanged, Reconnecting, Update
from mastermind_protocol.match import Phase


async def read(session: Session, told: list[Update]) -> None:
    """Read until the session ends."""
    async for update in session.updates():
        told += [update]


async def test_a_move_has_the_match_before_and_after(ada, bob):
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.guess(theirs, "1122")
    await bob.guess(theirs, "1234")
    await bob.drain()

    assert bob.moves[0].before is None
    assert bob.moves[-1].after == theirs.state
    for earlier, later in zip(bob.moves, bob.moves[1:], strict=False):
        assert later.before == earlier.after
    phases = [move.after.phase for move in bob.moves]
    assert phases == [
        *(Phase.GATHERING, Phase.SETTING, Phase.BREAKING, Phase.BREAKING, Phase.FINISHED)
    ]


async def test_other_updates_have_the_match_of_their_time(ada, bob):
    ours, theirs = await sit_down(ada, bob)
    await bob.session.say(theirs, phrase=1)
    await bob.session.unfollow(theirs)
    await ada.session.set_secret(ours, pegs("1234"))

    said, gone = await ada.wait_for_update(Heard), await ada.wait_for_update(PresenceChanged)
    assert said.match.phase is gone.match.phase is Phase.SETTING
    assert ours.state.phase is Phase.BREAKING


async def test_a_second_reader_is_refused_while_there_is_one(bob):
    async with aclosing(bob.session.updates()) as first, asyncio.timeout(PATIENCE):
        waiting = asyncio.create_task(anext(first))
        await asyncio.sleep(0)
        with pytest.raises(RuntimeError, match="have a reader already"):
            await anext(bob.session.updates())
        await bob.session.open("classic", maker="me", breaker="open")
        assert isinstance(await waiting, Moved)
        with pytest.raises(RuntimeError, match="have a reader already"):
            await anext(bob.session.updates())


async def test_a_cancelled_reader_leaves_updates_for_the_next(bob):
    taken: list[Update] = []
    reading = asyncio.create_task(read(bob.session, taken))
    await asyncio.sleep(0)
    bob.session.publish(Reconnecting(1))  # which wakes it
    reading.cancel()
    await asyncio.wait({reading})
    await bob.drain()
    assert (taken, bob.updates) == ([], [Reconnecting(1)])


async def test_the_updates_end_with_the_session(server):
    told: list[Update] = []
    async with Session.connect(server.address, Identity()) as session:
        await session.open("classic", maker="me", breaker="open")
    async with asyncio.timeout(PATIENCE):
        await read(session, told)
    assert [type(update) for update in told] == [Moved]


async def test_the_end_of_the_session_is_raised_after_the_updates(bob, relay):
    await bob.session.open("classic", maker="me", breaker="open")
    await relay.close(1008, "abuse")
    told: list[Update] = []
    async with asyncio.timeout(PATIENCE):
        with unreachable("abuse"):
            await read(bob.session, told)
    assert [type(update) for update in told] == [Moved]
