"""A snapshot shows the guesses of a match to a client that does not follow it."""

from __future__ import annotations

from msgspec.structs import replace

from kit.matches import pegs, state_of
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import MAX_SNAPSHOT_GUESSES
from mastermind_protocol.requests import Follow, ShowSnapshot
from mastermind_server.matches.tables.views import make_snapshot
from server.matches.nodes.stores import Deaf

GUESSES = [f"{first}{second}55" for first in "111" for second in "234"]


async def test_a_snapshot_shows_the_last_guesses_of_the_round_as_a_spectator_sees_them(
    ada, bob, eve, match
):
    before = await eve.snapshot(match)
    assert (before.phase, before.guesses, before.turns) == (Phase.SETTING, 0, ())
    await ada.set(match, "4321")
    for typed in GUESSES:
        await bob.guess(match, typed)
    seen = await eve.snapshot(match)
    followed = state_of(await eve.follow(match))
    assert seen == make_snapshot(seen.id, match, followed)
    assert (seen.phase, seen.round, seen.guesses) == (Phase.BREAKING, 1, len(GUESSES))
    assert [turn.code for turn in seen.turns] == list(map(pegs, GUESSES[-MAX_SNAPSHOT_GUESSES:]))
    await bob.resign(match)
    ended = await eve.snapshot(match)
    assert ended == replace(seen, id=ended.id, phase=Phase.FINISHED)


async def test_a_snapshot_makes_no_spectator_and_keeps_no_table_in_use(hall, ada, bob, eve, match):
    await eve.snapshot(match)
    assert hall.server.tables.get(match).followers.spectators == 0
    await ada.set(match, "1234")
    await eve.settle()
    assert eve.unread() == []
    for player in (ada, bob):
        await player.unfollow(match)
    await eve.snapshot(match)
    assert hall.server.tables.get_used(match) is None


async def test_a_snapshot_of_an_unknown_match_is_refused_like_following_it(eve):
    refusals = [await eve.refused(kind, match="ZZZZZZ") for kind in (ShowSnapshot, Follow)]
    assert replace(refusals[0], id=None) == replace(refusals[1], id=None)


async def test_a_snapshot_has_the_guesses_at_other_nodes(start_node):
    here = await start_node()
    there = await start_node(store=Deaf)  # no notice keeps its table in use
    ada, bob, match = await here.begin_match()
    eve = await there.meet("Eve")
    await ada.set(match, "1234")
    assert (await eve.snapshot(match)).guesses == 0
    await bob.guess(match, "1122")
    assert (await eve.snapshot(match)).guesses == 1
