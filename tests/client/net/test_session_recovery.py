import asyncio

import pytest

from kit.faults import full_disk
from kit.matches import pegs
from kit.people import PATIENCE, sit_down, unreachable
from mastermind_client.net.failures import Fault, Outage
from mastermind_client.net.identity import Identity
from mastermind_client.net.updates import ConnectionLost, Moved, PutOff, Reconnected, Reconnecting
from mastermind_protocol.chat import ChatLine
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import Finished, Guessed, Left, Opened, SecretSet
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import (
    MAX_ROWS,
    Chat,
    Done,
    Error,
    Happened,
    Log,
    Presence,
    Said,
    Spectators,
)
from mastermind_protocol.requests import (
    Follow,
    Guess,
    Join,
    Leave,
    ListMatches,
    Open,
    Secret,
)
from mastermind_server.storage import connection_thread


async def test_a_dropped_line_is_told_and_comes_back_with_just_what_was_missed(ada, bob, relay):
    ours, theirs = await sit_down(ada, bob)
    await bob.hear_version(theirs, 2)
    relay.hold()
    relay.cut()
    lost = await bob.hear(ConnectionLost)
    await ada.set(ours, "1234")
    relay.release()
    await bob.hear_of(SecretSet)

    assert lost.reason == Outage(Fault.BROKEN)
    assert [type(update) for update in bob.updates] == [
        *(Moved, Moved),
        *(ConnectionLost, Reconnecting, Reconnected),
        Moved,
    ]
    assert [u.attempt for u in bob.updates if isinstance(u, Reconnecting)] == [1]
    assert relay.asked[-1] == Follow(id=relay.asked[-1].id, match=theirs.code, v=2)
    assert ours.version == theirs.version == 3


async def test_nothing_is_missed_or_told_twice_however_often_the_line_drops(ada, bob, relay):
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    for guess in ("2222", "3333", "1234"):
        await bob.guess(theirs, guess)
        relay.cut()
        await bob.hear(Reconnected)
    await ada.hear_of(Finished)
    assert len(bob.moves) == len(ada.moves) == theirs.version == 6
    assert [e for e in bob.events if isinstance(e, Guessed)] == [
        e for e in ada.events if isinstance(e, Guessed)
    ]


async def test_more_than_one_message_of_missed_rows_is_caught_up_with(ada, bob, people):
    relay = await people.relay()
    eve = await people.meet("Eve", relay.address)
    ours, theirs = await sit_down(ada, bob, "knuth")
    watched = await eve.session.follow(ours.code)
    relay.hold()
    relay.cut()
    await eve.hear(ConnectionLost)
    await ada.set(ours, "1234")
    for _ in range(MAX_ROWS + 3):
        await bob.guess(theirs, "6666")
    relay.release()
    await eve.hear_version(watched, MAX_ROWS + 6)
    await bob.guess(theirs, "1234")
    await eve.hear_of(Finished)
    assert [type(request) for request in relay.asked] == [Follow, Follow, Follow]
    assert len(eve.moves) == watched.version == MAX_ROWS + 7


@pytest.mark.parametrize("kind", [Open, Join, Secret, Guess, ListMatches, Leave])
async def test_a_request_whose_answer_was_lost_is_asked_again_and_done_once(people, relay, kind):
    ada = await people.meet("Ada", relay.address)
    bob = await people.meet("Bob", relay.address)
    relay.cut_before_answer(kind)
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.guess(theirs, "4321")
    await bob.session.list_matches("waiting")
    await bob.guess(theirs, "1234")
    await ada.hear_of(Finished)
    await bob.session.leave(theirs)

    first, *later = [request for request in relay.asked if isinstance(request, kind)]
    assert first in later
    await bob.drain()
    await ada.drain()
    assert [type(update) for update in ada.updates + bob.updates].count(Reconnected) == 1
    assert [e for e in ada.events if isinstance(e, Guessed)] == [
        Guessed(code=pegs("4321"), black=0, white=4),
        Guessed(code=pegs("1234"), black=4, white=0),
    ]
    assert [type(event) for event in ada.events].count(Opened) == 1
    assert theirs.version == 5


async def test_a_move_that_cannot_be_saved_is_asked_for_until_it_is_and_made_once(
    ada, bob, monkeypatch
):
    monkeypatch.setattr(connection_thread, "RETRY_SECONDS", 0.01)
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.turn(theirs)
    with full_disk():
        guess = asyncio.create_task(bob.session.guess(theirs, pegs("2222")))
        await bob.hear(PutOff)
        assert theirs.version == ours.version == 3
    async with asyncio.timeout(PATIENCE):
        await guess
    await bob.guess(theirs, "1234")
    await ada.hear_of(Finished)
    assert [event.code for event in ada.events if isinstance(event, Guessed)] == [
        pegs("2222"),
        pegs("1234"),
    ]


async def test_what_is_asked_while_the_line_is_down_is_sent_when_it_is_back(ada, bob, relay):
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.turn(theirs)
    relay.hold()
    relay.cut()
    await bob.hear(ConnectionLost)
    guess = asyncio.create_task(bob.session.guess(theirs, pegs("1234")))
    await bob.hear(Reconnecting)
    assert not guess.done()
    relay.release()
    async with asyncio.timeout(PATIENCE):
        await guess
    assert theirs.state.phase is Phase.FINISHED


async def test_a_request_that_is_given_up_is_not_asked_again(bob, relay):
    relay.hold()
    relay.cut()
    asking = asyncio.create_task(bob.session.open("classic", maker="me", breaker="open"))
    await bob.hear(Reconnecting)
    asking.cancel()
    await asyncio.wait({asking})
    relay.release()
    await bob.hear(Reconnected)
    assert await bob.session.list_matches("waiting") == ()
    assert [type(request) for request in relay.asked] == [ListMatches]


async def test_a_session_survives_that_its_server_is_started_anew(server, people):
    ada, bob = await people.meet("Ada"), await people.meet("Bob")
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await server.stop()
    lost = await ada.hear(ConnectionLost)
    await bob.hear(ConnectionLost)
    await server.start()
    await bob.guess(theirs, "1234")
    await ada.hear_of(Finished)

    assert lost.reason == Outage(Fault.RESTARTING)
    assert ours.state == theirs.state
    assert len(ada.moves) == 4


async def test_a_row_that_is_known_already_is_passed_over(ada, bob, relay):
    ours, theirs = await sit_down(ada, bob)
    await bob.hear_version(theirs, 2)
    await relay.say(Happened(match=theirs.code, v=1, events=(theirs.state.opened,)))
    await ada.set(ours, "1234")
    await bob.hear_of(SecretSet)
    assert theirs.version == len(bob.moves) == 3


async def test_a_row_that_leaves_a_gap_makes_us_ask_for_what_is_missing(ada, bob, relay):
    _, theirs = await sit_down(ada, bob)
    await relay.say(Happened(match=theirs.code, v=9, events=(theirs.state.opened,)))
    async with asyncio.timeout(PATIENCE):
        while not isinstance(relay.asked[-1], Follow):
            await bob.session.list_matches("waiting")
    assert theirs.version == 2


async def test_answers_that_nobody_waits_for_are_passed_over(bob, relay):
    mirror = await bob.session.open("mini", maker="me", breaker="open")
    await relay.say(Done(id=1))
    await relay.say(Error(id=1, code=ErrorCode.INTERNAL, message="the server failed"))
    await relay.say(Log(id=1, match="ZZZZZZ", rows=()))
    await relay.say(Presence(match="ZZZZZZ", player="ADA", here=False))
    await relay.say(Happened(match="ZZZZZZ", v=1, events=(mirror.state.opened,)))
    line = ChatLine(room="players", n=1, by="ADA", name="Ada", phrase=1)
    await relay.say(Said(match="ZZZZZZ", line=line, id=1))
    await relay.say(Chat(match="ZZZZZZ", lines=(line,)))
    await relay.say(Spectators(match="ZZZZZZ", count=3))
    assert await bob.session.list_matches("waiting") == ()
    assert mirror.version == 1


async def test_an_answer_of_the_wrong_kind_is_the_servers_fault(bob, relay):
    relay.answer(ListMatches, lambda request: Done(id=request.id))
    with unreachable("the server answered with done"):
        await bob.session.list_matches("waiting")


async def test_a_wait_that_is_too_long_is_left_to_the_player(bob, relay):
    relay.answer(
        ListMatches,
        lambda request: Error(
            id=request.id, code=ErrorCode.RATE_LIMITED, message="too many", retry_after=60.0
        ),
    )
    with pytest.raises(Refused) as refused:
        await bob.session.list_matches("waiting")
    assert refused.value.retry_after == 60.0
    assert await bob.session.list_matches("waiting") == ()


async def test_a_refused_catching_up_ends_the_session(bob, relay):
    await bob.session.open("mini", maker="me", breaker="open")
    relay.answer(
        Follow,
        lambda request: Error(id=request.id, code=ErrorCode.UNKNOWN_MATCH, message="it is gone"),
    )
    relay.cut()
    with pytest.raises(Refused, match="it is gone"):
        await bob.hear_of(Finished)


async def test_a_match_that_was_left_while_the_line_is_down_is_not_caught_up_with(ada, bob, relay):
    ours, theirs = await sit_down(ada, bob)
    relay.hold()
    relay.cut()
    await bob.hear(ConnectionLost)
    leaving = asyncio.create_task(bob.session.leave(theirs))
    await bob.hear(Reconnecting)
    relay.release()
    async with asyncio.timeout(PATIENCE):
        await leaving
    await ada.hear_of(Left)
    assert [type(request) for request in relay.asked] == [Join, Leave]
    assert ours.state.left == {bob.id}


async def test_what_a_lost_connection_was_asked_for_holds_nothing_back(ada, bob, relay):
    _ours, theirs = await sit_down(ada, bob)
    asked = asyncio.Event()
    relay.answer(Follow, lambda _: asked.set())
    relay.cut()
    async with asyncio.timeout(PATIENCE):
        await asked.wait()  # for what there will be no answer to
    relay.cut()
    await bob.hear(Reconnected)
    await bob.hear(Reconnected)
    await bob.session.unfollow(theirs)
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(Refused) as refused:
            await bob.session.say(theirs, phrase=1)
    assert refused.value.code == ErrorCode.NOT_FOLLOWED


async def test_another_run_of_the_client_does_not_meet_the_ids_of_the_last(people):
    identity = Identity()
    first = await people.meet("Ada", identity=identity)
    second = await people.meet("Ada", identity=identity)
    ours = await first.session.open("classic", maker="me", breaker="open")
    others = await second.session.open("classic", maker="me", breaker="open")
    assert ours.code != others.code
