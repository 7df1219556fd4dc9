from __future__ import annotations

import asyncio
import math
import sqlite3
from contextlib import closing

import pytest

from kit.faults import full_disk
from kit.matches import pegs, state_of
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import Player
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Error, Happened
from mastermind_protocol.requests import Follow, Guess, Open, Secret
from mastermind_server.storage.connection_thread import StorageFailed
from mastermind_server.storage.records import MatchRecord, Projection
from mastermind_server.storage.store import LogRow
from mastermind_server.tuning import CHECKPOINT_PAGES


def row(
    version: int,
    match: str = "ABCDEF",
    player: str = "A",
    request: int | None = None,
    digest: bytes | None = None,
) -> LogRow:
    return LogRow(match, version, 1000 + version, b"\x90", player, request, digest)


def listed(
    match: str, *, public: bool = True, phase: Phase = Phase.GATHERING, at: int = 0
) -> Projection:
    return Projection(MatchRecord(match, "classic", 1, public, phase, "Ada", None, at))


ADA = Player(id="A", name="Ada")


async def test_of_two_who_use_a_code_at_once_one_gets_a_token(any_store):
    await any_store.add_player(ADA, b"a" * 32, 0)
    await any_store.add_transfer("A", b"a" * 32, b"code", until=300, now=0)
    both = [any_store.take_transfer(b"code", digit * 32, now=0) for digit in (b"2", b"3")]
    assert sorted(map(bool, await asyncio.gather(*both))) == [False, True]
    assert await any_store.count_tokens("A") == 2


async def test_of_two_computers_that_log_each_other_out_one_stays(any_store):
    await any_store.add_player(ADA, b"a" * 32, 0)
    await any_store.add_transfer("A", b"a" * 32, b"code", until=300, now=0)
    await any_store.take_transfer(b"code", b"2" * 32, now=0)
    both = [any_store.revoke("A", digit * 32, others=True) for digit in (b"a", b"2")]
    assert sorted(await asyncio.gather(*both)) == [False, True]
    assert await any_store.count_tokens("A") == 1


async def test_commits_are_synced_to_disk(store):
    """The pragmas are the durability: WAL with synchronous=FULL syncs every commit."""
    answers: list[object] = []

    def ask(session):
        names = ("journal_mode", "synchronous", "wal_autocheckpoint")
        answers.extend(session.driver.execute(f"PRAGMA {name}").fetchone()[0] for name in names)

    await store._writer.write(ask)
    assert answers == ["wal", 2, CHECKPOINT_PAGES]


async def test_on_a_full_disk_nothing_is_there_and_later_it_works_again(store, caplog):
    await store.append(row(1))
    with full_disk():
        outcomes = await asyncio.gather(
            store.append(row(2)),
            store.append(row(1, "OTHERS"), row(3), projections=[listed("OTHERS")]),
            store.add_player(Player(id="A", name="Ada"), b"digest of a token", 0),
            return_exceptions=True,
        )
        assert await store.read_log("ABCDEF") == [row(1)]  # reads still work
    assert [type(outcome) for outcome in outcomes] == [StorageFailed] * 3
    assert "a commit of" in caplog.text
    await store.append(row(2))
    await store.add_player(Player(id="A", name="Ada"), b"a" * 32, 0)
    assert await store.read_log("ABCDEF") == [row(1), row(2)]
    assert await store.read_log("OTHERS") == []


async def test_the_log_of_a_failure_does_not_hold_what_was_to_be_saved(store, caplog):
    await store._writer.write(
        lambda session: session.driver.execute("PRAGMA max_page_count=1").close()
    )
    with pytest.raises(StorageFailed):
        await store.add_player(Player(id="A", name="x" * 100_000), b"digest of a token", 0)
    assert "database or disk is full" in caplog.text
    assert "digest of a token" not in caplog.text
    assert "xxx" not in caplog.text


async def test_a_move_that_cannot_be_saved_is_refused_and_can_be_made_again(
    ada, bob, eve, match, caplog
):
    await eve.follow(match)
    await ada.turn(match)
    secret = ada.new(Secret, match=match, code=pegs("1562"))
    with full_disk():
        refusal = await ada.refused(Secret, match=match, code=pegs("1562"))
        assert (refusal.code, refusal.retry_after) == (ErrorCode.STORAGE_FAILED, 1)
        refusal = await bob.refused(Open, rules="mini", maker="me", breaker="open")
        assert refusal.code == ErrorCode.STORAGE_FAILED
    log = await eve.follow(match)
    assert state_of(log).phase is Phase.SETTING
    assert "0, 4, 5, 1" not in caplog.text
    assert "\\x00\\x04\\x05\\x01" not in caplog.text

    assert await ada.ask(secret)
    assert (await bob.guess(match, "1562")).v == 4
    assert [row.v for row in (await eve.follow(match)).rows] == [1, 2, 3, 4]


async def test_a_read_only_file_refuses_a_move_that_is_made_when_it_is_none_any_more(
    hall, ada, match, caplog
):
    drivers: list[sqlite3.Connection] = []
    await hall.store._writer.write(lambda session: drivers.append(session.driver))
    secret = ada.new(Secret, match=match, code=pegs("1562"), v=2)
    drivers[0].execute("PRAGMA query_only=ON")  # SQLite fails as it does on such a file
    refusal = await ada.ask(secret)
    assert isinstance(refusal, Error)
    assert (refusal.code, refusal.retry_after) == (ErrorCode.STORAGE_FAILED, 1)
    assert "a commit of 1 writes failed: attempt to write a readonly database" in caplog.text
    assert state_of(await ada.follow(match)).phase is Phase.SETTING
    drivers[0].execute("PRAGMA query_only=OFF")
    assert isinstance(await ada.ask(secret), Happened)


async def test_a_request_that_could_not_be_saved_is_done_when_it_is_repeated(ada, bob, match):
    await ada.set(match, "1234")
    await bob.turn(match)
    guess = bob.new(Guess, match=match, code=pegs("1111"))
    with full_disk():
        first = await bob.ask(guess)
    assert getattr(first, "code", None) == ErrorCode.STORAGE_FAILED
    again = await bob.ask(guess)
    assert getattr(again, "v", None) == 4


async def test_a_damaged_page_is_one_line_of_the_log_and_storage_failed(idle_hall, caplog):
    await idle_hall.start()
    await idle_hall.stop()
    with closing(sqlite3.connect(idle_hall.database)) as kept:
        pages = list(kept.execute("SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'log'"))
        ((size,),) = kept.execute("PRAGMA page_size")
    with idle_hall.database.open("r+b") as file:
        for (page,) in pages:
            file.seek((page - 1) * size)
            file.write(b"\xff" * size)
    await idle_hall.start()
    ada = await idle_hall.meet("Ada")
    caplog.clear()
    refusal = await ada.refused(Follow, match="ABCDEF")
    assert (refusal.code, refusal.retry_after) == (ErrorCode.STORAGE_FAILED, 1)
    assert "could not read" in refusal.message
    (line,) = [record for record in caplog.records if record.name.startswith("mastermind")]
    assert line.getMessage() == "the database could not be read: database disk image is malformed"
    assert line.exc_info is None


async def test_what_the_store_does_is_counted(store):
    await store.check()
    await asyncio.gather(*(store.append(row(version)) for version in (1, 2, 3)))
    await store.append(row(4), row(1, "OTHERS"), projections=[listed("OTHERS")])
    with full_disk(), pytest.raises(StorageFailed):
        await store.append(row(5))
    found = store.measure()
    written, read = (dict(times.within)[math.inf] for times in (found.writing, found.reading))
    assert (found.rows, found.failures, written, read) == (5, 1, 5, 1)
