from __future__ import annotations

import ast
import asyncio
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

from kit.postgres import Databases
from mastermind_protocol.events import MATCH_CODE_LENGTH, MAX_NAME
from mastermind_server import tuning
from mastermind_server.storage import postgresql
from mastermind_server.storage.database import DatabaseUnusable
from mastermind_server.storage.postgresql import migrate_database
from mastermind_server.storage.schema import (
    REVISION,
    log,
    matches,
    metadata,
    migrate,
    players,
    tokens,
)
from mastermind_server.storage.store import Store

TABLES = {
    "archive", "bans", "chat", "log", "matches", "nodes", "orders", "players", "presence",
    "running", "tokens", "transfers",
}  # fmt: skip


@pytest.fixture
def connection(tmp_path):
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'schema.sqlite3'}")
    with engine.begin() as connection:
        yield connection
    engine.dispose()


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


def config(connection: Connection) -> Config:
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


def test_a_new_database_is_as_the_migrations_would_make_it(any_connection):
    migrate(any_connection)
    made = describe(any_connection)
    metadata.drop_all(any_connection)
    any_connection.exec_driver_sql("DROP TABLE alembic_version")
    command.upgrade(config(any_connection), "head")
    assert describe(any_connection) == made
    assert ScriptDirectory.from_config(config(any_connection)).get_heads() == [REVISION]
    assert MigrationContext.configure(any_connection).get_current_revision() == REVISION


def test_every_older_database_becomes_the_one_that_the_code_uses(any_connection):
    script = ScriptDirectory.from_config(config(any_connection))
    command.upgrade(config(any_connection), "head")
    for older in [revision.revision for revision in script.walk_revisions()]:
        command.downgrade(config(any_connection), older)
        migrate(any_connection)
        assert find_differences(any_connection) == []
        assert tables(any_connection) == TABLES


def test_a_difference_would_be_noticed(connection):
    migrate(connection)
    connection.exec_driver_sql("DROP INDEX ix_log_player_request")
    connection.exec_driver_sql("ALTER TABLE players ADD COLUMN rating INTEGER")
    assert len(find_differences(connection)) == 2


def test_migrating_twice_changes_nothing(connection):
    migrate(connection)
    connection.execute(sa.insert(players).values(id="A", name="Ada", created=0))
    before = connection.exec_driver_sql("SELECT sql FROM sqlite_master").all()
    migrate(connection)
    assert connection.exec_driver_sql("SELECT sql FROM sqlite_master").all() == before
    assert connection.execute(sa.select(players.c.name)).scalars().all() == ["Ada"]


def test_the_migrations_can_be_undone(any_connection):
    migrate(any_connection)
    command.downgrade(config(any_connection), "base")
    assert tables(any_connection) == set()
    migrate(any_connection)
    assert tables(any_connection) == TABLES


def test_matches_of_before_tell_in_lists_what_those_of_today_do(any_connection):
    command.upgrade(config(any_connection), "0004")
    rows = (
        {"match": "AAAAAA", "phase": "setting", "yes": True, "no": False},
        {"match": "BBBBBB", "phase": "breaking", "yes": True, "no": False},
        {"match": "CCCCCC", "phase": "finished", "yes": True, "no": False},
    )
    made = (
        "INSERT INTO matches (match, rules, rounds, public, phase, changed)"
        " VALUES (:match, 'mini', 1, :yes, :phase, 1000)"
    )
    followed = (
        "INSERT INTO running (match, player, at, rules, rounds, round, phase, rated, seat, bot,"
        " turn, others) VALUES (:match, 'A', 0, 'mini', 1, 1, :phase, :yes, 'maker', :no, :yes, 1)"
    )
    any_connection.execute(sa.text(made), rows)
    any_connection.execute(sa.text(followed), rows[0])
    migrate(any_connection)
    columns = matches.c.match, matches.c.rated, matches.c.due, matches.c.bots, matches.c.shown
    month = 30 * 24 * 3600 * 1000
    assert any_connection.execute(sa.select(*columns).order_by(matches.c.match)).all() == [
        ("AAAAAA", True, 1000 + month, "", False),
        ("BBBBBB", False, 1000 + month, "", False),
        ("CCCCCC", False, None, "", False),
    ]


def test_a_player_of_one_token_keeps_it_when_there_may_be_several(any_connection):
    command.upgrade(config(any_connection), "0005")
    made = "INSERT INTO players (id, name, token, created) VALUES (:id, :id, :token, 1000)"
    ada, bob = {"id": "A", "token": b"a" * 32}, {"id": "B", "token": b"b" * 32}
    any_connection.execute(sa.text(made), [ada, bob])
    migrate(any_connection)
    kept = sa.select(tokens.c.player, tokens.c.digest, tokens.c.created).order_by(tokens.c.player)
    assert any_connection.execute(kept).all() == [("A", b"a" * 32, 1000), ("B", b"b" * 32, 1000)]

    newer = {"digest": b"n" * 32, "player": "A", "created": 2000}
    any_connection.execute(sa.insert(tokens).values(newer))
    any_connection.execute(sa.delete(tokens).where(tokens.c.player == "B"))
    command.downgrade(config(any_connection), "0005")
    before = "SELECT id, token FROM players ORDER BY id"
    assert any_connection.execute(sa.text(before)).all() == [("A", b"n" * 32), ("B", b"B")]


def test_no_migration_uses_code_that_goes_on_changing(connection):
    scripts = ScriptDirectory.from_config(config(connection))
    for script in scripts.walk_revisions():
        tree = ast.parse(Path(script.path).read_text(encoding="utf-8"))
        imported = {
            name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in (getattr(node, "module", None) or "", *(known.name for known in node.names))
        }
        assert not [name for name in imported if name.startswith("mastermind")], script.path


def test_two_rows_of_one_version_cannot_be(connection):
    migrate(connection)
    row = {"match": "ABCDEF", "version": 1, "at": 0, "events": b""}
    connection.execute(sa.insert(log).values(row))
    with pytest.raises(sa.exc.IntegrityError):
        connection.execute(sa.insert(log).values(row))


def test_one_request_of_a_player_causes_one_row(connection):
    migrate(connection)
    row = {"match": "ABCDEF", "at": 0, "events": b"", "player": "A", "request": 1}
    connection.execute(sa.insert(log).values(version=1, **row))
    with pytest.raises(sa.exc.IntegrityError):
        connection.execute(sa.insert(log).values(version=2, **row))


def test_columns_have_room_for_what_the_protocol_allows():
    for column in (matches.c.maker, matches.c.breaker, players.c.name):
        assert isinstance(column.type, sa.String)
        assert column.type.length == MAX_NAME
    for column in (log.c.match, matches.c.match):
        assert isinstance(column.type, sa.String)
        assert column.type.length == MATCH_CODE_LENGTH


@pytest.mark.parametrize(
    ("revision", "why"),
    [
        (None, "revision none, and this server needs .* run mastermind-server migrate"),
        ("0001", "revision 0001, and this server needs .* run mastermind-server migrate"),
        ("9999", "a newer server has made its tables .*: update this one"),
    ],
)
async def test_a_database_of_many_nodes_must_have_this_versions_tables(
    postgres_databases, revision, why
):
    url = postgres_databases.make()
    if revision is not None:
        migrate_database(url)
        with psycopg.connect(url) as driver:
            driver.execute("UPDATE alembic_version SET version_num = %s", (revision,))
    with pytest.raises(DatabaseUnusable, match=why):
        await Store.open(url)


async def test_whoever_migrates_a_database_at_once_with_another_waits_for_it_as_long_as_it_takes(
    postgres_databases, monkeypatch
):
    url = postgres_databases.make()
    with monkeypatch.context() as patch, psycopg.connect(url, autocommit=True) as other:
        patch.setattr(tuning, "LOCK_SECONDS", 0.05)
        other.execute("SELECT pg_advisory_lock(%s)", (postgresql._MIGRATION,))
        migrating = [asyncio.to_thread(migrate_database, url) for _ in range(4)]
        all_migrated = asyncio.gather(*migrating)
        while other.execute(_WAITING).fetchone() != (4,):
            assert not all_migrated.done()
            await asyncio.sleep(0.01)
        other.execute("SELECT pg_advisory_unlock_all()")
        await all_migrated
    store = await Store.open(url)
    assert await store.read_log("AAAAAA") == []
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
    with pytest.raises(DatabaseUnusable, match="a newer server has made its tables"):
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
