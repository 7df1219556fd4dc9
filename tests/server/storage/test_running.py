"""A player's matches that are not over: listed, and made from the logs there were before."""

from __future__ import annotations

from kit.client import RawClient
from kit.matches import SeededRandom
from kit.server import GameServer
from mastermind_protocol.codec import encode_events
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import MAX_OWN, OwnMatch
from mastermind_server.storage.records import MatchRecord, Projection, RunningRow
from mastermind_server.storage.store import LogRow, Store
from server.storage.old_database import make_first_database


async def codes(player: RawClient) -> list[str]:
    return [own.match for own in (await player.list_own()).matches]


async def find(player: RawClient, match: str) -> OwnMatch:
    (found,) = (own for own in (await player.list_own()).matches if own.match == match)
    return found


async def changed(hall: GameServer, match: str) -> int:
    return (await hall.store.read_log(match))[-1].at


async def test_every_guess_is_counted_and_is_the_last_change(hall, ada, bob, match):
    await ada.set(match, "1234")
    for guesses in (1, 2):
        await bob.guess(match, "6666")
        found = await find(bob, match)
        assert (found.guesses, found.turn) == (guesses, True)
        assert found.since == await changed(hall, match)
    await bob.advise(match)  # a row of the log, and no guess
    assert (await find(bob, match)).guesses == 2
    await bob.guess(match, "5555")
    assert (await find(ada, match)).guesses == 3


async def test_those_that_wait_for_the_player_come_first_and_of_them_the_last_changed(ada, bob):
    made = [(await ada.open(rules="mini")).match for _ in range(4)]
    waiting, first, second, third = made
    for match in (first, second, third):
        await bob.join(match)
    for match in (second, first):
        await ada.set(match, "1234")
    await bob.guess(second, "6666")
    assert await codes(bob) == [second, first, third]
    theirs = await codes(ada)
    assert (theirs[0], set(theirs[1:])) == (third, {waiting, first, second})


async def test_a_match_that_is_put_aside_waits_and_is_found_without_its_code(hall, ada, bob, match):
    private = (await ada.open()).match
    await ada.unfollow(private)
    await ada.set(match, "1234")
    await bob.guess(match, "6666")
    await bob.close()
    await ada.close()
    await hall.restart()
    again = await hall.again(bob)
    (found,) = (await again.list_own()).matches
    assert (found.match, found.guesses, found.turn) == (match, 1, True)
    assert len((await again.join(found.match)).rows) == 4
    hall.clock.skip(3600)  # a private invitation stays open
    assert await codes(await hall.again(ada)) == [match, private]


async def test_a_match_against_a_bot_is_put_aside_too(idle_hall):
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


async def test_who_follows_a_match_no_more_is_away_since_then(hall, ada, bob, match):
    assert (await find(ada, match)).away is None
    before = hall.clock.time_of_day()
    await bob.unfollow(match)
    hall.clock.skip(60)
    away = (await find(ada, match)).away
    assert away is not None
    assert before - 60_000 <= away <= hall.clock.time_of_day() - 60_000
    await bob.follow(match)
    assert (await find(ada, match)).away is None


async def test_who_has_not_been_seen_at_a_match_is_away_since_it_last_changed(
    hall, ada, bob, match
):
    await bob.close()
    await hall.restart()
    ada = await hall.again(ada)
    found = await find(ada, match)
    assert found.away == found.since
    await ada.join(match)
    found = await find(ada, match)
    assert found.away == found.since


async def test_of_very_many_the_first_are_told_and_that_there_are_more(hall, ada):
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


# What there was before there was such a list.


async def test_the_matches_of_an_older_database_are_listed_when_it_is_opened(
    hall, ada, bob, tmp_path, caplog
):
    await ada.open(rated=True)
    setting = (await ada.open(maker="open", breaker="me")).match
    await bob.join(setting)
    later = (await ada.open(rules="mini", rounds=3)).match
    await bob.join(later)
    await ada.set(later, "1234")
    await bob.guess(later, "6666")
    await bob.guess(later, "1234")
    await bob.set(later, "1234")
    await ada.guess(later, "6666")
    await ada.advise(later)
    await ada.guess(later, "5555")
    by_bot = (await ada.open("knuth", "me", rules="mini")).match
    await ada.guess(by_bot, "6666")
    by_program = (await ada.open()).match
    await (await hall.meet("Mine", program=True)).join(by_program)
    over = (await ada.open()).match
    await ada.leave(over)
    damaged = (await ada.open()).match
    players = (ada.id, bob.id)
    before = [await hall.store.list_running(player, search=99, limit=99) for player in players]
    await hall.store.append(LogRow(damaged, 0, 0, b"no events"))
    await hall.stop()

    make_first_database(tmp_path / "old.sqlite3", hall.database)
    store = await Store.open(tmp_path / "old.sqlite3")
    found = [await store.list_running(player, search=99, limit=99) for player in players]
    await store.close()

    assert found == [[own for own in known if own.row.match != damaged] for known in before]
    assert [len(known) for known in found] == [5, 2]
    assert f"match {damaged} is not counted" in caplog.text
