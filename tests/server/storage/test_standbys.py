"""A store whose primary is lost, and whose standby is promoted."""

from __future__ import annotations

import asyncio
from contextlib import closing

import psycopg
import pytest
import sqlalchemy as sa

from kit.client import PATIENCE
from kit.postgres import PostgresServer
from mastermind_server.storage.engines import listener
from mastermind_server.storage.engines.database import DatabaseUnusable
from mastermind_server.storage.engines.postgresql import PostgresDatabase, migrate_database
from mastermind_server.storage.statements.log import read_log
from mastermind_server.storage.statements.standbys import Standbys, read_standbys
from mastermind_server.storage.store import SessionMode, Store, open_session
from mastermind_server.storage.threads import StorageFailed
from server.storage.builders import row
from server.storage.engines.test_postgresql import keep

TIMEOUT_SECONDS = 0.3  # of a group of jobs whose commit waits in vain


def write_hosts(*hosts: str | int, database: str) -> str:
    """Return the URL of a database on hosts: folders of sockets, or ports of this machine."""
    pairs = [("127.0.0.1", host) if isinstance(host, int) else (host, 5432) for host in hosts]
    names, ports = zip(*pairs, strict=True)
    text = f"postgresql://postgres@/{database}?host={','.join(names)}"
    return f"{text}&port={','.join(map(str, ports))}"


async def test_a_store_with_two_hosts_finds_the_primary_before_and_after_a_promotion(
    postgres_standby, proxy, postgres_url
):
    database = sa.make_url(postgres_url).database
    assert database is not None
    folder = str(postgres_standby.folder)
    url = write_hosts(folder, proxy.port, database=database)
    store = await Store.open(url)
    before = store.epoch
    await store.append(row("AAAAAA"))
    proxy.cut()
    with pytest.raises(
        DatabaseUnusable, match=f": 127.0.0.1: .*, {folder}: session is read-only; "
    ):
        await Store.open(write_hosts(proxy.port, folder, database=database))
    postgres_standby.promote()
    await keep(store, row("AAAAAA", 2))
    with open_session(postgres_standby.url(database), SessionMode.READ) as session:
        assert [each.version for each in read_log(session, "AAAAAA")] == [1, 2]
    assert store.epoch != before
    await store.close()


async def test_a_primary_that_waits_in_vain_for_its_standby_is_left_for_the_promoted_one(
    postgres_server, postgres_programs, monkeypatch
):
    """As when the primary is cut off, or Patroni hangs there: it stays a primary for some time."""
    url = postgres_server.url()
    migrate_database(url)
    with closing(PostgresServer.make(postgres_programs, primary=url)) as standby:
        require_standby(postgres_server)
        store = await Store.open(f"{url},{standby.folder}")
        await store.append(row("AAAAAA"))
        connected = asyncio.Queue[object]()
        monkeypatch.setattr(listener, "LISTENER_CHECK_SECONDS", 0.3)
        listening = asyncio.create_task(store.listen(connected.put_nowait))
        assert await connected.get() == ()
        standby.promote()
        monkeypatch.setattr(PostgresDatabase, "timeout", TIMEOUT_SECONDS)
        await keep(store, row("AAAAAA", 2))
        async with asyncio.timeout(PATIENCE):
            while await connected.get() != ():  # the listener connects again
                pass
        listening.cancel()
        with open_session(standby.url(), SessionMode.READ) as session:
            assert [each.version for each in read_log(session, "AAAAAA")] == [1, 2]
        await store.close()


async def test_a_connection_that_has_become_read_only_is_replaced(postgres_url):
    store = await Store.open(postgres_url)

    def demote(session):
        session.driver.execute("SET default_transaction_read_only = on")

    await store.write(demote)
    with pytest.raises(StorageFailed):
        await store.append(row("AAAAAA"))
    await store.append(row("AAAAAA"))
    await store.close()


def find_standbys(url: str, role: str = "postgres") -> Standbys:
    """Return the standbys that a role sees."""
    with open_session(url, SessionMode.READ) as session:
        session.driver.execute(f"SET ROLE {role}")
        found = read_standbys(session)
    assert found is not None
    return found


def require_standby(primary: PostgresServer) -> None:
    """Make commits wait for a standby."""
    with psycopg.connect(primary.url(), autocommit=True) as driver:
        driver.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        driver.execute("SELECT pg_reload_conf()")


async def test_rows_that_no_standby_has_are_not_shown_after_a_crash_of_the_primary(
    postgres_server, postgres_programs, monkeypatch
):
    """The answer to a repeated request would be an acknowledgement."""
    url = postgres_server.url()
    migrate_database(url)
    store = await Store.open(url)
    await store.append(row("AAAAAA"))
    assert find_standbys(url) == Standbys(0, 0, required=False, expected=False)
    assert find_standbys(f"{url},{postgres_server.folder}").expected
    require_standby(postgres_server)
    assert find_standbys(url) == Standbys(0, 0, required=True, expected=True)
    with monkeypatch.context() as patch:
        patch.setattr(PostgresDatabase, "timeout", TIMEOUT_SECONDS)
        with pytest.raises(StorageFailed):
            await store.append(row("AAAAAA", 2))
        postgres_server.kill()
        postgres_server.start()
        with pytest.raises(StorageFailed):
            await store.look_up(read_log, "AAAAAA")
    with open_session(url, SessionMode.READ) as session:
        assert len(read_log(session, "AAAAAA")) == 2
    with closing(PostgresServer.make(postgres_programs, primary=url)):
        assert len(await store.look_up(read_log, "AAAAAA")) == 2
        assert find_standbys(url) == Standbys(1, 1, required=True, expected=True)
        assert find_standbys(url, "pg_signal_backend").synchronous is None
    await store.close()
