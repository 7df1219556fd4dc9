"""A player's matches that are not over: listed, and made from the logs there were before."""

from __future__ import annotations

from kit.client import RawClient
from kit.matches import SeededRandom
from mastermind_protocol.codec import encode_events
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import MAX_OWN, OwnMatch
from mastermind_server.storage.records import MatchRecord, Projection, RunningRow
from mastermind_server.storage.store import LogRow, Store


async def find(player: RawClient, match: str) -> OwnMatch:
    (found,) = (own for own in (await player.list_own()).matches if own.match == match)
    return found


async def test_a_match_against_a_bot_is_listed_after_a_restart(idle_hall):
    await idle_hall.start(random=SeededRandom(0))
    ada = await idle_hall.meet("Ada")
    match = (await ada.open("knuth", "me", rules="mini")).match
    await ada.guess(match, "6666")
    await ada.close()
    await idle_hall.restart()
    idle_hall.clock.skip(3600)
    ada = await idle_hall.again(ada)
    (found,) = (await ada.list_own()).matches
    assert (found.match, found.opponent, found.bot) == (match, "knuth", True)
    assert (found.guesses, found.turn, found.away) == (1, True, None)
    await ada.join(match)
    await ada.guess(match, "5555")


async def test_an_opponent_who_unfollows_is_away_since_then(hall, ada, bob, match):
    assert (await find(ada, match)).away is None
    before = hall.clock.time_of_day()
    await bob.unfollow(match)
    hall.clock.skip(60)
    away = (await find(ada, match)).away
    assert away is not None
    assert before - 60_000 <= away <= hall.clock.time_of_day() - 60_000
    await bob.follow(match)
    assert (await find(ada, match)).away is None


async def test_an_opponent_who_was_never_there_is_away_since_the_last_change(hall, ada, bob, match):
    await bob.close()
    await hall.restart()
    ada = await hall.again(ada)
    found = await find(ada, match)
    assert found.away == found.since
    await ada.join(match)
    found = await find(ada, match)
    assert found.away == found.since


async def test_a_list_of_many_matches_ends_and_says_that_there_are_more(hall, ada):
    for number in range(MAX_OWN):
        await keep(hall.store, ada.id, number)
    listed = await ada.list_own()
    assert (len(listed.matches), listed.more) == (MAX_OWN, False)
    await keep(hall.store, ada.id, MAX_OWN)
    listed = await ada.list_own()
    assert (len(listed.matches), listed.more) == (MAX_OWN, True)
    assert listed.matches[0].since == MAX_OWN


async def keep(store: Store, player: str, number: int) -> None:
    match = f"AAAA{number // 8 + 2}{number % 8 + 2}"
    row = RunningRow(
        match=match, player=player, at=number, rules="mini", rounds=1, round=1, phase="setting",
        rated=False, seat="maker", opponent="Bob", opponent_id="BOB", bot=False, turn=True,
        others=1,
    )  # fmt: skip
    record = MatchRecord(match, "mini", 1, False, Phase.SETTING, "Ada", "Bob", number)
    projection = Projection(record, running=(row,))
    await store.append(LogRow(match, 1, number, encode_events(())), projections=[projection])
