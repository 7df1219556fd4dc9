"""The archive and the running matches of a player: rows, lists and pages."""

from __future__ import annotations

from operator import attrgetter

import pytest
from msgspec.structs import replace

from kit.client import RawClient
from kit.clock import near
from kit.faults import full_disk
from kit.matches import pegs
from kit.rated import leave, start_rated, win
from mastermind_protocol.codec import encode_events
from mastermind_protocol.commands import Command, GuessCode, LeaveMatch, ResignRound, SetSecret
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import Joined, MatchEnd, Opened, Player, Seat
from mastermind_protocol.match import Match, Phase
from mastermind_protocol.messages import (
    MAX_ARCHIVED_MATCHES,
    MAX_OWN_MATCHES,
    Archived,
    ArchivedMatch,
    OwnMatch,
)
from mastermind_protocol.requests import Archive, Guess
from mastermind_protocol.transitions import Decision, decide, fold
from mastermind_server.storage.records import (
    ABANDONED_DAYS,
    ArchiveRow,
    MatchRecord,
    Projection,
    RunningMatch,
    RunningRow,
    find_move_deadline,
    make_archive_rows,
    make_archived_match,
    make_own_match,
    make_projection,
    make_running_rows,
)
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.store import Store

ADA, BOB = Player("ADA", "Ada"), Player("BOB", "Bob")
BOT, PROGRAM = Player("bot-knuth", "knuth", bot="knuth"), Player("ROB", "Rob", program=True)
BY_OPPONENT = attrgetter("opponent")


def codes(page: Archived) -> list[str]:
    return [match.match for match in page.matches]


async def play(maker: RawClient, breaker: RawClient, guesses: int = 1) -> str:
    """Play a match of one round, which the codebreaker wins; return its code."""
    match = (await maker.open(rules="mini")).match
    await breaker.join(match)
    await maker.set(match, "1234")
    for _ in range(guesses - 1):
        await breaker.guess(match, "6666")
    await breaker.guess(match, "1234")
    return match


def test_each_row_of_a_match_has_the_name_of_its_clock():
    begun = fold(start_rated())
    running = make_projection("ABCDEF", begun, 1, 0)
    ended = make_projection("ABCDEF", win(begun, begun.players[0].id)[1].after, 2, 0)

    assert running.record.clock == ended.record.clock == "5+3"
    assert [row.clock for row in running.running] == ["5+3"] * 2
    assert [row.clock for row in ended.archived] == ["5+3"] * 2
    first, _ = ended.archived
    assert make_archived_match(first).clock == "5+3"


@pytest.mark.parametrize(
    ("clock", "phase", "changed", "deadline"),
    [
        ("3d/move", Phase.BREAKING, 5000, 5000 + 3 * 24 * 3600 * 1000),
        ("3d/move", Phase.SETTING, 5000, 5000 + 3 * 24 * 3600 * 1000),
        ("60/move", Phase.BREAKING, 5000, 65_000),
        ("5+3", Phase.SETTING, 0, 20_000),
        ("5+3", Phase.BREAKING, 5000, None),  # depends on all guesses
        ("3d/move", Phase.GATHERING, 0, None),
        (None, Phase.BREAKING, 0, None),
    ],
)
def test_the_deadline_of_a_move_follows_from_the_last_row_but_not_by_a_fischer_clock(
    clock, phase, changed, deadline
):
    (row, _) = make_projection("ABCDEF", fold(start_rated()), 1, 0).running
    row = row._replace(clock=clock, phase=phase)
    found = RunningMatch(row, version=9, changed=changed, due=20_000)
    assert find_move_deadline(found) == deadline


@pytest.mark.parametrize(
    ("clock", "deadline", "until", "left"),
    [
        ("3d/move", 9000, 9000, None),
        ("5+3", 9000, None, 2000),
        ("5+3", 6000, None, 0),
        ("5+3", None, None, None),
    ],
)
def test_the_deadline_is_a_time_of_day_for_days_and_a_duration_for_a_live_clock(
    clock, deadline, until, left
):
    (row, _) = make_projection("ABCDEF", fold(start_rated()), 1, 0).running
    found = RunningMatch(row._replace(clock=clock), version=9, changed=5000, due=None)
    own = make_own_match(found, None, deadline, now=7000)
    assert (own.clock, own.until, own.left) == (clock, until, left)


def test_a_match_is_due_some_days_after_its_last_change():
    waiting = fold(
        [Opened(rules="mini", rounds=1), Joined(player=Player("A", "Ada"), seat=Seat.MAKER)]
    )
    at, day = 1_700_000_000_000, 24 * 3600 * 1000
    assert make_projection("ABCDEF", waiting, 1, at, 3).record.due == at + 3 * day
    assert make_projection("ABCDEF", waiting, 1, at).record.due == at + ABANDONED_DAYS * day


def finish(
    script: str, rounds: int, breaker: Player = BOB, maker: Player = ADA, rated: bool = False
) -> Match:
    """Return the match that a script makes: codes in turn, `resign`, or the name of who leaves."""
    seated = (Joined(player=maker, seat=Seat.MAKER), Joined(player=breaker, seat=Seat.BREAKER))
    match = fold((Opened(rules="mini", rounds=rounds, rated=rated), *seated))
    command: Command
    for word in script.split():
        mover = match.to_move
        if word in (maker.name, breaker.name):
            command, mover = LeaveMatch(), maker if word == maker.name else breaker
        elif word == "resign":
            command = ResignRound()
        elif match.phase is Phase.SETTING:
            command = SetSecret(pegs(word), bytes(16))
        else:
            command = GuessCode(pegs(word))
        assert mover is not None
        decision = decide(match, command, mover.id)
        assert isinstance(decision, Decision), decision
        match = decision.after
    return match


FOUR_ROUNDS = "1234 6666 1234 1234 1234 1234 6666 resign 1234 6666 Ada"  # she leaves the last


@pytest.mark.parametrize(
    ("script", "rounds", "won", "how", "points", "tries"),
    [
        ("1234 6666 1234 5555 5555", 2, True, MatchEnd.PLAYED, (2, 1), ((1,), (2,))),
        ("1234 1234 1234 1234", 2, None, MatchEnd.PLAYED, (1, 1), ((1,), (1,))),
        ("1234 1234", 1, False, MatchEnd.PLAYED, (1, 0), ((), (1,))),
        (FOUR_ROUNDS, 4, False, MatchEnd.LEFT, (9, 8), ((1,), (2, 0))),
        ("Bob", 1, True, MatchEnd.LEFT, (0, 0), ((), ())),
    ],
)
def test_a_finished_match_is_archived_from_the_view_of_each_player(
    script, rounds, won, how, points, tries
):
    match = finish(script, rounds, rated=True)
    assert make_running_rows("ABCDEF", match, 9, 7) == ()
    ada, bob = sorted(
        map(make_archived_match, make_archive_rows("ABCDEF", match, 7)), key=BY_OPPONENT
    )
    common = {"match": "ABCDEF", "rules": "mini", "rounds": rounds, "rated": True, "at": 7}
    guesses = sum(len(played.turns) for played in match.played)
    assert bob == ArchivedMatch(
        **common, seat=Seat.MAKER, opponent="Bob", won=won, how=how, guesses=guesses,
        points=points, tries=tries[0],
    )  # fmt: skip
    assert ada == ArchivedMatch(
        **common, seat=Seat.BREAKER, opponent="Ada", won=None if won is None else not won, how=how,
        guesses=guesses, points=points[::-1], tries=tries[1],
    )  # fmt: skip


def test_a_match_that_closes_before_the_first_guess_is_not_archived():
    closed = leave(fold(start_rated()), ADA.id).after
    assert make_archive_rows("ABCDEF", closed, 7) == ()


@pytest.mark.parametrize(
    ("breaker", "maker", "bots"),
    [
        (BOB, ADA, [False, False]),
        (BOT, ADA, [True]),
        (PROGRAM, ADA, [False, True]),
        (BOT, replace(BOT, id="bot-maker", name="other"), []),
    ],
)
def test_bots_of_the_server_have_no_rows(breaker, maker, bots):
    match = finish("1234 1234", 1, breaker, maker)
    assert sorted(row.bot for row in make_archive_rows("ABCDEF", match, 0)) == bots
    running = make_running_rows("ABCDEF", finish("1234", 1, breaker, maker), 9, 7)
    assert sorted(row.bot for row in running) == bots


@pytest.mark.parametrize(
    ("script", "mine", "theirs"),
    [
        ("", (1, "setting", "maker", True, 5), (1, "setting", "breaker", False, 5)),
        ("1234 6666", (1, "breaking", "maker", False, 4), (1, "breaking", "breaker", True, 4)),
        ("1234 1234", (2, "setting", "breaker", False, 5), (2, "setting", "maker", True, 5)),
    ],
)
def test_a_running_match_is_listed_from_the_view_of_each_player(script, mine, theirs):
    rows = {row.player: row for row in make_running_rows("ABCDEF", finish(script, 2), 5, 7)}
    for player, opponent, expected in ((ADA, BOB, mine), (BOB, ADA, theirs)):
        row = rows[player.id]
        assert (row.round, row.phase, row.seat, row.turn, row.others) == expected
        assert (row.opponent, row.opponent_id, row.at) == (opponent.name, opponent.id, 7)


async def test_the_pages_of_an_archive_contain_each_match_once(hall, ada):
    for number in range(2 * MAX_ARCHIVED_MATCHES + 1):  # three of them finish in one millisecond
        await keep(hall.store, ada.id, number, at=number // 3)
    pages = [await ada.archive()]
    while pages[-1].more:
        pages.append(await ada.archive(before=codes(pages[-1])[-1]))
    assert [len(page.matches) for page in pages] == [MAX_ARCHIVED_MATCHES, MAX_ARCHIVED_MATCHES, 1]
    found = [(match.at, match.match) for page in pages for match in page.matches]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == 2 * MAX_ARCHIVED_MATCHES + 1
    assert (await ada.archive(before=found[-1][1])).matches == ()


async def test_a_page_before_a_foreign_match_is_refused(ada, bob, eve):
    foreign = await play(ada, bob)
    running = (await eve.open()).match
    for code in ("ZZZZZZ", foreign, running):
        refusal = await eve.refused(Archive, before=code)
        assert (refusal.code, refusal.field) == (ErrorCode.UNKNOWN_MATCH, "before")
        assert refusal.message == f"you have no finished match {code}"


async def test_a_match_is_archived_in_the_commit_of_its_end(hall, ada, bob, match):
    await ada.set(match, "1234")
    await bob.wait_for_turn(match)
    with full_disk():
        refusal = await bob.refused(Guess, match=match, code=pegs("1234"))
        assert refusal.code == ErrorCode.STORAGE_FAILED
    assert (await bob.archive()).matches == ()
    await bob.guess(match, "1234")
    assert codes(await bob.archive()) == [match]
    await hall.restart()
    again = await hall.connect_again(bob)
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


# The running matches of a player.


async def find(player: RawClient, match: str) -> OwnMatch:
    (found,) = (own for own in (await player.list_own()).matches if own.match == match)
    return found


async def test_an_opponent_who_unfollows_is_away_since_then(hall, ada, bob, match):
    assert (await find(ada, match)).away is None
    before = hall.clock.unix_milliseconds()
    await bob.unfollow(match)
    hall.clock.skip(60)
    away = (await find(ada, match)).away
    assert away is not None
    assert before - 60_000 <= away <= hall.clock.unix_milliseconds() - 60_000
    await bob.follow(match)
    assert (await find(ada, match)).away is None


async def test_an_opponent_who_was_never_there_is_away_since_the_last_change(hall, ada, bob, match):
    await bob.close()
    await hall.restart()
    ada = await hall.connect_again(ada)
    found = await find(ada, match)
    assert found.away == found.since
    await ada.join(match)
    found = await find(ada, match)
    assert found.away == found.since


async def test_a_live_clock_has_the_time_left_while_the_match_is_in_memory(hall):
    ada, bob, match = await hall.begin_match(clock="5+3")
    await ada.set(match, "1234")
    await bob.wait_for_turn(match)
    hall.clock.skip(10)
    assert (await find(bob, match)).left == near(290_000)
    await bob.guess(match, "1122")
    hall.clock.skip(5)
    for player in (ada, bob):
        assert (await find(player, match)).left == near(288_000)
    await hall.restart()
    bob = await hall.connect_again(bob)
    assert (await find(bob, match)).left is None
    await bob.follow(match)
    assert (await find(bob, match)).left is not None


async def test_a_list_of_many_matches_ends_and_says_that_there_are_more(hall, ada):
    for number in range(MAX_OWN_MATCHES):
        await keep_running(hall.store, ada.id, number)
    listed = await ada.list_own()
    assert (len(listed.matches), listed.more) == (MAX_OWN_MATCHES, False)
    await keep_running(hall.store, ada.id, MAX_OWN_MATCHES)
    listed = await ada.list_own()
    assert (len(listed.matches), listed.more) == (MAX_OWN_MATCHES, True)
    assert listed.matches[0].since == MAX_OWN_MATCHES


async def keep_running(store: Store, player: str, number: int) -> None:
    match = f"AAAA{number // 8 + 2}{number % 8 + 2}"
    row = RunningRow(
        match=match, player=player, at=number, rules="mini", rounds=1, round=1, phase="setting",
        rated=False, seat="maker", opponent="Bob", opponent_id="BOB", bot=False, turn=True,
        others=1,
    )  # fmt: skip
    record = MatchRecord(match, "mini", 1, False, Phase.SETTING, "Ada", "Bob", number)
    projection = Projection(record, running=(row,))
    await store.append(LogRow(match, 1, number, encode_events(())), projections=[projection])
