"""Failures and recovery with a PostgreSQL that is killed, cut off or locked."""

from __future__ import annotations

import asyncio
import re
import select
import threading
from collections.abc import Sequence

import psycopg
import pytest
import sqlalchemy as sa

from kit.client import PATIENCE
from kit.matches import pegs
from kit.postgres import LOCKED_OUT
from kit.server import GameServer
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.requests import Guess
from mastermind_server.storage.engines import postgresql_engine
from mastermind_server.storage.engines.database import DatabaseUnusable
from mastermind_server.storage.engines.postgresql import (
    NODE_CONNECTIONS,
    PostgresDatabase,
    PostgresSession,
    migrate_database,
)
from mastermind_server.storage.idempotency import RequestKey
from mastermind_server.storage.notices import Notice, RowWritten
from mastermind_server.storage.rows import LogRow, RowTaken
from mastermind_server.storage.statements.lobby import set_due_of_abandoned_lobbies
from mastermind_server.storage.statements.log import find_request, read_log
from mastermind_server.storage.statements.matches import list_due, list_running, postpone
from mastermind_server.storage.store import MOVES_PER_COMMIT, SessionMode, Store, open_session
from mastermind_server.storage.threads import StorageFailed
from server.storage.builders import cancel, listed, row


async def keep(store: Store, fresh: LogRow) -> None:
    """Append a row as a client's node does: again, until the store is there."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                await store.append(fresh)
            except StorageFailed:
                await asyncio.sleep(0.01)
            except RowTaken:  # by ourselves, in the moment of a cut
                return
            else:
                return


def count_sessions(url: str) -> int:
    """Return the number of connections of nodes to the server."""
    with psycopg.connect(url) as driver:
        found = driver.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = 'mastermind'"
        ).fetchone()
    assert found is not None
    return int(found[0])


async def test_the_first_calls_after_a_restart_of_the_database_succeed(postgres_server):
    migrate_database(postgres_server.url())
    store = await Store.open(postgres_server.url())

    async def call_all_threads(match: str) -> None:
        await store.append(row(match))
        await store.write_locking(postpone, {match: 0})
        for read in (store.read, store.look_up):
            assert await read(read_log, match) == [row(match)]

    await call_all_threads("AAAAAA")
    for match, stop in (("BBBBBB", postgres_server.kill), ("CCCCCC", postgres_server.stop)):
        stop()
        postgres_server.start()
        await call_all_threads(match)
    assert store.measure().failures == 0
    await store.close()


async def test_a_killed_database_fails_calls_until_it_runs_again(postgres_server, caplog):
    migrate_database(postgres_server.url())
    store = await Store.open(postgres_server.url())
    heard: asyncio.Queue[Sequence[Notice]] = asyncio.Queue()
    store.interests.add("CCCCCC")
    listening = asyncio.create_task(store.listen(heard.put_nowait))
    await store.append(row("AAAAAA"))
    busy = psycopg.connect(postgres_server.url())
    busy.pgconn.send_query(b"SELECT count(*) FROM (SELECT generate_series(1, 1000000000)) AS n")
    postgres_server.kill()
    assert select.select([busy.fileno()], [], [], 0)[0], "a session outlives the server"
    busy.close()
    with pytest.raises(StorageFailed):
        await store.append(row("BBBBBB"))
    with pytest.raises(StorageFailed):
        await store.read(read_log, "AAAAAA")
    with pytest.raises(StorageFailed):  # by a connection of its own
        await store.append(row("BBBBBB"))
    postgres_server.start()
    await store.append(row("BBBBBB"))
    assert await store.read(read_log, "AAAAAA") == [row("AAAAAA")]
    async with asyncio.timeout(PATIENCE):
        for number in range(1, 1000):
            await store.append(row("CCCCCC", number))
            if heard.qsize() and any(isinstance(n, RowWritten) for n in heard.get_nowait()):
                break
            await asyncio.sleep(0.01)
    assert "store-writer: a group of 1 failed" in caplog.text
    assert "store-reader: a group of 1 failed" in caplog.text
    await cancel(listening)
    await store.close()
    async with asyncio.timeout(PATIENCE):  # a session ends a moment after its connection
        for _ in iter(lambda: count_sessions(postgres_server.url()), 0):
            await asyncio.sleep(0)


async def test_a_line_that_drops_after_a_read_is_replaced(far, proxy):
    assert await far.read(list_running, "A", searched=1, limit=1) == []  # by SQLAlchemy
    proxy.cut()
    with pytest.raises(StorageFailed):
        await far.read(read_log, "AAAAAA")  # by the driver alone
    proxy.restore()
    async with asyncio.timeout(PATIENCE):
        assert await far.read(read_log, "AAAAAA") == []


async def test_a_database_that_stops_answering_fails_calls_in_time(far, proxy, caplog, monkeypatch):
    await far.append(row("AAAAAA"))
    assert len(await far.read(read_log, "AAAAAA")) == 1
    await far.write(lambda _: None)  # until the notice of the row is sent, after its commit
    proxy.freeze()
    with monkeypatch.context() as patch:
        patch.setattr(PostgresDatabase, "timeout", 0.3)
        first = asyncio.ensure_future(far.append(row("BBBBBB")))
        await asyncio.sleep(0)  # the thread has it, and the others wait behind it
        waiting = [far.append(row(f"M{number:05}")) for number in range(2 * MOVES_PER_COMMIT)]
        outcomes = await asyncio.gather(
            first, *waiting, far.read(read_log, "AAAAAA"), return_exceptions=True
        )
        assert {type(outcome) for outcome in outcomes} == {StorageFailed}
        with pytest.raises(StorageFailed):
            await far.append(row("CCCCCC"))
    proxy.restore()
    await keep(far, row("CCCCCC"))
    assert "store-writer: a group of 1 failed" in caplog.text


@pytest.mark.parametrize("group", [1, 2])
async def test_a_row_whose_commit_was_cut_off_is_found_when_it_is_sent_again(far, proxy, group):
    rows = [row("AAAAAA", number, number) for number in range(1, group + 1)]
    proxy.cut_after(b"INSERT INTO log" if group == 1 else b"COMMIT")
    with pytest.raises(StorageFailed):
        await far.append(*rows)
    with pytest.raises(RowTaken):
        await far.append(*rows)
    assert await far.read(read_log, "AAAAAA") == rows
    assert await far.read(find_request, "A", RequestKey(1, b"")) == ("AAAAAA", 1)


async def test_a_move_whose_commit_was_cut_off_is_made_once(tmp_path, start_node, far_url, proxy):
    here, there = GameServer(tmp_path, far_url), await start_node()
    await here.start()
    ada, bob = await there.meet("Ada"), await here.meet("Bob")
    match = (await ada.open(maker="me", breaker="open")).match
    await bob.join(match)
    await ada.set(match, "1234")
    await bob.wait_for_turn(match)
    guess = bob.new(Guess, match=match, code=pegs("1111"))
    proxy.cut_after(b"INSERT INTO log")
    outcome = await bob.ask(guess)
    assert getattr(outcome, "code", None) == ErrorCode.STORAGE_FAILED
    again = await bob.ask(guess)
    assert getattr(again, "v", None) == 4
    assert len(await here.store.read(read_log, match)) == 4
    assert (await bob.guess(match, "2222")).v == 5
    await here.close()


async def test_only_a_write_that_waits_for_a_lock_fails(postgres_url, monkeypatch, caplog):
    monkeypatch.setattr(postgresql_engine, "LOCK_TIMEOUT_SECONDS", 0.5)
    store = await Store.open(postgres_url)
    with psycopg.connect(postgres_url) as other:
        other.execute("INSERT INTO log (match, version, at, events) VALUES ('AAAAAA', 1, 0, '')")
        rows = [row("AAAAAA"), row("BBBBBB"), row("CCCCCC")]
        outcomes = await asyncio.gather(*map(store.append, rows), return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [StorageFailed, type(None), type(None)]
        other.rollback()
    await store.append(row("AAAAAA"))
    assert caplog.messages == [
        "store-writer: a group of 1 failed: canceling statement due to lock timeout"
    ]
    await store.close()


async def test_the_open_transaction_of_a_lost_node_blocks_no_other_node(
    far_url, proxy, postgres_url, monkeypatch
):
    monkeypatch.setattr(postgresql_engine, "IDLE_TRANSACTION_SECONDS", 0.3)
    loop = asyncio.get_running_loop()
    far, near = await Store.open(far_url), await Store.open(postgres_url)

    def begin(session):
        session.insert_log([row("AAAAAA")])
        loop.call_soon_threadsafe(proxy.freeze)
        session.driver.execute("SELECT pg_sleep(0)")  # the last message that passes
        session.driver.execute("SELECT pg_sleep(0)")

    with monkeypatch.context() as patch:
        patch.setattr(PostgresDatabase, "timeout", 0.3)
        with pytest.raises(StorageFailed):
            await far.write(begin)
    await keep(near, row("AAAAAA"))
    proxy.restore()
    await far.close()
    await near.close()


async def test_commits_are_synced_to_disk_against_the_settings_of_the_database(postgres_url):
    options = {"options": "-c synchronous_commit=off -c work_mem=1234kB"}
    url = sa.make_url(postgres_url).update_query_dict(options)
    store = await Store.open(url.render_as_string(hide_password=False))

    def ask(session):
        names = ("synchronous_commit", "default_transaction_isolation", "work_mem")
        return [session.driver.execute(f"SHOW {name}").fetchone()[0] for name in names]

    assert await store.read(ask) == ["on", "read committed", "1234kB"]
    await store.close()


async def test_an_ordinary_role_can_read_the_epoch(postgres_url):
    store = await Store.open(postgres_url)

    def read_as_ordinary_role(session):
        session.driver.execute("CREATE ROLE ordinary")
        session.driver.execute("SET LOCAL ROLE ordinary")
        epoch = session.read_epoch()
        session.driver.execute("RESET ROLE")
        session.driver.execute("DROP ROLE ordinary")
        return epoch

    assert await store.write(read_as_ordinary_role) == store.epoch
    await store.close()


async def test_a_write_that_timed_out_before_it_began_is_not_done(postgres_url, monkeypatch):
    store, given_up = await Store.open(postgres_url), threading.Event()

    class Slow(PostgresSession):
        def notify(self, notices):
            given_up.wait(PATIENCE)
            super().notify(notices)  # on a line that is cut by then

    monkeypatch.setattr("mastermind_server.storage.engines.postgresql.PostgresSession", Slow)
    await store.append(row("AAAAAA"))
    with monkeypatch.context() as patch:
        patch.setattr(PostgresDatabase, "timeout", 0.3)
        with pytest.raises(StorageFailed):
            await store.append(row("BBBBBB"))
    given_up.set()
    await keep(store, row("CCCCCC"))
    assert await store.read(read_log, "BBBBBB") == []
    await store.close()


async def test_deadlines_skip_a_locked_lobby(postgres_url):
    store = await Store.open(postgres_url)
    await store.append(row(), projections=[listed("AAAAAA", due=1000)])
    with psycopg.connect(postgres_url) as other:
        other.execute("SELECT FROM matches FOR UPDATE")
        await store.write_locking(set_due_of_abandoned_lobbies, 5)
        await store.write_locking(postpone, {"AAAAAA": 2000})
    assert await store.read(list_due, 1000, limit=9) == ["AAAAAA"]
    assert await store.read(list_due, 5, limit=9) == []
    await store.write_locking(set_due_of_abandoned_lobbies, 5)
    assert await store.read(list_due, 5, limit=9) == ["AAAAAA"]
    await store.close()


def test_a_session_of_an_operator_has_no_timeouts(postgres_url):
    with open_session(postgres_url, SessionMode.EXCLUSIVE) as session:
        for limit in ("lock_timeout", "idle_in_transaction_session_timeout"):
            assert session.driver.execute(f"SHOW {limit}").fetchone() == ("0",)


WRONG = "5ecret"


@pytest.mark.parametrize(
    ("changed", "why", "advice"),
    [
        (
            {"username": LOCKED_OUT, "password": WRONG},
            f'password authentication failed for user "{LOCKED_OUT}"',
            "MASTERMIND_STORE_PASSWORD_FILE names the file",
        ),
        ({"database": "none"}, 'database "none" does not exist', "create it"),
        ({"username": "limited"}, 'too many connections for role "limited"', "a node needs 5"),
        ({"username": "stranger"}, "permission denied for table alembic_version", "use the role"),
        (
            {"query": {"options": "-c default_transaction_read_only=on"}},
            "cannot execute DELETE in a read-only transaction",
            "name the primary",
        ),
    ],
)
def test_an_error_of_postgresql_has_advice_and_no_password(postgres_url, changed, why, advice):
    with psycopg.connect(postgres_url, autocommit=True) as driver:
        driver.execute("CREATE ROLE limited LOGIN CONNECTION LIMIT 0; CREATE ROLE stranger LOGIN")
        try:
            url = sa.make_url(postgres_url)
            query = {**url.query, **changed.pop("query", {})}
            text = url.set(**changed, query=query).render_as_string(hide_password=False)
            with pytest.raises(DatabaseUnusable) as error:
                write_through(text)
        finally:
            driver.execute("DROP ROLE limited; DROP ROLE stranger")
    assert re.fullmatch(f"the database cannot be used: .*{why}; .*{advice}.*", str(error.value))
    assert WRONG not in str(error.value)


def write_through(url: str) -> None:
    with open_session(url, SessionMode.WRITE) as session:
        session.driver.execute("DELETE FROM log")


async def test_a_node_needs_as_many_connections_as_its_advice_names(start_node, postgres_url):
    hall = await start_node()
    ada = await hall.meet("Ada")
    await ada.open(maker="random", breaker="me")
    await hall.store.read(list_running, "A", searched=1, limit=1)
    async with asyncio.timeout(PATIENCE):  # the listener connects in the background
        for count in iter(lambda: count_sessions(postgres_url), NODE_CONNECTIONS):
            assert count < NODE_CONNECTIONS
            await asyncio.sleep(0)


@pytest.mark.parametrize("url", ["mysql://db/mastermind", "sqlite:///file", "nowhere"])
def test_a_url_of_another_database_is_refused(url):
    with pytest.raises(DatabaseUnusable, match="that is no URL of a database: postgresql:"):
        PostgresDatabase(url)


def test_a_missing_database_cannot_be_used(tmp_path):
    with pytest.raises(DatabaseUnusable, match=r"cannot be used: .*No such file"):
        PostgresDatabase(f"postgresql:///nowhere?host={tmp_path}")
