import asyncio
import logging
import time

import pytest

from kit.matches import pegs
from kit.people import PATIENCE, sit_down
from mastermind_client.net.identity import Identity
from mastermind_client.net.running import WhoseTurn
from mastermind_client.net.session import Session
from mastermind_client.net.updates import PresenceChanged
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import (
    Finished,
    Guessed,
    Joined,
    Left,
    MatchEnd,
    Opened,
    RematchOffered,
    RoundEnded,
    Seat,
)
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import MAX_ROWS, Absent, Log, Row
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
        await session.resign(theirs)
    await ada.set(ours, "1234")
    await bob.turn(theirs)
    await refuses(ErrorCode.INVALID_CODE, "11")
    await refuses(ErrorCode.INVALID_CODE, "1117")
    await session.guess(theirs, pegs("1234"))
    await refuses(ErrorCode.WRONG_PHASE, "1111")
    await session.list_matches("running")  # waits for earlier requests

    assert [type(request) for request in relay.asked[len(before) : -1]] == [Guess]


async def test_advice_can_be_requested_again(ada, bob):
    ours, theirs = await sit_down(ada, bob)
    with pytest.raises(Refused) as refused:
        await bob.session.advise(theirs)
    assert refused.value.code == ErrorCode.WRONG_PHASE
    await ada.set(ours, "1234")
    await bob.turn(theirs)
    advice = await bob.session.advise(theirs)
    assert (await bob.session.advise(theirs)).guesses == advice.guesses


async def test_the_server_refuses_unknown_matches_and_bots(bob):
    with pytest.raises(Refused) as unknown:
        await bob.session.join("ZZZZZZ")
    assert (unknown.value.code, unknown.value.field) == (ErrorCode.UNKNOWN_MATCH, "match")
    with pytest.raises(Refused, match="is no bot here"):
        await bob.session.open("classic", maker="hal", breaker="me")
    assert await bob.session.open("classic", maker="me", breaker="open")


async def test_a_seed_and_a_secret_are_sent_with_a_new_match(bob, relay):
    await bob.session.open("lab", maker="random", breaker="me", seed=7)
    watched = await bob.session.open(
        "knuth", maker="random", breaker="knuth", public=True, secret=pegs("1234")
    )
    ended = await bob.wait_for_event(RoundEnded)
    assert ended.code == pegs("1234")
    assert watched.state.seat_of(bob.id) is None
    opens = [request for request in relay.asked if isinstance(request, Open)]
    assert [(o.seed, o.secret, o.public) for o in opens] == [
        (7, None, False),
        (None, pegs("1234"), True),
    ]


async def test_two_seekers_are_matched(ada, bob):
    ours = await ada.session.seek("mini", rounds=2, seat=Seat.MAKER)
    assert [listed.match for listed in await bob.session.list_matches("waiting")] == [ours.code]
    theirs = await bob.session.seek("mini", rounds=2)
    assert theirs.code == ours.code
    await ada.turn(ours)
    assert ours.state.maker == ada.session.player
    (running,) = await bob.session.list_matches("running")
    assert (running.rules, running.rounds, running.breaker) == ("mini", 2, "Bob")


async def test_a_rematch_swaps_the_seats(ada, bob):
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.guess(theirs, "1234")
    await ada.wait_for_event(Finished)

    next_ours = await ada.session.rematch(ours)
    offer = await bob.wait_for_event(RematchOffered)
    next_theirs = await bob.session.rematch(theirs)

    assert offer.match == next_ours.code == next_theirs.code
    await ada.wait_for_event(Joined)
    assert next_ours.state.maker == bob.session.player
    assert next_ours.state.opened.previous == ours.code


async def test_a_left_match_sends_no_updates(ada, bob, relay):
    ours, theirs = await sit_down(ada, bob)
    await bob.session.leave(theirs)
    left = await ada.wait_for_event(Left)
    assert left.player == bob.id
    await ada.session.leave(ours)
    await bob.session.list_matches("running")  # waits for earlier messages
    assert not [event for event in await bob.drain() if isinstance(event, Left)]
    assert [type(request) for request in relay.asked] == [Join, Leave, ListMatches]


async def test_an_unfinished_match_is_listed(ada, bob):
    ours, theirs = await sit_down(ada, bob)
    await ada.session.unfollow(ours)
    (found,) = await ada.session.list_running()
    assert (found.code, found.opponent, found.turn) == (ours.code, "Bob", WhoseTurn.MINE)
    assert found.away is None
    again = await ada.session.join(found.code)
    await ada.set(again, "1234")
    await bob.guess(theirs, "1234")
    assert await bob.session.list_running() == ()


async def test_an_older_server_lists_no_unfinished_match(ada, relay):
    relay.refuse(ListOwn, ErrorCode.UNKNOWN_MESSAGE)
    assert await ada.session.list_running() == ()


async def test_an_unfollowed_match_is_not_updated(ada, bob, people):
    ours, theirs = await sit_down(ada, bob)
    eve = await people.meet("Eve")
    watched = await eve.session.follow(ours.code)
    await eve.session.unfollow(watched)
    await ada.set(ours, "1234")
    await bob.turn(theirs)
    await eve.session.list_matches("running")
    assert watched.version == 2
    again = await eve.session.follow(ours.code)
    assert (again.version, again.state.phase) == (3, Phase.BREAKING)


async def test_a_log_of_several_messages_is_joined(ada, bob, people):
    ours, theirs = await sit_down(ada, bob, "knuth")
    await ada.set(ours, "1234")
    for _ in range(MAX_ROWS + 3):
        await bob.guess(theirs, "6666")
    await ada.wait_for_version(ours, MAX_ROWS + 6)

    eve = await people.meet("Eve")
    watched = await eve.session.follow(ours.code)

    assert watched.version == MAX_ROWS + 6
    await eve.wait_for_version(watched, watched.version)
    assert len(eve.moves) == MAX_ROWS + 6
    assert [e for e in eve.events if isinstance(e, Guessed)] == [
        e for e in ada.events if isinstance(e, Guessed)
    ]
    await bob.guess(theirs, "1234")
    await eve.wait_for_event(Finished)


async def test_an_opponents_presence_is_an_update(ada, bob, people, relay):
    ours, _ = await sit_down(ada, bob)
    before = time.monotonic()
    relay.hold()
    relay.cut()
    gone = await ada.hear(PresenceChanged)
    assert (gone.mirror, gone.player, gone.here) == (ours, bob.id, False)
    assert list(ours.away) == [bob.id]
    assert before <= ours.away[bob.id] <= time.monotonic()

    eve = await people.meet("Eve")
    watched = await eve.session.follow(ours.code)
    gone = await eve.hear(PresenceChanged)
    assert (gone.player, gone.here) == (bob.id, False)
    assert before - 1 <= watched.away[bob.id] <= time.monotonic()  # in whole seconds

    relay.release()
    back = await ada.hear(PresenceChanged)
    assert (back.player, back.here) == (bob.id, True)
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
    assert [type(event) for event in await bob.drain()].count(Opened) == 1


async def test_a_known_token_returns_the_player_and_the_seats(ada, people):
    identity = Identity()
    first = await people.meet("Bob", identity=identity)
    ours, _ = await sit_down(ada, first)
    again = await people.meet("Bob", identity=identity)
    assert again.session.player == first.session.player
    assert (await again.session.join(ours.code)).state.seat_of(first.id) is Seat.BREAKER


async def test_a_player_without_a_name_is_a_guest(people):
    identity = Identity()
    bob = await people.meet("Bob", identity=identity)
    guest = (await people.meet(identity=identity)).session.player
    assert (guest.id, guest.name) == (bob.id, f"guest-{bob.id[:4]}")


async def test_a_name_that_cannot_be_shown_is_refused(server):
    with pytest.raises(Refused) as refused:
        async with Session.connect(server.address, Identity(), "Ro\x1bb"):
            pass
    assert refused.value.code == ErrorCode.INVALID_NAME


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
