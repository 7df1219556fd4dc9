from __future__ import annotations

import pytest
import sqlalchemy as sa

from kit.postgres import Databases
from mastermind_server.storage.store import Store


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def any_url(request, tmp_path):
    """The URL of a database without tables, one after the other."""
    if request.param == "SQLite":
        return f"sqlite:///{tmp_path / 'any.sqlite3'}"
    databases: Databases = request.getfixturevalue("postgres_databases")
    return databases.make()


@pytest.fixture
def any_connection(any_url):
    engine = sa.create_engine(any_url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        yield connection
    engine.dispose()


@pytest.fixture
async def far(far_url):
    """A store with its database behind the proxy."""
    store = await Store.open(far_url)
    yield store
    await store.close()
