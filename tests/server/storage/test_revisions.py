from __future__ import annotations

import ast
import asyncio
import time
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection

from mastermind_server.storage.engines import postgresql, postgresql_engine
from mastermind_server.storage.engines.database import DatabaseUnusable
from mastermind_server.storage.engines.postgresql import migrate_database
from mastermind_server.storage.revisions import REVISION, migrate
from mastermind_server.storage.schema import archive, metadata, names, players, ratings, standings
from mastermind_server.storage.statements.log import read_log
from mastermind_server.storage.store import Store

TABLES = {
    "archive", "bans", "chat", "days", "log", "loss_checks", "matches", "names", "nodes", "orders",
    "outages", "players", "presence", "ratings", "running", "standings", "tokens", "transfers",
    "tries",
}  # fmt: skip


@pytest.fixture
def connection(tmp_path):
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'schema.sqlite3'}")
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def configure(connection: Connection) -> Config:
    made = Config()
    made.set_main_option("script_location", "mastermind_server:storage/migrations")
    made.attributes["connection"] = connection
    return made


def tables(connection: Connection) -> set[str]:
    return set(sa.inspect(connection).get_table_names()) - {"alembic_version"}


def find_differences(connection: Connection) -> list[object]:
    """Return the differences between a database's tables and the schema of the code."""

    def is_there(_thing: object, name: str | None, *_: object) -> bool:
        return name != "ix_log_at" or connection.dialect.name == "postgresql"

    options = {"compare_type": True, "include_object": is_there}
    return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


def describe(connection: Connection) -> dict[str, object]:
    """Return the tables of a database, without the order of their columns."""
    seen = sa.inspect(connection)
    return {
        table: (
            {column["name"]: repr(column) for column in seen.get_columns(table)},
            seen.get_pk_constraint(table),
            sorted(map(str, seen.get_indexes(table))),
            seen.get_unique_constraints(table),
        )
        for table in seen.get_table_names()
    }


def test_a_new_database_equals_a_migrated_one(any_connection):
    migrate(any_connection)
    made = describe(any_connection)
    metadata.drop_all(any_connection)
    any_connection.exec_driver_sql("DROP TABLE alembic_version")
    command.upgrade(configure(any_connection), "head")
    assert describe(any_connection) == made
    assert ScriptDirectory.from_config(configure(any_connection)).get_heads() == [REVISION]
    assert MigrationContext.configure(any_connection).get_current_revision() == REVISION


def test_every_older_revision_is_migrated_to_the_schema_of_the_code(any_connection):
    script = ScriptDirectory.from_config(configure(any_connection))
    command.upgrade(configure(any_connection), "head")
    for older in [revision.revision for revision in script.walk_revisions()]:
        command.downgrade(configure(any_connection), older)
        migrate(any_connection)
        assert find_differences(any_connection) == []
        assert tables(any_connection) == TABLES


def test_a_migration_finds_the_fewest_guesses_in_the_archive(any_connection):
    migrate(any_connection)
    numbers = {"deviation": 80, "volatility": 0.06, "rounds": 3, "broken": 2, "guesses": 20}
    played = {"player": "A", "rules": "classic", "at": 0, "rating": 1500, **numbers}
    sums = {"wins": 3, "draws": 0, "losses": 0, "opponents": 0}
    any_connection.execute(sa.insert(standings).values(n=3, **played, **sums))
    finished = {"rounds": 2, "rated": True, "seat": "maker", "opponent": "Bob", "bot": False}
    ends = {"how": "played", "guesses": 9, "mine": 6, "theirs": 4}
    for n, tries in enumerate(([10, 0, 4], [5], [0]), 1):
        rating = {"n": n, "match": f"M{n}", "opponent": "B", "established": False, "score": 1}
        any_connection.execute(sa.insert(ratings).values(**played, **rating))
        match = {"player": "A", "match": f"M{n}", "at": 0, "rules": "classic", "tries": tries}
        any_connection.execute(sa.insert(archive).values(**match, **finished, **ends))
    command.downgrade(configure(any_connection), "0007")

    migrate(any_connection)

    found = any_connection.scalars(sa.select(ratings.c.fewest).order_by(ratings.c.n))
    assert list(found) == [4, 5, None]
    assert any_connection.scalar(sa.select(standings.c.fewest)) == 4


def test_a_migration_computes_the_skeletons_of_names_again(any_connection):
    migrate(any_connection)
    created = {"OLD": 1, "NEW": 2, "PAST": None, "BOB": 3}
    for player, at in created.items():
        if at is not None:
            account = {"id": player, "name": player, "created": at}
            any_connection.execute(sa.insert(players).values(**account))
    now = int(time.time() * 1000)
    claims = [  # skeletons of an earlier version, where they differ
        {"skeleton": "bob", "player": "BOB", "name": "Bob", "seen": 9},
        {"skeleton": "1", "player": "BOB", "name": "\u0412\u043e\u042c", "seen": 8},
        {"skeleton": "2", "player": "NEW", "name": "\u53e3\u5de5", "seen": 7},
        {"skeleton": "3", "player": "OLD", "name": "\u30ed\u30a8", "seen": 1},
        {"skeleton": "4", "player": "PAST", "name": "\u30ed\u5de5", "seen": 9},
        {"skeleton": "5", "player": "NEW", "name": "\u0130da", "seen": 7},
        {"skeleton": "lda", "player": "NEW", "name": "Ida", "seen": 6},
        {"skeleton": "6", "player": "OLD", "name": "\u0425a", "seen": 5},  # has expired
        {"skeleton": "xa", "player": "NEW", "name": "Xa", "seen": now},
    ]
    any_connection.execute(sa.insert(names), claims)
    command.downgrade(configure(any_connection), "0009")

    migrate(any_connection)

    found = any_connection.execute(sa.select(names).order_by(names.c.seen))
    assert [tuple(row) for row in found] == [
        ("\u53e3\u5de5", "OLD", "\u30ed\u30a8", 1),
        ("lda", "NEW", "\u0130da", 7),
        ("bob", "BOB", "Bob", 9),
        ("xa", "NEW", "Xa", now),
    ]


def test_a_migration_removes_matches_that_closed_from_the_archive(any_connection):
    migrate(any_connection)
    match = {"player": "A", "at": 0, "rules": "mini", "rounds": 1, "rated": False, "seat": "maker"}
    end = {"opponent": "Bob", "bot": False, "guesses": 0, "mine": 0, "theirs": 0, "tries": []}
    for how in ("closed", "left"):
        any_connection.execute(sa.insert(archive).values(**match, **end, match=how, how=how))
    command.downgrade(configure(any_connection), "0009")

    migrate(any_connection)

    assert list(any_connection.scalars(sa.select(archive.c.how))) == ["left"]


def test_a_migration_finds_the_ids_of_opponents_who_have_the_match_in_their_archive(any_connection):
    migrate(any_connection)
    match = {"at": 0, "rules": "mini", "rounds": 1, "rated": False, "seat": "maker", "tries": []}
    end = {"bot": False, "how": "played", "guesses": 0, "mine": 0, "theirs": 0}
    for player, code in (("A", "both"), ("B", "both"), ("A", "copied")):
        row = {"player": player, "match": code, "opponent": "Bob"}
        any_connection.execute(sa.insert(archive).values(**match, **end, **row))
    command.downgrade(configure(any_connection), "0014")

    migrate(any_connection)

    known = sa.select(archive.c.player, archive.c.match, archive.c.opponent_id)
    assert {tuple(row) for row in any_connection.execute(known)} == {
        ("A", "both", "B"), ("B", "both", "A"), ("A", "copied", None),
    }  # fmt: skip


def test_no_migration_imports_code_of_the_server(connection):
    scripts = ScriptDirectory.from_config(configure(connection))
    for script in scripts.walk_revisions():
        tree = ast.parse(Path(script.path).read_text(encoding="utf-8"))
        imported = {
            name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in (getattr(node, "module", None) or "", *(known.name for known in node.names))
        }
        assert not [name for name in imported if name.startswith("mastermind")], script.path


@pytest.mark.parametrize(
    ("revision", "why"),
    [
        (None, "revision none, and this server needs .* run mastermind-server migrate"),
        ("0005", "older than the first release: start a server of commit c855271 once"),
        ("9999", "its tables are from a newer server .*: update this server"),
    ],
)
async def test_a_node_refuses_a_database_of_another_revision(postgres_databases, revision, why):
    url = postgres_databases.make()
    if revision is not None:
        migrate_database(url)
        with psycopg.connect(url) as driver:
            driver.execute("UPDATE alembic_version SET version_num = %s", (revision,))
    with pytest.raises(DatabaseUnusable, match=why):
        await Store.open(url)


async def test_concurrent_migrations_wait_for_each_other(postgres_databases, monkeypatch):
    url = postgres_databases.make()
    with monkeypatch.context() as patch, psycopg.connect(url, autocommit=True) as other:
        patch.setattr(postgresql_engine, "LOCK_TIMEOUT_SECONDS", 0.05)
        other.execute("SELECT pg_advisory_lock(%s)", (postgresql._MIGRATION_LOCK_ID,))
        migrating = [asyncio.to_thread(migrate_database, url) for _ in range(4)]
        all_migrated = asyncio.gather(*migrating)
        while other.execute(_WAITING).fetchone() != (4,):
            assert not all_migrated.done()
            await asyncio.sleep(0.01)
        other.execute("SELECT pg_advisory_unlock_all()")
        await all_migrated
    store = await Store.open(url)
    assert await store.read(read_log, "AAAAAA") == []
    await store.close()


_WAITING = """
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
    AND wait_event = 'advisory' AND clock_timestamp() - query_start > interval '0.1 seconds'
"""  # longer than a node may


def test_a_newer_servers_database_is_not_migrated(postgres_databases):
    url = postgres_databases.make()
    with psycopg.connect(url) as driver:
        driver.execute("CREATE TABLE alembic_version AS VALUES ('9999')")
        driver.execute("ALTER TABLE alembic_version RENAME column1 TO version_num")
    with pytest.raises(DatabaseUnusable, match="its tables are from a newer server"):
        migrate_database(url)


async def test_a_store_is_migrated_when_it_is_opened(tmp_path):
    path = tmp_path / "game.sqlite3"
    for _ in range(2):
        store = await Store.open(path)
        await store.close()
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        assert tables(connection) == TABLES
    engine.dispose()
