from __future__ import annotations

import asyncio

from kit.client import PeerStub, RawClient
from kit.matches import pegs
from mastermind_protocol.codec import encode_events
from mastermind_protocol.commands import GuessCode, LeaveMatch
from mastermind_protocol.commitment import commit
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import (
    Guessed,
    Joined,
    Opened,
    Seat,
    SecretSet,
)
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import Turn
from mastermind_protocol.messages import MAX_ROWS, Happened
from mastermind_server.matches.tables.tables import Tables
from mastermind_server.storage.requests import Stamp
from mastermind_server.storage.store import LogRow

LONG = "AEGEAN"  # the code of a match with a long log


def long_log(guesses: int, maker: RawClient, breaker: RawClient) -> list[LogRow]:
    """Return the rows of a match with `guesses` wrong guesses."""
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
    watcher = PeerStub(bob)
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
    watcher = PeerStub(ada)
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
