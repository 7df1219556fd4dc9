"""The archive: a player's own finished matches, paged, and made from the logs there were before."""

from __future__ import annotations

from kit.client import Wire
from kit.faults import full_disk
from kit.matches import Dice, pegs
from mastermind_protocol.codec import encode_events
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import Joined, MatchEnd, Opened, Player, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import MAX_ARCHIVED, Archived, ArchivedMatch
from mastermind_protocol.requests import Archive, Guess
from mastermind_protocol.transitions import fold
from mastermind_server.storage.records import (
    ArchiveRow,
    MatchRecord,
    Projection,
    archive_match,
    project,
)
from mastermind_server.storage.store import LogRow, Store
from mastermind_server.tuning import ABANDONED_DAYS
from server.storage.old_database import make_first_database


def codes(page: Archived) -> list[str]:
    return [match.match for match in page.matches]


async def play(maker: Wire, breaker: Wire, guesses: int = 1) -> str:
    """Play a match of one round, which the codebreaker wins; return its code."""
    match = (await maker.open(rules="mini")).match
    await breaker.join(match)
    await maker.set(match, "1234")
    for _ in range(guesses - 1):
        await breaker.guess(match, "6666")
    await breaker.guess(match, "1234")
    return match


def test_a_match_is_due_so_many_days_after_it_has_changed():
    waiting = fold(
        [Opened(rules="mini", rounds=1), Joined(player=Player("A", "Ada"), seat=Seat.MAKER)]
    )
    at, day = 1_700_000_000_000, 24 * 3600 * 1000
    assert project("ABCDEF", waiting, 1, at, 3).record.due == at + 3 * day
    assert project("ABCDEF", waiting, 1, at).record.due == at + ABANDONED_DAYS * day


async def test_a_match_of_two_rounds_is_kept_as_each_player_looks_back_on_it(hall, ada, bob, eve):
    match = (await ada.open(rules="mini", rounds=2, rated=True)).match
    await eve.follow(match)
    await bob.join(match)
    await ada.set(match, "1234")
    await bob.guess(match, "6666")
    assert (await ada.archive()).matches == ()  # it is not over
    await bob.guess(match, "1234")
    await bob.set(match, "5555")
    await ada.guess(match, "5555")
    ended = (await hall.store.read_log(match))[-1].at

    kept = ArchivedMatch(
        match=match, rules="mini", rounds=2, rated=True, at=ended, seat=Seat.MAKER, opponent="Bob",
        won=True, how=MatchEnd.PLAYED, guesses=3, points=(2, 1),
        tries=(1,),
    )  # fmt: skip
    assert (await ada.archive()).matches == (kept,)
    (theirs,) = (await bob.archive()).matches
    assert (theirs.seat, theirs.opponent, theirs.won) == (Seat.BREAKER, "Ada", False)
    assert (theirs.points, theirs.tries) == ((1, 2), (2,))
    assert (await eve.archive()).matches == ()


async def test_a_draw_is_won_by_nobody(ada, bob):
    match = (await ada.open(rules="mini", rounds=2)).match
    await bob.join(match)
    await ada.set(match, "1234")
    await bob.guess(match, "1234")
    await bob.set(match, "1234")
    await ada.guess(match, "1234")
    for player in (ada, bob):
        (kept,) = (await player.archive()).matches
        assert (kept.won, kept.points) == (None, (1, 1))


async def test_the_guesses_of_each_round_are_kept_for_whoever_broke_it(ada, bob):
    match = (await ada.open(rules="mini", rounds=4)).match
    await bob.join(match)
    rounds = ((ada, bob, "6666 1234"), (bob, ada, "1234"), (ada, bob, "6666"), (bob, ada, "6666"))
    for maker, breaker, guesses in rounds:
        await maker.set(match, "1234")
        for guess in guesses.split():
            await breaker.guess(match, guess)
        if guesses == "6666" and breaker is bob:
            await bob.resign(match)
    await ada.leave(match)  # in a round of hers that so counts for nothing
    (kept,), (theirs,) = (await ada.archive()).matches, (await bob.archive()).matches
    assert (kept.tries, theirs.tries) == ((1,), (2, 0))


async def test_a_match_that_was_left_is_kept_and_one_that_was_closed_is_not(ada, bob, match):
    await bob.leave(match)  # in setting: no round was played
    closed = (await ada.open()).match
    await ada.leave(closed)
    (kept,) = (await ada.archive()).matches
    assert (kept.match, kept.how, kept.won, kept.guesses) == (match, MatchEnd.LEFT, True, 0)
    assert kept.seat is Seat.MAKER
    (theirs,) = (await bob.archive()).matches
    assert (theirs.won, theirs.seat) == (False, Seat.BREAKER)


async def test_a_match_against_a_bot_is_its_players_and_one_of_bots_is_nobodys(idle_hall):
    await idle_hall.start(random=Dice(0))
    ada = await idle_hall.meet("Ada")
    match = (await ada.open("knuth", "me", rules="mini")).match
    await ada.turn(match)
    await ada.resign(match)
    watched = (await ada.open("random", "random", rules="mini", secret=pegs("1234"))).match
    while ada.matches[watched].outcome is None:
        await ada.next()
    (kept,) = (await ada.archive()).matches
    assert (kept.match, kept.opponent, kept.bot, kept.won) == (match, "knuth", True, False)


async def test_a_program_is_no_person(hall, ada):
    mine = await hall.meet("Mine", program=True)
    match = await play(ada, mine)
    (kept,) = (await ada.archive()).matches
    assert (kept.match, kept.bot) == (match, True)
    (theirs,) = (await mine.archive()).matches
    assert not theirs.bot


async def test_pages_go_back_in_time_and_none_is_missed_or_told_twice(hall, ada):
    for number in range(2 * MAX_ARCHIVED + 1):  # three of them finish in one millisecond
        await keep(hall.store, ada.id, number, at=number // 3)
    pages = [await ada.archive()]
    while pages[-1].more:
        pages.append(await ada.archive(before=codes(pages[-1])[-1]))
    assert [len(page.matches) for page in pages] == [MAX_ARCHIVED, MAX_ARCHIVED, 1]
    found = [(match.at, match.match) for page in pages for match in page.matches]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == 2 * MAX_ARCHIVED + 1
    assert (await ada.archive(before=found[-1][1])).matches == ()


async def test_a_full_last_page_has_no_more(hall, ada):
    for number in range(MAX_ARCHIVED):
        await keep(hall.store, ada.id, number, at=number)
    page = await ada.archive()
    assert (len(page.matches), page.more) == (MAX_ARCHIVED, False)


async def test_nothing_comes_before_a_match_that_is_unknown_or_anothers(ada, bob, eve):
    foreign = await play(ada, bob)
    running = (await eve.open()).match
    for code in ("ZZZZZZ", foreign, running):
        refusal = await eve.refused(Archive, before=code)
        assert (refusal.code, refusal.field) == (ErrorCode.UNKNOWN_MATCH, "before")
        assert refusal.message == f"match {code} is none of your finished ones"


async def test_what_happens_after_the_end_changes_nothing(ada, bob):
    match = await play(ada, bob)
    before = (await ada.archive()).matches
    await ada.rematch(match)
    await bob.leave(match)
    assert (await ada.archive()).matches == before


async def test_the_row_is_there_when_the_end_is_and_not_without_it(hall, ada, bob, match):
    await ada.set(match, "1234")
    await bob.turn(match)
    with full_disk():
        refusal = await bob.refused(Guess, match=match, code=pegs("1234"))
        assert refusal.code == ErrorCode.STORAGE_FAILED
    assert (await bob.archive()).matches == ()
    await bob.guess(match, "1234")
    assert codes(await bob.archive()) == [match]
    await hall.restart()
    again = await hall.again(bob)
    assert codes(await again.archive()) == [match]


async def keep(store: Store, player: str, number: int, at: int) -> None:
    match = f"AAAA{number // 8 + 2}{number % 8 + 2}"
    row = ArchiveRow(
        player=player, match=match, at=at, rules="mini", rounds=1, rated=False, seat="maker",
        opponent="Bob", bot=False, won=True, how="played", guesses=3, mine=4, theirs=0, tries=[3],
    )  # fmt: skip
    record = MatchRecord(match, "mini", 1, False, Phase.FINISHED, "Ada", "Bob", at)
    kept = Projection(record, archived=(row,))
    await store.append(LogRow(match, 1, at, encode_events(())), projections=[kept])


def test_a_match_that_is_not_over_has_no_rows():
    ada, bob = Player(id="ADA", name="Ada"), Player(id="BOB", name="Bob")
    running = fold(
        (
            Opened(rules="mini", rounds=1),
            Joined(player=ada, seat=Seat.BREAKER),
            Joined(player=bob, seat=Seat.MAKER),
        )
    )
    assert archive_match("ABCDEF", running, 0) == ()


# What there was before there was an archive.


async def test_the_matches_of_an_older_database_are_archived_when_it_is_opened(
    hall, ada, bob, tmp_path, caplog
):
    rematched = await play(ada, bob)
    await ada.rematch(rematched)
    await bob.leave(rematched)
    left = (await ada.open(rounds=2)).match
    await bob.join(left)
    await ada.set(left, "1234")
    await bob.guess(left, "4321")
    await ada.leave(left)
    closed = (await ada.open()).match
    await ada.leave(closed)
    longer = (await ada.open(rules="mini", rounds=3, rated=True)).match
    await bob.join(longer)
    for maker, breaker in ((ada, bob), (bob, ada), (ada, bob)):
        await maker.set(longer, "1234")
        await breaker.guess(longer, "6666")
        await breaker.guess(longer, "1234")
    drawn = (await bob.open(rules="mini", rounds=2)).match
    await ada.join(drawn)
    await bob.set(drawn, "1234")
    await ada.resign(drawn)
    await ada.set(drawn, "1234")
    await bob.resign(drawn)
    by_bot = (await ada.open("knuth", "me", rules="mini")).match
    await ada.turn(by_bot)
    await ada.resign(by_bot)
    by_program = await play(await hall.meet("Mine", program=True), ada)
    damaged = await play(bob, ada)
    await hall.store.append(LogRow(damaged, 0, 0, b"no events"))
    kept = [await hall.store.list_archive(player.id, limit=9) for player in (ada, bob)]
    await hall.stop()

    make_first_database(tmp_path / "old.sqlite3", hall.database)
    store = await Store.open(tmp_path / "old.sqlite3")
    found = [await store.list_archive(player.id, limit=9) for player in (ada, bob)]
    assert await store.read_chat(left) == []
    await store.close()

    assert found == [[row for row in rows or () if row.match != damaged] for rows in kept]
    matches = {row.match for row in found[0] or ()}
    assert matches == {left, rematched, longer, drawn, by_bot, by_program}
    assert f"match {damaged} is left out of the archive" in caplog.text
