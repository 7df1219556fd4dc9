"""A connection pooler between a server and PostgreSQL is refused, in each of its modes."""

from __future__ import annotations

import os
from contextlib import closing

import psycopg
import pytest

from kit.pgbouncer import MODES, find_pgbouncer, pooling
from mastermind_server.storage.engines.database import DatabaseUnusable
from mastermind_server.storage.engines.postgresql import PostgresDatabase, connect, migrate_database

ADVICE = "poolers such as pgbouncer are not supported, .*: name the host and port of PostgreSQL"
IGNORED = "application_name,options"  # the usual workaround


@pytest.fixture
def pgbouncer():
    if (program := find_pgbouncer()) is not None:
        return program
    if "CI" in os.environ:
        pytest.fail("there is no pgbouncer")
    return pytest.skip("there is no pgbouncer")


def test_a_pooler_that_passes_or_ignores_settings_is_refused_in_each_mode(pgbouncer, postgres_url):
    with pooling(pgbouncer, postgres_url, ignored=IGNORED) as urls:
        with closing(psycopg.connect(urls["session"], autocommit=True)) as driver:
            assert driver.execute("SELECT count(*) FROM log").fetchone() == (0,)  # it works
        for mode in MODES:
            for open_in_some_way in (PostgresDatabase, connect, migrate_database):
                with pytest.raises(DatabaseUnusable, match=f"cannot be used: .*; {ADVICE}"):
                    open_in_some_way(urls[mode])


def test_a_pooler_that_refuses_settings_has_the_same_advice(pgbouncer, postgres_url):
    with (
        pooling(pgbouncer, postgres_url) as urls,
        pytest.raises(DatabaseUnusable, match=f"unsupported startup parameter: options; {ADVICE}"),
    ):
        PostgresDatabase(urls["transaction"])
