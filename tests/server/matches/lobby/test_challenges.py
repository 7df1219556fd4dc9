"""Challenges to players at this node and at others, and their ends."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from kit.client import RawClient
from kit.clocked import pass_time
from kit.matches import state_of
from kit.rated import store_rated
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import Declined, Finished, MatchEnd
from mastermind_protocol.glicko import INITIAL_RATING
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import (
    OLD_SUBPROTOCOLS,
    Challenged,
    ChallengeEnded,
    Error,
    Happened,
    Log,
    Profile,
)
from mastermind_protocol.requests import (
    AllowChallenges,
    Challenge,
    Decline,
    Join,
    Leave,
    ShowProfile,
)
from mastermind_server.storage.records import CHALLENGE_SECONDS
from mastermind_server.timekeeping.flags import POLL_SECONDS
from server.matches.nodes.stores import Deaf

RATED: dict[str, Any] = {"rules": "mini", "rated": True, "clock": "5+3"}


async def challenge(ada: RawClient, bob: RawClient, **terms: Any) -> Log:
    """Return the log of a challenge of Ada to Bob."""
    opened = await ada.ask(ada.new(Challenge, **{"player": bob.id, "rules": "mini", **terms}))
    assert isinstance(opened, Log), opened
    return opened


async def test_a_challenged_player_is_told_the_terms_and_can_join(ada, bob):
    log = await challenge(ada, bob, **RATED)
    told = await bob.until(Challenged)
    state = state_of(log)
    assert (told.match, told.by, told.rules, told.rounds) == (log.match, ada.player, "mini", 2)
    assert (told.rated, told.clock, told.rating) == (True, "5+3", INITIAL_RATING)
    assert 115 <= told.seconds <= 120
    assert not state.opened.public
    joined = state_of(await bob.join(log.match))
    assert joined.seat_of(bob.id) is told.seat
    assert joined.phase is Phase.SETTING


async def test_each_connection_of_the_challenged_player_is_told(hall, ada, bob):
    another = await hall.connect_again(bob)
    log = await challenge(ada, bob)
    for wire in (bob, another):
        assert (await wire.until(Challenged)).match == log.match


async def test_a_challenger_named_like_another_player_is_marked(hall, bob):
    owner, last = await hall.meet("Owner"), await hall.meet("Last")
    now = hall.clock.unix_milliseconds()
    await hall.store.write(store_rated, "MATCHA", owner.player, last.player, at=now)
    for name in ("bob", "0wner"):
        like = await hall.meet(name)
        await challenge(like, bob)
        assert (await bob.until(Challenged)).by.name == f"{name}-{like.id[:4]}"
    await challenge(owner, bob)
    assert (await bob.until(Challenged)).by.name == "Owner"


async def test_nobody_else_can_take_the_seat_or_decline(ada, bob, eve):
    match = (await challenge(ada, bob)).match
    assert (await eve.refused(Join, match=match)).code == ErrorCode.SEAT_TAKEN
    for wire in (ada, eve):
        assert (await wire.refused(Decline, match=match)).code == ErrorCode.NOT_SEATED
    assert (await eve.list("waiting")).matches == ()


async def test_a_declined_challenge_closes(ada, bob):
    match = (await challenge(ada, bob)).match
    answer = await bob.ask(bob.new(Decline, match=match))
    told = await ada.until(Happened)
    assert isinstance(answer, Happened)
    assert answer.events == told.events
    assert told.events == (Declined(by=bob.id), Finished(how=MatchEnd.CLOSED))


async def test_a_challenge_without_an_answer_expires_at_its_time(hall, ada, bob):
    match = (await challenge(ada, bob)).match
    await pass_time(hall, CHALLENGE_SECONDS - 1)
    assert state_of(await ada.follow(match)).phase is Phase.GATHERING
    await pass_time(hall, 1)
    ended = await ada.until(Happened)
    assert ended.events == (Declined(by=bob.id, late=True), Finished(how=MatchEnd.CLOSED))
    assert (await bob.until(ChallengeEnded)) == ChallengeEnded(match=match, how="expired")


async def test_an_open_challenge_expires_after_a_restart(idle_hall):
    hall = idle_hall
    await hall.start()
    ada, bob = await hall.meet("Ada"), await hall.meet("Bob")
    match = (await challenge(ada, bob)).match
    await hall.stop()
    hall.clock.skip(CHALLENGE_SECONDS)
    await hall.start()
    ada = await hall.connect_again(ada)
    await ada.follow(match)
    await pass_time(hall, 0.1)
    assert (await ada.until(Happened)).events[0] == Declined(by=bob.id, late=True)


async def test_a_challenged_player_who_connects_again_is_told_again(hall, ada, bob):
    log = await challenge(ada, bob)
    hall.clock.skip(20)
    await bob.close()
    bob = await hall.connect_again(bob)
    told = await bob.until(Challenged)
    assert told.match == log.match
    assert 95 <= told.seconds <= 100


@pytest.mark.parametrize("how", ["accepted", "declined", "withdrawn"])
async def test_each_connection_is_told_that_a_challenge_has_ended(hall, ada, bob, how):
    another = await hall.connect_again(bob)
    match = (await challenge(ada, bob)).match
    if how == "withdrawn":
        await ada.ask(ada.new(Leave, match=match))
    else:
        await bob.ask(bob.new(Join if how == "accepted" else Decline, match=match))
    for wire in (bob, another):
        assert await wire.until(ChallengeEnded) == ChallengeEnded(match=match, how=how)


async def test_a_second_challenge_to_a_player_waits_for_the_answer_to_the_first(ada, bob):
    match = (await challenge(ada, bob)).match
    refused = await ada.refused(Challenge, player=bob.id, rules="mini")
    assert (refused.code, refused.limit) == (ErrorCode.TOO_MANY, 1)
    await bob.ask(bob.new(Decline, match=match))
    assert (await challenge(ada, bob)).match != match


async def challenge_at_once(bob: RawClient, *challengers: RawClient) -> None:
    """Challenge Bob on several connections at once, and require that all but one are refused."""
    answers = await asyncio.gather(
        *(wire.ask(wire.new(Challenge, player=bob.id, rules="mini")) for wire in challengers)
    )
    refused = [answer for answer in answers if isinstance(answer, Error)]
    assert [answer.code for answer in refused] == [ErrorCode.TOO_MANY] * (len(challengers) - 1)


async def test_challenges_to_a_player_at_the_same_moment_exceed_no_limit(hall, ada, bob, eve):
    await challenge_at_once(bob, ada, await hall.connect_again(ada), await hall.connect_again(ada))
    hall.limit(challenges_to_player=2)
    await challenge_at_once(bob, eve, await hall.meet("Fay"), await hall.meet("Gil"))


async def test_challenges_at_two_nodes_at_the_same_moment_exceed_no_limit(start_node):
    here, there = await start_node(), await start_node()
    ada, bob = await here.meet("Ada"), await here.meet("Bob")
    await challenge_at_once(bob, ada, await there.connect_again(ada))


async def test_a_challenge_that_is_sent_twice_at_once_is_one_challenge(hall, ada, bob):
    another = await hall.connect_again(ada)
    sent = ada.new(Challenge, player=bob.id, rules="mini")
    first, second = await asyncio.gather(ada.ask(sent), another.ask(sent))
    assert isinstance(first, Log)
    assert isinstance(second, Log)
    assert first.match == second.match


async def test_a_player_has_a_limited_number_of_challenges(hall, ada, bob, eve):
    hall.limit(challenges_to_player=1)
    await challenge(ada, bob)
    refused = await eve.refused(Challenge, player=bob.id, rules="mini")
    assert (refused.code, refused.limit) == (ErrorCode.TOO_MANY, 1)
    await challenge(eve, ada)


async def test_a_player_who_is_not_connected_cannot_be_challenged(ada, bob):
    await bob.close()
    refused = await ada.refused(Challenge, player=bob.id, rules="mini")
    assert (refused.code, refused.field) == (ErrorCode.NOT_ONLINE, "player")
    assert refused.message == "Bob is not connected: challenge a player who is"


async def test_a_player_who_takes_no_challenges_is_not_challenged(hall, ada, bob):
    await bob.ask(bob.new(AllowChallenges, allowed=False))
    refused = await ada.refused(Challenge, player=bob.id, rules="mini")
    assert (refused.code, refused.field) == (ErrorCode.NO_CHALLENGES, "player")
    assert refused.message == "Bob takes no challenges"
    await hall.restart()
    ada, bob = await hall.connect_again(ada), await hall.connect_again(bob)
    own = await bob.ask(bob.new(ShowProfile))
    assert isinstance(own, Profile)
    assert not own.challenges
    assert (await ada.refused(Challenge, player=bob.id, rules="mini")).code == refused.code
    await bob.ask(bob.new(AllowChallenges, allowed=True))
    await challenge(ada, bob)


async def test_a_client_of_the_old_protocol_gets_no_challenges(hall, ada):
    old = await hall.connect(subprotocols=OLD_SUBPROTOCOLS[-1:])
    await old.hello("Old")
    refused = await ada.refused(Challenge, player=old.id, rules="mini")
    assert refused.code == ErrorCode.NOT_ONLINE
    new = await hall.connect_again(old)
    match = (await challenge(ada, old)).match
    assert (await new.until(Challenged)).match == match
    again = await hall.connect(subprotocols=OLD_SUBPROTOCOLS[-1:])
    await again.hello(token=old.token)
    await ada.ask(ada.new(Leave, match=match))
    await new.until(ChallengeEnded)
    for wire in (old, again):
        await wire.list("waiting")
        told = {msgspec.msgpack.decode(frame)["op"] for frame in wire.frames}
        assert told == {"welcome", "listing"}


async def test_a_challenge_to_oneself_or_with_bad_terms_is_refused(ada, bob):
    for fields, code in (
        ({"player": ada.id}, ErrorCode.INVALID_SEATS),
        ({"rules": "chess"}, ErrorCode.INVALID_RULES),
        ({"clock": "5"}, ErrorCode.INVALID_CLOCK),
        ({"rated": True}, ErrorCode.RATED),
        ({**RATED, "rounds": 3}, ErrorCode.RATED),
    ):
        terms = {"player": bob.id, "rules": "mini", **fields}
        assert (await ada.refused(Challenge, **terms)).code == code


async def challenge_by_name(ada: RawClient, name: str) -> Log:
    """Return the log of a challenge of Ada to the player whom the server finds by `name`."""
    return await challenge(ada, ada, player=None, name=name)


async def test_a_connected_player_is_challenged_by_a_similar_name(ada, bob):
    log = await challenge_by_name(ada, "b\u014db")
    assert (await bob.until(Challenged)).match == log.match
    assert state_of(log).opened.reserved == bob.id


async def test_the_owner_of_a_name_is_challenged_before_an_opponent(hall, ada, bob, match):
    await ada.set(match, "1234")
    await bob.resign(match)
    another = await hall.meet("Bob")
    now = hall.clock.unix_milliseconds()
    await hall.store.write(store_rated, "MATCHA", another.player, ada.player, at=now)
    await challenge_by_name(ada, "Bob")
    assert (await another.until(Challenged)).by.id == ada.id


async def test_the_last_opponent_with_a_name_is_challenged_before_connected_players(
    hall, ada, bob, match
):
    await ada.set(match, "1234")
    await bob.resign(match)
    await hall.meet("Bob")
    log = await challenge_by_name(ada, "Bob")
    assert (await bob.until(Challenged)).match == log.match
    await bob.close()
    await ada.leave(log.match)
    refused = await ada.refused(Challenge, name="Bob", rules="mini")
    assert (refused.code, refused.details["name"]) == (ErrorCode.NOT_ONLINE, "Bob")


async def test_a_name_of_nobody_of_two_or_of_the_challenger_is_refused(hall, ada):
    eve = await hall.meet("Eve")
    for name, code in (("Eva", ErrorCode.UNKNOWN_PLAYER), ("Ada", ErrorCode.UNKNOWN_PLAYER)):
        assert (await ada.refused(Challenge, name=name, rules="mini")).code == code
    again = await hall.meet("Eve")
    refused = await ada.refused(Challenge, name="Eve", rules="mini")
    assert (refused.code, refused.details["reason"]) == (
        ErrorCode.UNKNOWN_PLAYER, "ambiguous_name"
    )  # fmt: skip
    await again.close()
    both = await ada.refused(Challenge, name="Eve", player=eve.id, rules="mini")
    neither = await ada.refused(Challenge, rules="mini")
    assert both.code == neither.code == ErrorCode.INVALID_MESSAGE


async def test_a_player_is_found_by_its_present_name_while_connected(hall, ada, bob):
    again = await hall.connect(bob.ids)
    await again.hello(name="Rob", token=bob.token)
    assert (await ada.refused(Challenge, name="Bob", rules="mini")).code == ErrorCode.UNKNOWN_PLAYER
    await bob.close()
    log = await challenge_by_name(ada, "Rob")
    assert (await again.until(Challenged)).match == log.match
    await ada.leave(log.match)
    await again.close()
    assert (await ada.refused(Challenge, name="Rob", rules="mini")).code == ErrorCode.UNKNOWN_PLAYER


async def test_a_repeated_challenge_by_name_is_answered_although_the_player_has_left(ada, bob):
    request = ada.new(Challenge, name="Bob", rules="mini")
    log = await ada.ask(request)
    await bob.close()
    again = await ada.ask(request)
    assert isinstance(again, Log)
    assert again.match == log.match


@pytest.mark.promise("playing-yourself")
async def test_a_player_cannot_take_both_seats_of_a_rated_match(hall, ada):
    another = await hall.connect_again(ada)
    seats = {"maker": "me", "breaker": "open", "rounds": 2, "public": True}
    match = (await ada.open(**RATED, **seats)).match
    for log in (await another.join(match), await another.seek(**RATED, rounds=2)):
        state = state_of(log)
        assert (log.match, state.phase, state.players) == (match, Phase.GATHERING, (ada.player,))


async def test_a_player_at_another_node_is_told(start_node):
    here, there = await start_node(), await start_node()
    ada, bob = await here.meet("Ada"), await there.meet("Bob")
    log = await challenge(ada, bob)
    told = await bob.until(Challenged)
    assert told.match == log.match
    await bob.ask(bob.new(Decline, match=log.match))
    assert (await ada.until(Happened)).events[-1] == Finished(how=MatchEnd.CLOSED)


async def test_an_opponent_at_another_node_is_challenged_by_name(start_node):
    here, there = await start_node(), await start_node()
    ada, bob = await here.meet("Ada"), await there.meet("Bob")
    assert (await ada.refused(Challenge, name="Bob", rules="mini")).code == ErrorCode.UNKNOWN_PLAYER
    played = (await ada.open()).match
    await bob.join(played)
    await ada.set(played, "1234")
    await bob.resign(played)
    log = await challenge_by_name(ada, "Bob")
    assert (await bob.until(Challenged)).match == log.match


async def test_a_player_takes_no_challenges_at_any_node(start_node):
    here, there = await start_node(), await start_node()
    ada, bob = await here.meet("Ada"), await there.meet("Bob")
    await bob.ask(bob.new(AllowChallenges, allowed=False))
    refused = await ada.refused(Challenge, player=bob.id, rules="mini")
    assert refused.code == ErrorCode.NO_CHALLENGES


async def test_a_withdrawn_challenge_ends_at_another_node(start_node):
    here, there = await start_node(), await start_node()
    ada, bob = await here.meet("Ada"), await there.meet("Bob")
    match = (await challenge(ada, bob)).match
    await bob.until(Challenged)
    await ada.ask(ada.new(Leave, match=match))
    assert (await bob.until(ChallengeEnded)).how == "withdrawn"


async def test_a_player_who_comes_to_another_node_is_told(start_node):
    here, there = await start_node(), await start_node()
    ada, bob = await here.meet("Ada"), await here.meet("Bob")
    match = (await challenge(ada, bob)).match
    await bob.until(Challenged)
    bob = await there.connect_again(bob)
    assert (await bob.until(Challenged)).match == match


async def test_a_challenge_whose_notice_is_lost_is_found_by_polling(start_node):
    here, there = await start_node(), await start_node(store=Deaf)
    ada, bob = await here.meet("Ada"), await there.meet("Bob")
    match = (await challenge(ada, bob)).match
    there.clock.skip(POLL_SECONDS)
    assert (await bob.until(Challenged)).match == match


async def test_on_several_nodes_a_challenge_waits_for_a_player_at_no_node(start_node):
    here, there = await start_node(), await start_node()
    ada, bob = await here.meet("Ada"), await there.meet("Bob")
    await bob.close()
    match = (await challenge(ada, bob)).match
    bob = await there.connect_again(bob)
    assert (await bob.until(Challenged)).match == match
