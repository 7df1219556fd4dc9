"""The listener of a node on PostgreSQL."""

import asyncio
from collections.abc import Sequence

import psycopg
import pytest

from kit.client import PATIENCE
from mastermind_server.storage.engines import listener
from mastermind_server.storage.notices import (
    Interests,
    MatchChanged,
    Notice,
    RowWritten,
    TokensRevoked,
)
from mastermind_server.storage.store import Store
from server.storage.builders import cancel, row

Heard = asyncio.Queue[Sequence[Notice]]


def listen(store: Store) -> tuple[Heard, asyncio.Task[None]]:
    """Listen to the part AA, in a task. Return the heard notices and the task."""
    store.interests.add("AAAAAA")
    heard = Heard()
    return heard, asyncio.create_task(store.listen(heard.put_nowait))


async def send(store: Store, *notices: Notice) -> None:
    await store.write(lambda session: session.notices.extend(notices))


async def test_a_node_hears_of_matches_in_its_parts_and_of_what_all_nodes_need(postgres_url):
    store = await Store.open(postgres_url)
    heard, listening = listen(store)
    async with asyncio.timeout(PATIENCE):
        assert await heard.get() == ()
        await send(store, MatchChanged("AAAABB"), MatchChanged("BBBBAA"), TokensRevoked("p-1"))
        found = {notice for _ in range(2) for notice in await heard.get()}
    assert found == {MatchChanged("BBBBAA"), TokensRevoked("p-1")}
    await cancel(listening)
    await store.close()


async def test_a_node_is_told_when_the_notices_of_another_part_arrive(postgres_url):
    store = await Store.open(postgres_url)
    heard, listening = listen(store)
    reported: asyncio.Queue[set[str]] = asyncio.Queue()
    store.interests.watcher = reported.put_nowait
    async with asyncio.timeout(PATIENCE):
        assert await heard.get() == ()
        store.interests.add("AAAABB")
        assert await reported.get() == {"BB"}
        await send(store, MatchChanged("AAAABB"))
        assert await heard.get() == [MatchChanged("AAAABB")]
        store.interests.keep(["AAAABB"])
        store.interests.add("AAAACC")  # when it is reported, the part AA has ended
        assert await reported.get() == {"CC"}
        await send(store, MatchChanged("AAAAAA"), MatchChanged("AAAABB"))
        assert await heard.get() == [MatchChanged("AAAABB")]
    assert reported.empty()
    await cancel(listening)
    await store.close()


async def test_a_listener_replaces_a_dead_line(far, proxy, postgres_url, caplog, monkeypatch):
    monkeypatch.setattr(listener, "LISTENER_CHECK_SECONDS", 0.3)
    monkeypatch.setattr("mastermind_server.storage.engines.postgresql.RETRY_SECONDS", 0.01)
    heard, listening = listen(far)
    near = await Store.open(postgres_url)

    async def tell(match):
        await near.write(lambda session: session.notices.append(MatchChanged(match)))

    async def hear_of(match):
        while heard.empty() or heard.get_nowait() != [MatchChanged(match)]:
            await tell(match)

    async with asyncio.timeout(PATIENCE):
        for end in (proxy.freeze, proxy.cut):
            await hear_of("AAAAAA")
            end()
            while not any("no notices" in message for message in caplog.messages):
                await tell("CCCCAA")
            caplog.clear()
            proxy.restore()
        await hear_of("BBBBAA")
    await cancel(listening)
    await near.close()


def is_executing() -> bool:
    """Return whether a statement of an asynchronous connection is pending."""
    return any("execute" in repr(task.get_coro()) for task in asyncio.all_tasks())


async def test_listening_to_a_database_that_stops_answering_ends_at_once(far, proxy, monkeypatch):
    monkeypatch.setattr(listener, "LISTENER_CHECK_SECONDS", 0.01)
    heard, listening = listen(far)
    async with asyncio.timeout(PATIENCE):
        assert await heard.get() == ()
        monkeypatch.setattr(listener, "LISTENER_CHECK_SECONDS", 2 * PATIENCE)
        proxy.freeze()
        for _ in iter(is_executing, True):
            await asyncio.sleep(0)
        connections = proxy.accepted
        await cancel(listening)
        assert proxy.accepted == connections  # psycopg has not asked for the end of the statement
    proxy.restore()


async def test_an_unreadable_notification_does_not_stop_the_listener(
    postgres_url, monkeypatch, caplog
):
    monkeypatch.setattr("mastermind_server.storage.engines.postgresql.RETRY_SECONDS", 0.01)
    store = await Store.open(postgres_url)
    heard, listening = listen(store)
    async with asyncio.timeout(PATIENCE):
        assert await heard.get() == ()
        with psycopg.connect(postgres_url, autocommit=True) as driver:
            driver.execute("NOTIFY mastermind, 'a:b'")
        assert await heard.get() == ()  # all may be new
        await store.append(row("AAAAAA"))
        assert await heard.get() == [RowWritten("AAAAAA", 1)]
    (record,) = caplog.records
    assert record.exc_info  # it is a bug
    await cancel(listening)
    await store.close()


async def test_a_notification_names_any_number_of_matches(postgres_url):
    store = await Store.open(postgres_url)
    news = {RowWritten(f"{number:04}AA", 2_000_000_000 + number) for number in range(2000)}
    heard, listening = listen(store)
    async with asyncio.timeout(PATIENCE):
        assert await heard.get() == ()
        await store.write_locking(lambda session: session.notices.extend(news))
        while news:
            news.difference_update(await heard.get())
    await cancel(listening)
    await store.close()


async def test_the_loop_does_not_watch_a_socket_that_libpq_has_closed(postgres_url):
    connection = await psycopg.AsyncConnection.connect(postgres_url, autocommit=True)
    descriptor, interests, heard = connection.fileno(), Interests(), Heard()
    failing = asyncio.create_task(interests.changed.wait())  # called before the listener is
    await asyncio.sleep(0)
    running = asyncio.create_task(
        listener.Listener(connection, interests, heard.put_nowait).run(lambda: True)
    )
    async with asyncio.timeout(PATIENCE):
        assert await heard.get() == ()
        with psycopg.connect(postgres_url, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", [connection.info.backend_pid])
        await failing
        assert not asyncio.get_running_loop().remove_reader(descriptor)
        with pytest.raises(psycopg.OperationalError):
            await running
    await connection.close()
