"""A lobby that has just filled is not lost by a click that was meant to close the lobby."""

from __future__ import annotations

from kit.client import RawClient
from kit.matches import state_of
from mastermind_protocol.errors import ErrorCode, Reason
from mastermind_protocol.events import Finished, Left, MatchEnd
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Log
from mastermind_protocol.requests import Challenge, Leave
from mastermind_server.matches.tables.filled_lobby import JUST_JOINED_SECONDS
from server.matches.nodes.stores import Deaf


async def expect_refused(wire: RawClient, match: str, joined: str) -> None:
    """Require that a player cannot leave a match now, because `joined` has just taken the seat."""
    refusal = await wire.refused(Leave, match=match)
    assert refusal.code == ErrorCode.WRONG_PHASE
    assert refusal.details == {"reason": Reason.JUST_JOINED.key, "name": joined}
    assert state_of(await wire.follow(match)).phase is Phase.SETTING


async def test_an_invitation_that_has_just_filled_is_not_left(hall, ada, match):
    await expect_refused(ada, match, "Bob")
    hall.clock.skip(JUST_JOINED_SECONDS - 1)
    await expect_refused(ada, match, "Bob")
    hall.clock.skip(2)
    assert (await ada.leave(match)).events[0] == Left(player=ada.id)


async def test_a_challenge_that_was_just_accepted_is_not_taken_back(ada, bob):
    opened = await ada.ask(ada.new(Challenge, player=bob.id, rules="mini", clock="5+3"))
    assert isinstance(opened, Log)
    await bob.join(opened.match)
    await expect_refused(ada, opened.match, "Bob")


async def test_a_player_who_has_played_since_may_leave(ada, bob, match):
    await ada.set(match, "1234")
    assert (await ada.leave(match)).events[-1] == Finished(how=MatchEnd.LEFT, winner=bob.id)


async def test_the_player_who_has_joined_may_leave(bob, match):
    assert (await bob.leave(match)).events[0] == Left(player=bob.id)


async def test_a_player_who_returns_after_a_while_may_leave_at_once(hall, ada, match):
    await hall.stop()
    hall.clock.skip(JUST_JOINED_SECONDS)
    await hall.start()
    ada = await hall.connect_again(ada)
    assert (await ada.leave(match)).events[0] == Left(player=ada.id)


async def test_a_seat_that_was_taken_at_another_node_counts(start_node):
    here, there = await start_node(store=Deaf), await start_node()
    ada, bob = await here.meet("Ada"), await there.meet("Bob")
    match = (await ada.open()).match
    await bob.join(match)
    await expect_refused(ada, match, "Bob")
