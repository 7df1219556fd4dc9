from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from kit.certificates import Authority
from kit.client import RawClient
from kit.postgres import find_socket
from kit.proxy import Proxy
from kit.server import GameServer, make_database
from mastermind_server.monitoring.logs import quiet_libraries
from mastermind_server.storage.store import Store


@pytest.fixture(autouse=True, scope="session")
def _quiet() -> None:
    quiet_libraries()


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    """An authority that issues certificates, all into the same files."""
    return Authority(tmp_path)


@pytest.fixture
async def idle_hall(tmp_path: Path) -> AsyncIterator[GameServer]:
    """A server that the test starts, to choose its delays and its chance."""
    hall = GameServer(tmp_path)
    yield hall
    await hall.close()


@pytest.fixture
async def hall(idle_hall: GameServer) -> GameServer:
    """A running server."""
    await idle_hall.start()
    return idle_hall


@pytest.fixture
async def proxy(postgres_url: str) -> AsyncIterator[Proxy]:
    """A line to the database that can fail."""
    async with Proxy.to(find_socket(postgres_url)) as proxy:
        yield proxy


@pytest.fixture
def far_url(proxy: Proxy, postgres_url: str) -> str:
    """The URL of the database behind the proxy."""
    far = sa.make_url(postgres_url).difference_update_query(["host"])
    return far.set(host="127.0.0.1", port=proxy.port).render_as_string(hide_password=False)


@pytest.fixture
async def ada(hall: GameServer) -> RawClient:
    return await hall.meet("Ada")


@pytest.fixture
async def bob(hall: GameServer) -> RawClient:
    return await hall.meet("Bob")


@pytest.fixture
async def eve(hall: GameServer) -> RawClient:
    return await hall.meet("Eve")


@pytest.fixture
async def match(ada: RawClient, bob: RawClient) -> str:
    """A match of Ada, codemaker, and Bob, codebreaker, before its secret is set."""
    code = (await ada.open(maker="me", breaker="open")).match
    await bob.join(code)
    return code


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    database = tmp_path / "store.sqlite3"
    make_database(database)
    store = await Store.open(database)
    yield store
    await store.close()


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where a store with empty tables is, in one database after the other."""
    if request.param == "SQLite":
        database = tmp_path / "store.sqlite3"
        make_database(database)
        return database
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
async def any_store(place: Path | str) -> AsyncIterator[Store]:
    """A store in either database."""
    store = await Store.open(place)
    yield store
    await store.close()
