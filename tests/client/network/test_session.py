import asyncio
import logging
import time

import pytest

from kit.matches import pegs
from kit.people import PATIENCE, sit_down
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.running import WhoseTurn
from mastermind_client.network.session import Session
from mastermind_client.network.updates import PresenceChanged
from mastermind_protocol.commands import ResignRound
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import Finished, Joined, Left, MatchEnd, Opened, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Absent, Log, Row
from mastermind_protocol.requests import (
    Follow,
    Guess,
    Join,
    Leave,
    ListMatches,
    ListOwn,
    Open,
    Secret,
)


async def test_two_sessions_play_a_match_and_end_with_the_same_state(ada, bob):
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    assert ours.state.phase is Phase.BREAKING  # as soon as the request returns
    assert ours.state.current is not None
    assert ours.state.current.secret == pegs("1234")
    await bob.guess(theirs, "4321")
    assert theirs.state.current is not None
    (turn,) = theirs.state.current.turns
    assert turn.feedback == (0, 4)
    assert theirs.state.current.secret is None
    await bob.guess(theirs, "1234")
    await ada.wait_for_event(Finished)
    assert theirs.state.phase is Phase.FINISHED
    assert theirs.state.outcome == Finished(how=MatchEnd.PLAYED, winner=bob.id)
    assert ours.state == theirs.state
    assert (ours.version, theirs.version) == (5, 5)


async def test_a_move_against_the_rules_is_refused_locally(ada, bob, relay):
    ours, theirs = await sit_down(ada, bob)
    session, before = bob.session, list(relay.asked)

    async def refuses(code, digits):
        with pytest.raises(Refused) as refused:
            await session.guess(theirs, pegs(digits))
        assert refused.value.code == code

    await refuses(ErrorCode.WRONG_PHASE, "1111")
    with pytest.raises(Refused, match="not your turn"):
        await session.set_secret(theirs, pegs("1111"))
    with pytest.raises(Refused, match="not now"):
        await session.perform(theirs, ResignRound())
    await ada.set(ours, "1234")
    await bob.wait_for_turn(theirs)
    await refuses(ErrorCode.INVALID_CODE, "11")
    await refuses(ErrorCode.INVALID_CODE, "1117")
    await session.guess(theirs, pegs("1234"))
    await refuses(ErrorCode.WRONG_PHASE, "1111")
    await session.list_matches("running")  # waits for earlier requests

    assert [type(request) for request in relay.asked[len(before) : -1]] == [Guess]


async def test_a_left_match_sends_no_updates(ada, bob, relay):
    ours, theirs = await sit_down(ada, bob)
    await bob.session.leave(theirs)
    left = await ada.wait_for_event(Left)
    assert left.player == bob.id
    await ada.session.leave(ours)
    await bob.session.list_matches("running")  # waits for earlier messages
    assert not [event for event in bob.drain() if isinstance(event, Left)]
    assert [type(request) for request in relay.asked] == [Join, Leave, ListMatches]


async def test_an_unfinished_match_is_listed(ada, bob):
    ours, theirs = await sit_down(ada, bob)
    await ada.session.unfollow(ours)
    (found,) = await ada.session.list_unfinished()
    assert (found.code, found.opponent, found.turn) == (ours.code, "Bob", WhoseTurn.MINE)
    assert found.away is None
    again = await ada.session.join(found.code)
    await ada.set(again, "1234")
    await bob.guess(theirs, "1234")
    assert await bob.session.list_unfinished() == ()


async def test_an_older_server_lists_no_unfinished_match(ada, relay):
    relay.refuse(ListOwn, ErrorCode.UNKNOWN_MESSAGE)
    assert await ada.session.list_unfinished() == ()


async def test_an_opponents_presence_is_an_update(ada, bob, people, relay):
    ours, _ = await sit_down(ada, bob)
    before = time.monotonic()
    relay.hold()
    relay.cut()
    gone = await ada.wait_for_update(PresenceChanged)
    assert (gone.mirror, gone.player, gone.connected) == (ours, bob.id, False)
    assert list(ours.away) == [bob.id]
    assert before <= ours.away[bob.id] <= time.monotonic()

    eve = await people.meet("Eve")
    watched = await eve.session.follow(ours.code)
    gone = await eve.wait_for_update(PresenceChanged)
    assert (gone.player, gone.connected) == (bob.id, False)
    assert before - 1 <= watched.away[bob.id] <= time.monotonic()  # in whole seconds

    relay.release()
    back = await ada.wait_for_update(PresenceChanged)
    assert (back.player, back.connected) == (bob.id, True)
    assert not ours.away


async def test_the_time_of_absence_is_the_servers(ada, bob, relay):
    ours, _ = await sit_down(bob, ada)
    opened = Row(1, (ours.state.opened, Joined(player=bob.session.player, seat=Seat.MAKER)))
    joined = Row(2, (Joined(player=ada.session.player, seat=Seat.BREAKER),))
    relay.answer(
        Follow,
        lambda request: Log(
            id=request.id,
            match="ABCDEF",
            rows=(opened, joined),
            present=(bob.id,),
            absent=(Absent(ada.id, 90),),
        ),
    )
    before = time.monotonic()
    other = await bob.session.follow("ABCDEF")
    assert before <= other.away[ada.id] + 90 <= time.monotonic()


async def test_a_rate_limited_request_is_sent_again_with_its_id(bob, relay):
    relay.refuse(Open, ErrorCode.RATE_LIMITED, retry_after=0.01)
    await bob.session.open("mini", maker="me", breaker="open")

    first, again = relay.asked
    assert first == again
    assert [type(event) for event in bob.drain()].count(Opened) == 1


async def test_closing_is_clean_and_logs_nothing(server, ada, relay, caplog):
    with caplog.at_level(logging.WARNING):
        async with Session.connect(relay.address, Identity(), "Bob") as session:
            mirror = await session.open("classic", maker="me", breaker="open")
        async with asyncio.timeout(PATIENCE):
            assert await relay.closes.get() == 1000
        await ada.session.join(mirror.code)
        await server.stop()
    assert not caplog.records


async def test_a_secret_is_sent_with_its_version(ada, bob, relay):
    ours = await bob.session.open("classic", maker="me", breaker="open")
    theirs = await ada.session.join(ours.code)
    await bob.set(ours, "1234")
    await ada.guess(theirs, "1234")
    await bob.wait_for_event(Finished)
    (secret,) = (request for request in relay.asked if isinstance(request, Secret))
    assert (secret.match, secret.v, secret.code) == (ours.code, 2, pegs("1234"))
