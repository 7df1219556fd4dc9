import os
import sqlite3
import time
from contextlib import closing

import pytest
import sqlalchemy as sa

from kit.server import make_database
from mastermind_protocol.match import Phase
from mastermind_server.storage.database import DatabaseUnusable
from mastermind_server.storage.postgresql import make_engine
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.schema import REVISION, log, nodes
from mastermind_server.upkeep.status import HOUR, MINUTE, NodeStatus, read_status

NODE = NodeStatus("one", "ws://127.0.0.1:8765", "0.1", 1000, 2000, 7, draining=True)


async def test_the_status_of_a_running_server_is_read_without_a_lock(hall, ada, match):
    await ada.open(maker="me", breaker="open")
    status, rows = read_status(hall.database), hall.store.measure().rows
    await ada.set(match, "1234")  # the file was not locked
    found = status.contents
    assert found is not None
    assert (status.store, status.revision) == (str(hall.database), REVISION)
    assert status.size >= hall.database.stat().st_size
    assert found.matches == {
        "gathering": 1, "setting": 1, "breaking": 0, "finished": 0,
    }  # fmt: skip
    assert list(found.matches) == [phase.value for phase in Phase]
    assert (found.players, found.overdue, found.nodes) == (2, 0, [])
    assert found.moves_last_minute == found.moves_last_hour == rows
    assert found.due is not None
    assert found.due > status.at


async def test_the_status_of_a_shared_database_has_its_nodes_and_moves(
    start_node, postgres_url, monkeypatch
):
    hall = await start_node()
    ada = await hall.meet("Ada")
    await ada.open(maker="me", breaker="open")
    engine = make_engine(postgres_url)
    with engine.connect() as connection:
        connection.execute(sa.insert(nodes).values(NODE._asdict()))
        connection.execute(sa.insert(log).values(make_row(1, HOUR + 1000)._asdict()))
        connection.execute(sa.insert(log).values(make_row(2, MINUTE + 1000)._asdict()))
    engine.dispose()
    with monkeypatch.context() as patch:
        patch.setattr(time, "time_ns", lambda: 0)  # leases go by the database's clock
        status = read_status(postgres_url)
    assert status.contents is not None
    assert NODE in status.contents.nodes
    assert status.contents.moves_last_hour == status.contents.moves_last_minute + 1
    assert status.contents.moves_last_minute == hall.store.measure().rows
    assert status.size > 1_000_000


def make_row(version: int, age: int) -> LogRow:
    at = time.time_ns() // 1_000_000 - age
    return LogRow("AGED22", version, at, b"\x90", None, None, None)


def test_moves_of_the_last_minute_and_hour_are_counted(tmp_path):
    database = tmp_path / "game.sqlite3"
    make_database(database)
    ages = [3 * HOUR, 2 * HOUR, HOUR + 9000, HOUR - 9000, 2 * MINUTE, 50_000, 10, 0]
    rows = [make_row(version, age) for version, age in enumerate(ages, 1)]
    with closing(sqlite3.connect(database)) as file:
        file.executemany("INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        file.commit()
    found = read_status(database).contents
    assert found is not None
    assert (found.moves_last_hour, found.moves_last_minute) == (5, 3)


def test_the_status_of_an_unused_file_leaves_it_unchanged(tmp_path):
    database = tmp_path / "game.sqlite3"
    make_database(database)
    before = os.listdir(tmp_path), database.read_bytes()  # noqa: PTH208 - names, in their order
    assert read_status(database).contents is not None
    assert (os.listdir(tmp_path), database.read_bytes()) == before  # noqa: PTH208 - as above


def test_tables_of_another_revision_are_not_read(tmp_path):
    database = tmp_path / "game.sqlite3"
    make_database(database)
    with closing(sqlite3.connect(database)) as file:
        file.execute("UPDATE alembic_version SET version_num = '0001'")
        file.commit()
    status = read_status(database)
    assert (status.revision, status.contents) == ("0001", None)


def test_a_file_that_is_no_store_is_refused_and_not_created(tmp_path):
    missing = tmp_path / "missing.sqlite3"
    with pytest.raises(DatabaseUnusable, match="cannot be read: No such file or directory"):
        read_status(missing)
    other = tmp_path / "other.sqlite3"
    sqlite3.connect(other).close()
    other.touch()
    with pytest.raises(DatabaseUnusable, match="no tables of a mastermind-server"):
        read_status(other)
    assert [path.name for path in tmp_path.iterdir()] == ["other.sqlite3"]
