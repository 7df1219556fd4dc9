from __future__ import annotations

import asyncio

import pytest

from kit.client import Insider, Wire
from kit.matches import pegs, state_of
from mastermind_protocol.codec import encode_events
from mastermind_protocol.commands import GuessCode, LeaveMatch
from mastermind_protocol.commitment import commit
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import (
    Finished,
    Guessed,
    Joined,
    Left,
    MatchEnd,
    Opened,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
)
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import Phase, Turn
from mastermind_protocol.messages import MAX_ROWS, AnyMessage, Happened, Presence
from mastermind_protocol.proof import find_fraud
from mastermind_protocol.requests import Follow, Guess, Leave, Resign, Secret
from mastermind_server.matches.tables.tables import Tables
from mastermind_server.storage.requests import Stamp
from mastermind_server.storage.store import LogRow

LONG = "AEGEAN"  # the code of a match whose log is long


async def test_two_people_play_a_match_of_two_rounds_and_swap_roles(ada, bob, eve):
    match = (await ada.open(rounds=2, rules="mini")).match
    await bob.join(match)
    await eve.follow(match)
    await ada.set(match, "1234")
    await bob.guess(match, "1243")
    broken = await bob.guess(match, "1234")
    assert [type(event) for event in broken.events] == [Guessed, RoundEnded]

    await bob.set(match, "6666")
    for _ in range(5):
        await ada.guess(match, "1111")
    last = await ada.guess(match, "1111")

    guessed, ended, finished = last.events
    assert guessed == Guessed(code=pegs("1111"), black=0, white=0)
    assert isinstance(ended, RoundEnded)
    assert (ended.how, ended.code, ended.points) == (RoundEnd.EXHAUSTED, pegs("6666"), 7)
    assert finished == Finished(how=MatchEnd.PLAYED, winner=bob.id)
    for person in (ada, bob, eve):
        while person.versions[match] < last.v:
            await person.next()
        seen = person.matches[match]
        assert seen.outcome == finished
        assert [round_.how for round_ in seen.played] == [RoundEnd.BROKEN, RoundEnd.EXHAUSTED]
        assert [round_.points for round_ in seen.played] == [2, 7]
        assert [find_fraud(round_, seen.rules) for round_ in seen.played] == [None, None]


async def test_a_move_is_answered_with_its_event_and_shown_to_everybody_once(ada, bob, eve, match):
    await eve.follow(match)
    await ada.set(match, "1234")
    request = bob.new(Guess, match=match, code=pegs("1234"), v=3)
    await bob.turn(match)
    answer = await bob.ask(request)
    assert isinstance(answer, Happened)
    assert (answer.id, answer.v) == (request.id, 4)
    for person in (ada, bob, eve):
        await person.unfollow(match)  # its answer comes after all the rest
    assert [message for message in bob.unread() if is_event(message, 4)] == []
    for watcher in (ada, eve):
        (shown,) = [message for message in watcher.unread() if is_event(message, 4)]
        assert shown == Happened(match=match, v=4, events=answer.events)


def is_event(message: AnyMessage, version: int) -> bool:
    return isinstance(message, Happened) and message.v == version


async def test_the_codemaker_alone_is_shown_the_secret(ada, bob, eve, match):
    await eve.follow(match)
    (mine,) = (await ada.set(match, "1234")).events
    assert isinstance(mine, SecretSet)
    assert mine.code == pegs("1234")
    for other in (bob, eve):
        told = await other.until(Happened, lambda event: event.v == 3)
        assert told.events == (SecretSet(by=ada.id, commitment=mine.commitment),)
        assert b"\x00\x01\x02\x03" not in b"".join(other.frames)


async def test_every_connection_of_a_codemaker_is_shown_the_secret(hall, ada, match):
    second = await hall.again(ada)
    await second.follow(match)
    mine = await ada.set(match, "1234")
    also = await second.until(Happened)
    assert also.events == mine.events
    assert also.id is None


async def test_moves_against_an_older_version_are_refused(ada, bob, match):
    refusal = await ada.refused(Secret, match=match, code=pegs("1234"), v=1)
    assert (refusal.code, refusal.field, refusal.limit) == (ErrorCode.STALE_VERSION, "v", 2)
    assert (await ada.set(match, "1234")).v == 3
    refusal = await bob.refused(Guess, match=match, code=pegs("1234"), v=9)
    assert refusal.code == ErrorCode.STALE_VERSION
    assert (await bob.guess(match, "1234")).v == 4


@pytest.mark.parametrize(
    ("who", "kind", "digits", "code", "field"),
    [
        ("bob", Secret, "1234", ErrorCode.NOT_YOUR_TURN, None),
        ("bob", Guess, "1234", ErrorCode.WRONG_PHASE, None),
        ("ada", Guess, "1234", ErrorCode.WRONG_PHASE, None),
        ("bob", Resign, None, ErrorCode.WRONG_PHASE, None),
        ("eve", Secret, "1234", ErrorCode.NOT_SEATED, None),
        ("eve", Guess, "1234", ErrorCode.NOT_SEATED, None),
        ("eve", Resign, None, ErrorCode.NOT_SEATED, None),
        ("eve", Leave, None, ErrorCode.NOT_SEATED, None),
        ("ada", Secret, "123", ErrorCode.INVALID_CODE, "code"),
        ("ada", Secret, "12345", ErrorCode.INVALID_CODE, "code"),
        ("ada", Secret, "1237", ErrorCode.INVALID_CODE, "code"),
    ],
)
async def test_what_is_not_legal_is_refused_and_changes_nothing(
    ada, bob, eve, match, who, kind, digits, code, field
):
    person = {"ada": ada, "bob": bob, "eve": eve}[who]
    fields = {} if digits is None else {"code": pegs(digits)}
    refusal = await person.refused(kind, match=match, **fields)
    assert (refusal.code, refusal.field) == (code, field)
    assert len((await eve.follow(match)).rows) == 2


@pytest.mark.parametrize(
    ("who", "digits", "code"),
    [
        ("ada", "1234", ErrorCode.NOT_YOUR_TURN),
        ("eve", "1234", ErrorCode.NOT_SEATED),
        ("bob", "12", ErrorCode.INVALID_CODE),
        ("bob", "7777", ErrorCode.INVALID_CODE),
    ],
)
async def test_a_guess_that_is_not_legal_costs_nothing(ada, bob, eve, match, who, digits, code):
    await ada.set(match, "1234")
    await bob.turn(match)
    person = {"ada": ada, "bob": bob, "eve": eve}[who]
    refusal = await person.refused(Guess, match=match, code=pegs(digits), v=3)
    assert refusal.code == code
    assert (await bob.guess(match, "1111")).v == 4
    assert (await ada.refused(Secret, match=match, code=pegs("1"))).code == ErrorCode.WRONG_PHASE


async def test_who_leaves_a_lobby_closes_it(ada):
    match = (await ada.open(public=True)).match
    answer = await ada.leave(match)
    assert answer.events == (Left(player=ada.id), Finished(how=MatchEnd.CLOSED))
    assert (await ada.list("waiting")).matches == ()


@pytest.mark.parametrize("leaver", ["ada", "bob"])
@pytest.mark.parametrize("phase", [Phase.SETTING, Phase.BREAKING])
async def test_who_leaves_a_running_match_loses_it(ada, bob, match, leaver, phase):
    if phase is Phase.BREAKING:
        await ada.set(match, "1234")
    person, other = (ada, bob) if leaver == "ada" else (bob, ada)
    answer = await person.leave(match)
    assert answer.events[0] == Left(player=person.id)
    assert answer.events[-1] == Finished(how=MatchEnd.LEFT, winner=other.id)
    if phase is Phase.BREAKING:
        shown = answer.events[1]
        assert isinstance(shown, RoundEnded)
        assert (shown.how, shown.code, shown.points) == (RoundEnd.LEFT, pegs("1234"), 0)
    told = await other.until(Happened, lambda event: event.v == answer.v)
    assert told.events == answer.events
    assert await other.until(Presence) == Presence(match=match, player=person.id, here=False)


async def test_who_leaves_a_finished_match_loses_nothing(ada, bob, match):
    await ada.set(match, "1234")
    await bob.guess(match, "1234")
    answer = await ada.leave(match)
    assert answer.events == (Left(player=ada.id),)
    state = state_of(await bob.follow(match))
    assert state.outcome == Finished(how=MatchEnd.PLAYED, winner=bob.id)
    assert (await ada.refused(Leave, match=match)).code == ErrorCode.WRONG_PHASE


async def test_followers_are_told_who_is_lost_and_who_is_back(hall, ada, bob, eve, match):
    assert set((await eve.follow(match)).present) == {ada.id, bob.id}
    second = await hall.again(bob)
    await second.follow(match)
    await bob.close()  # he is still here, by his other connection
    await second.close()
    assert await eve.until(Presence) == Presence(match=match, player=bob.id, here=False)
    assert (await eve.follow(match)).present == (ada.id,)
    back = await hall.again(bob)
    await back.follow(match)
    assert await eve.until(Presence) == Presence(match=match, player=bob.id, here=True)
    await eve.unfollow(match)
    assert [told for told in eve.unread() if isinstance(told, Presence)] == []


async def test_spectators_come_and_go_unannounced(ada, eve, match):
    await ada.follow(match)
    ada.unread()
    await eve.follow(match)
    await eve.unfollow(match)
    await ada.follow(match)
    told = [message for message in ada.unread() if isinstance(message, Presence)]
    assert eve.id not in {presence.player for presence in told}


async def test_following_from_a_version_brings_exactly_the_rows_after_it(ada, bob, eve, match):
    await ada.set(match, "1234")
    for guess in ("1111", "2222", "3333"):
        await bob.guess(match, guess)
    whole = await eve.follow(match)
    for version in range(6):
        assert (await eve.follow(match, version)).rows == whole.rows[version:]
    assert (await eve.follow(match, 6)).rows == ()
    refusal = await eve.refused(Follow, match=match, v=7)  # of another log, it seems
    assert (refusal.code, refusal.limit) == (ErrorCode.STALE_VERSION, 6)


async def test_everybody_may_follow_by_any_number_of_connections(hall, ada, bob, eve, match):
    watchers = [await hall.again(eve) for _ in range(12)]
    logs = await asyncio.gather(*[watcher.follow(match) for watcher in watchers])
    assert len({log.rows for log in logs}) == 1
    await ada.set(match, "1234")
    answer = await bob.guess(match, "1234")
    for watcher in watchers:
        told = await watcher.until(Happened, lambda event: event.v == answer.v)
        assert told.events == answer.events
    assert len({watcher.frames[-1] for watcher in watchers}) == 1


def long_log(guesses: int, maker: Wire, breaker: Wire) -> list[LogRow]:
    """Return the rows of a match in which that many guesses were wrong."""
    first = (
        Opened(rules="knuth", rounds=1),
        Joined(player=maker.player, seat=Seat.MAKER),
        Joined(player=breaker.player, seat=Seat.BREAKER),
    )
    code, nonce = pegs("1234"), bytes(16)
    secret = SecretSet(by=maker.id, commitment=commit(nonce, code), code=code, nonce=nonce)
    wrong = Guessed(code=pegs("5555"), black=0, white=0)
    rows = [first, (secret,), *[(wrong,)] * guesses]
    return [LogRow(LONG, v, 0, encode_events(row)) for v, row in enumerate(rows, start=1)]


async def test_a_long_log_comes_in_several_messages(hall, ada, bob):
    rows = long_log(MAX_ROWS + 6, ada, bob)
    await hall.store.append(*rows)

    first = await bob.follow(LONG)
    assert (len(first.rows), first.more, first.present) == (MAX_ROWS, True, ())
    assert max(map(len, bob.frames)) < 16 * 1024
    second = await bob.follow(LONG, first.rows[-1].v)
    assert (len(second.rows), second.more, second.present) == (8, False, (bob.id,))

    versions = [row.v for log in (first, second) for row in log.rows]
    assert versions == list(range(1, len(rows) + 1))
    assert (await bob.guess(LONG, "1234")).v == len(rows) + 1


async def test_a_log_that_just_fits_comes_in_one_message(hall, ada, bob):
    await hall.store.append(*long_log(MAX_ROWS - 2, ada, bob))
    log = await bob.follow(LONG)
    assert (len(log.rows), log.more) == (MAX_ROWS, False)


async def test_what_happens_comes_only_after_the_whole_log(hall, ada, bob):
    await hall.store.append(*long_log(MAX_ROWS, ada, bob))
    assert (await ada.follow(LONG)).more
    await bob.follow(LONG)
    await bob.follow(LONG, MAX_ROWS)
    await bob.guess(LONG, "1111")
    rest = await ada.follow(LONG, MAX_ROWS)
    assert [row.v for row in rest.rows] == [MAX_ROWS + 1, MAX_ROWS + 2, MAX_ROWS + 3]
    assert not [told for told in ada.unread() if isinstance(told, Happened)]


async def test_of_two_tables_on_one_log_exactly_one_wins_a_version(hall, ada, bob, match):
    await ada.set(match, "1234")
    here, there = Tables(hall.services), Tables(hall.services)  # two nodes, as it were
    watcher = Insider(bob)
    async with here.at(match) as first, there.at(match) as second:
        second.follow(watcher, 1, 0)
        watcher.told()
        outcomes = await asyncio.gather(
            first.perform(GuessCode(pegs("1111")), bob.id, stamp=Stamp(71, b"71"), version=3),
            second.perform(GuessCode(pegs("2222")), bob.id, stamp=Stamp(72, b"72"), version=3),
            return_exceptions=True,
        )
    won = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
    lost = [outcome for outcome in outcomes if isinstance(outcome, Refused)]
    assert [entry.version for entry in won] == [4]
    assert [refusal.code for refusal in lost] == [ErrorCode.STALE_VERSION]
    assert [row.version for row in await hall.store.read_log(match)] == [1, 2, 3, 4]
    there.stop()


async def test_who_loses_a_race_reads_on_and_decides_again(hall, ada, bob, match):
    await ada.set(match, "1234")
    here, there = Tables(hall.services), Tables(hall.services)
    watcher = Insider(ada)
    async with here.at(match) as first, there.at(match) as second:
        second.follow(watcher, 1, 0)
        watcher.told()
        guessed = await first.perform(GuessCode(pegs("1111")), bob.id, version=3)
        left = await second.perform(LeaveMatch(), bob.id)  # legal at any version
    assert (guessed.version, left.version) == (4, 5)
    assert [told.v for told in watcher.told() if isinstance(told, Happened)] == [4, 5]
    (played,) = second.log.state.played
    assert played.turns == (Turn(pegs("1111"), Feedback(1, 0)),)
    there.stop()


async def test_a_request_that_another_table_did_is_answered_and_not_done_again(
    hall, ada, bob, match
):
    await ada.set(match, "1234")
    here, there = Tables(hall.services), Tables(hall.services)
    async with here.at(match) as first, there.at(match) as second:
        entry = await first.perform(
            GuessCode(pegs("1111")), bob.id, stamp=Stamp(71, b"71"), version=3
        )
        same = await second.perform(
            GuessCode(pegs("1111")), bob.id, stamp=Stamp(71, b"71"), version=3
        )
    assert same == entry
    assert len(await hall.store.read_log(match)) == 4
