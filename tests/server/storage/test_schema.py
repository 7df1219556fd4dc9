from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from mastermind_protocol.events import MATCH_CODE_LENGTH, MAX_NAME
from mastermind_server.storage.schema import (
    REVISION,
    log,
    matches,
    metadata,
    migrate,
    players,
)
from mastermind_server.storage.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection

TABLES = {"archive", "chat", "log", "matches", "nodes", "players", "presence", "running"}


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'schema.sqlite3'}")
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


def describe(connection: Connection) -> dict[str, object]:
    """Return all that SQLite knows of the tables, whatever the order of their columns."""
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


def test_a_new_file_is_as_the_migrations_would_make_it(
    connection: Connection, tmp_path: Path
) -> None:
    migrate(connection)
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'old.sqlite3'}")
    with engine.begin() as old:
        command.upgrade(config(old), "head")
        assert describe(connection) == describe(old)
    engine.dispose()
    assert ScriptDirectory.from_config(config(connection)).get_heads() == [REVISION]
    assert MigrationContext.configure(connection).get_current_revision() == REVISION


def test_the_migrations_make_the_schema_that_the_code_uses(connection: Connection) -> None:
    command.upgrade(config(connection), "head")
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    assert compare_metadata(context, metadata) == []
    assert tables(connection) == TABLES


def test_a_difference_would_be_noticed(connection: Connection) -> None:
    migrate(connection)
    connection.exec_driver_sql("DROP INDEX ix_log_player_request")
    connection.exec_driver_sql("ALTER TABLE players ADD COLUMN rating INTEGER")
    context = MigrationContext.configure(connection)
    assert len(compare_metadata(context, metadata)) == 2


def test_migrating_twice_changes_nothing(connection: Connection) -> None:
    migrate(connection)
    connection.execute(sa.insert(players).values(id="A", name="Ada", token=b"?", created=0))
    before = connection.exec_driver_sql("SELECT sql FROM sqlite_master").all()
    migrate(connection)
    assert connection.exec_driver_sql("SELECT sql FROM sqlite_master").all() == before
    assert connection.execute(sa.select(players.c.name)).scalars().all() == ["Ada"]


def test_the_migrations_can_be_undone(connection: Connection) -> None:
    migrate(connection)
    command.downgrade(config(connection), "base")
    assert tables(connection) == set()
    migrate(connection)
    assert tables(connection) == TABLES


def test_no_migration_uses_code_that_goes_on_changing(connection: Connection) -> None:
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


def test_two_rows_of_one_version_cannot_be(connection: Connection) -> None:
    migrate(connection)
    row = {"match": "ABCDEF", "version": 1, "at": 0, "events": b""}
    connection.execute(sa.insert(log).values(row))
    with pytest.raises(sa.exc.IntegrityError):
        connection.execute(sa.insert(log).values(row))


def test_one_request_of_a_player_causes_one_row(connection: Connection) -> None:
    migrate(connection)
    row = {"match": "ABCDEF", "at": 0, "events": b"", "player": "A", "request": 1}
    connection.execute(sa.insert(log).values(version=1, **row))
    with pytest.raises(sa.exc.IntegrityError):
        connection.execute(sa.insert(log).values(version=2, **row))


def test_columns_have_room_for_what_the_protocol_allows() -> None:
    for column in (matches.c.maker, matches.c.breaker, players.c.name):
        assert isinstance(column.type, sa.String)
        assert column.type.length == MAX_NAME
    for column in (log.c.match, matches.c.match):
        assert isinstance(column.type, sa.String)
        assert column.type.length == MATCH_CODE_LENGTH


async def test_a_store_is_migrated_when_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "game.sqlite3"
    for _ in range(2):
        store = await Store.open(path)
        await store.close()
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        assert tables(connection) == TABLES
    engine.dispose()
