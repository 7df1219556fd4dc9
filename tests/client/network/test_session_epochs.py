"""A server whose store has gone back: the session reads its matches again and compares the rows."""

import asyncio

import pytest

from kit.matches import pegs
from kit.people import PATIENCE, sit_down
from mastermind_client.network.updates import (
    ConnectionLost,
    MatchLost,
    MatchRestored,
    Moved,
    Reconnected,
    Reconnecting,
)
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.messages import Happened
from mastermind_protocol.requests import Follow, Guess


def list_followed(relay):
    return [request.v for request in relay.asked if isinstance(request, Follow)]


async def test_a_match_that_has_lost_nothing_is_compared_silently(ada, bob, relay):
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.guess(theirs, "4321")
    await ada.session.say(ours, "Hello")
    await bob.session.list_matches("waiting")
    bob.drain()
    seen, chat = len(bob.updates), [*theirs.chat]
    relay.epoch = "second"
    relay.cut()
    await bob.wait_for_update(Reconnected)
    await bob.guess(theirs, "1234")
    bob.drain()
    told = [type(update) for update in bob.updates[seen:]]
    assert told == [ConnectionLost, Reconnecting, Reconnected, Moved]
    assert list_followed(relay) == [0]
    assert (theirs.state, theirs.chat) == (ours.state, chat)


async def test_a_log_of_another_epoch_than_requested_from_is_not_folded(ada, bob, relay):
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.wait_for_turn(theirs)
    relay.epoch = "second"
    await relay.say(Happened(match=theirs.code, v=9, events=(theirs.state.opened,)))
    for _answer in range(2):  # of each log
        await bob.session.list_matches("waiting")
    await bob.guess(theirs, "1234")
    assert list_followed(relay) == [3, 0]
    bob.drain()
    assert len(bob.moves) == theirs.version == 4


@pytest.mark.parametrize("knows_epochs", [True, False])
async def test_undone_rows_are_reported_for_each_match(ada, bob, relay, server, knows_epochs):
    relay.epoch = "first" if knows_epochs else None
    ours, theirs = await sit_down(ada, bob)
    other, same = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.guess(theirs, "1111")
    copy = await server.back_up()
    for digits in ("2222", "3333"):
        await bob.guess(theirs, digits)
    bob.drain()
    known = len(bob.updates)
    relay.hold()
    await server.restore(copy)
    if knows_epochs:  # otherwise a version above the server's is the only sign
        elsewhere = await ada.wait_for_update(MatchRestored)
        assert elsewhere.version == 4
        relay.epoch = "second"
    relay.release()
    restored = await bob.wait_for_update(MatchRestored)
    assert (restored.mirror, restored.match, restored.version) == (theirs, theirs.states[3], 4)
    await bob.guess(theirs, "1234")
    bob.drain()
    assert sum(isinstance(update, MatchRestored) for update in bob.updates[known:]) == 1
    assert theirs.version == 5
    assert same.state == other.state


async def test_a_guess_at_an_undone_position_is_not_made_at_another_of_the_same_version(
    ada, bob, relay, server, people
):
    relay.epoch = "first"
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    copy = await server.back_up()
    await bob.guess(theirs, "1111")
    await bob.guess(theirs, "2222")
    relay.hold()
    relay.cut()
    await bob.wait_for_update(ConnectionLost)
    lost = asyncio.create_task(bob.session.guess(theirs, pegs("2233")))
    await server.restore(copy)
    elsewhere = await people.meet(identity=bob.identity)
    again = await elsewhere.session.join(theirs.code)
    await elsewhere.guess(again, "3333")
    await elsewhere.guess(again, "4444")
    relay.epoch = "second"
    relay.release()
    with pytest.raises(Refused) as refused:
        await lost
    assert refused.value.code == ErrorCode.STALE_VERSION
    assert (await bob.wait_for_update(MatchRestored)).version == 3
    assert theirs.version == 5
    assert theirs.state == again.state
    async with asyncio.timeout(PATIENCE):
        await bob.session.guess(theirs, pegs("1234"))


async def test_a_guess_whose_answer_was_lost_is_done_once_in_another_epoch(ada, bob, relay):
    relay.epoch = "first"
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.wait_for_turn(theirs)
    relay.cut_before_answer(Guess)
    relay.epoch = "second"
    await bob.guess(theirs, "2222")
    kinds = [type(request) for request in relay.asked[-3:]]
    assert kinds == [Guess, Follow, Guess]  # the second after the log
    assert theirs.version == 4


async def test_a_codemaker_whose_secret_is_undone_sets_another(ada, bob, relay, server):
    relay.epoch = "first"
    mine, _theirs = await sit_down(bob, ada)
    copy = await server.back_up()
    await bob.set(mine, "1111")
    relay.hold()
    await server.restore(copy)
    relay.epoch = "second"
    relay.release()
    await bob.wait_for_update(MatchRestored)
    await bob.set(mine, "2222")
    assert mine.state.current is not None
    assert mine.state.current.secret == pegs("2222")


async def test_only_a_match_that_the_server_does_not_know_is_lost(ada, bob, relay, server):
    ours, theirs = await sit_down(ada, bob)
    copy = await server.back_up()
    opened = await bob.session.open("mini", maker="me", breaker="open")
    relay.hold()
    await server.restore(copy)
    relay.release()
    lost = await bob.wait_for_update(MatchLost)
    assert (lost.mirror, lost.refusal.code) == (opened, ErrorCode.UNKNOWN_MATCH)
    assert opened.lost is lost.refusal
    assert [match.code for match in bob.identity.stored.matches] == [theirs.code]
    await ada.set(ours, "1234")
    await bob.guess(theirs, "1234")
