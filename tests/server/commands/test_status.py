import json
import os
import re
import sqlite3
import time
from contextlib import closing

import pytest
import sqlalchemy as sa

from kit.days import make_day
from kit.server import GameServer, make_database
from mastermind_protocol.days import find_day
from mastermind_protocol.match import Phase
from mastermind_server import cli
from mastermind_server.bans import Ban
from mastermind_server.clock import Clock
from mastermind_server.commands.status import (
    HOUR_MILLISECONDS,
    MINUTE_MILLISECONDS,
    Contents,
    DayTotals,
    Status,
    describe,
    read_status,
)
from mastermind_server.limits import DEFAULT_LIMITS
from mastermind_server.storage.engines.database import DatabaseUnusable
from mastermind_server.storage.engines.postgresql_engine import make_engine
from mastermind_server.storage.revisions import REVISION
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.schema import log, nodes, tries
from mastermind_server.storage.statements.days import add_day
from mastermind_server.storage.statements.presence import Node
from mastermind_server.storage.statements.standbys import Standbys
from mastermind_server.storage.store import SessionMode, open_session

NOW = 1_800_000_000_000  # 2027-01-15 08:00 UTC
NODES = [
    Node(
        "one",
        "ws://a:1",
        "0.1",
        NOW - 60_000,
        12,
        draining=False,
        until=NOW + 8_000,
        connection_limit=64,
    ),
    Node("two", "ws://b:1", "0.1", NOW - 90_000, 3, draining=True, until=NOW - 5_000),
]
MATCHES = {"gathering": 1, "setting": 2, "breaking": 3, "finished": 4}
BANS = [Ban("192.0.2.1", NOW + 86_400_000, "insults"), Ban("2001:db8::/64", None, "spam")]
TRIES = [DayTotals("classic", 12, 9, withdrawn=False), DayTotals("mini", 3, 3, withdrawn=True)]
CONTENTS = Contents(
    MATCHES, 5, 6, 700, NOW + 1000, 0, 9, 11, 10, 199, TRIES, NODES, BANS, shared=True
)
NODE = Node("one", "ws://127.0.0.1:8765", "0.1", 1000, 7, draining=True, until=2000)


def test_a_status_is_described_in_a_few_lines():
    since, gone = "version 0.1, since 2027-01-15", "lost, lease expired 5 s ago"
    status = Status("game.sqlite3", NOW, 3 << 20, REVISION, CONTENTS)
    lines = [
        "store     game.sqlite3, 3.0 MiB",
        f"tables    revision {REVISION}, as this program needs",
        "players   5",
        "matches   gathering 1, setting 2, breaking 3, finished 4",
        "moves     6 in the last minute, 700 in the last hour",
        "due       the first 2027-01-15 08:00:01 UTC; 0 overdue",
        "clocks    9 running",
        "ratings   10 players, 11 matches",
        "today     day 199: classic 12 tries, 9 ended; mini 3 tries, 3 ended, withdrawn",
        "nodes     2",
        f"  one at ws://a:1, {since} 07:59:00 UTC, 12 of 64 connections, lease for 8 s",
        f"  two at ws://b:1, {since} 07:58:30 UTC, 3 connections, {gone}, draining",
        "bans      2",
    ]
    assert list(describe(status)) == lines
    assert list(describe(status, bans=True)) == [
        *lines,
        "  192.0.2.1 until 2027-01-16 08:00:00 UTC: insults",
        "  2001:db8::/64 for ever: spam",
    ]


@pytest.mark.parametrize(
    ("standbys", "line"),
    [
        (Standbys(0, 0, required=False, expected=False), None),
        (Standbys(2, 1, required=True, expected=True), "2 connected, 1 synchronous"),
        (
            Standbys(1, 0, required=False, expected=False),
            "1 connected, none synchronous: a failover loses moves",
        ),
        (
            Standbys(0, 0, required=True, expected=True),
            "0 connected, none synchronous: moves wait for one",
        ),
        (
            Standbys(1, None, required=True, expected=True),
            "1 connected; only with pg_read_all_stats the role sees if one is synchronous",
        ),
    ],
)
def test_standbys_are_described_where_there_are_some_or_should_be(standbys, line):
    described = list(describe(Status("x", NOW, 999, REVISION, None, standbys)))
    assert described[2:] == ([] if line is None else [f"standbys  {line}"])


def test_the_description_names_the_other_revision_of_the_tables():
    status = Status("x", NOW, 999, "0001", None)
    tables = f"tables    revision 0001, and this program needs {REVISION}"
    assert list(describe(status)) == ["store     x, 999 bytes", tables]


def test_a_status_is_printed_as_text_or_json(tmp_path, capsys):
    database = tmp_path / "game.sqlite3"
    make_database(database)
    options = ["status", "--database", str(database)]
    assert cli.main(["ban", "192.0.2.1", "--database", str(database)]) == 0
    assert cli.main(options) == 0
    text = capsys.readouterr().out
    assert "nodes     none\n" in text
    assert re.search(r"^due {7}none; 0 overdue$", text, re.MULTILINE)
    assert re.search(r"^today {5}day \d+: no code drawn$", text, re.MULTILINE)
    assert cli.main([*options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["revision"] == REVISION
    assert found["contents"]["matches"]["gathering"] == 0
    banned = {"subject": "192.0.2.1", "until": None, "why": "misconduct"}
    assert found["contents"]["bans"] == [banned]


async def test_the_status_of_a_running_server_is_read_without_a_lock(tmp_path):
    hall = GameServer(tmp_path, clock=Clock())
    await hall.start()
    ada, _, match = await hall.begin_match()
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
    assert (found.players, found.overdue) == (2, 0)
    (node,) = found.nodes
    assert node.connection_limit == DEFAULT_LIMITS.connections
    described = [line for line in describe(status) if hall.address in line]
    assert re.search(r"connections, seen \d+ s ago$", described[0])
    assert found.moves_last_minute == found.moves_last_hour == rows
    assert found.due is not None
    assert found.due > status.at
    await hall.close()


async def test_the_status_of_a_shared_database_has_its_nodes_and_moves(
    tmp_path, postgres_url, monkeypatch
):
    hall = GameServer(tmp_path, postgres_url, clock=Clock())
    await hall.start()
    ada = await hall.meet("Ada")
    await ada.open(maker="me", breaker="open")
    engine = make_engine(postgres_url)
    with engine.connect() as connection:
        connection.execute(sa.insert(nodes).values(NODE._asdict()))
        connection.execute(sa.insert(log).values(make_row(1, HOUR_MILLISECONDS + 1000)._asdict()))
        connection.execute(sa.insert(log).values(make_row(2, MINUTE_MILLISECONDS + 1000)._asdict()))
    engine.dispose()
    with monkeypatch.context() as patch:
        patch.setattr(time, "time_ns", lambda: 0)  # leases go by the database's clock
        status = read_status(postgres_url)
    assert status.contents is not None
    assert [node.connection_limit for node in status.contents.nodes] == [
        NODE.connection_limit,
        DEFAULT_LIMITS.connections,
    ]
    assert NODE in status.contents.nodes
    assert status.contents.moves_last_hour == status.contents.moves_last_minute + 1
    assert status.contents.moves_last_minute == hall.store.measure().rows
    assert status.size > 1_000_000
    await hall.close()


def make_row(version: int, age: int) -> LogRow:
    at = time.time_ns() // 1_000_000 - age
    return LogRow("AGED22", version, at, b"\x90", None, None, None)


def test_moves_of_the_last_minute_and_hour_are_counted(tmp_path):
    database = tmp_path / "game.sqlite3"
    make_database(database)
    ages = [
        3 * HOUR_MILLISECONDS,
        2 * HOUR_MILLISECONDS,
        HOUR_MILLISECONDS + 9000,
        HOUR_MILLISECONDS - 9000,
        2 * MINUTE_MILLISECONDS,
        50_000,
        10,
        0,
    ]
    rows = [make_row(version, age) for version, age in enumerate(ages, 1)]
    with closing(sqlite3.connect(database)) as file:
        file.executemany("INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        file.commit()
    found = read_status(database).contents
    assert found is not None
    assert (found.moves_last_hour, found.moves_last_minute) == (5, 3)


def test_the_tries_of_today_are_counted_by_rules(tmp_path):
    database = tmp_path / "game.sqlite3"
    make_database(database)
    today = find_day(time.time_ns() // 1_000_000)
    with open_session(database, SessionMode.WRITE) as session:
        for day in (today - 1, today, today + 1):  # midnight may be near
            add_day(session, make_day("mini")._replace(day=day))
            add_day(session, make_day("eight")._replace(day=day, withdrawn=1))
            for player, ended in (("A", 1), ("B", None)):
                row = {"day": day, "rules": "mini", "player": player, "match": "", "ended": ended}
                changes = sa.insert(tries).values(row | {"started": 0, "counted": True})
                session.connection.execute(changes)
    found = read_status(database).contents
    assert found is not None
    assert found.today in (today, today + 1)
    assert found.tries == [
        DayTotals("eight", 0, 0, withdrawn=True), DayTotals("mini", 2, 1, withdrawn=False),
    ]  # fmt: skip


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
    with pytest.raises(DatabaseUnusable, match="cannot be used: No such file or directory"):
        read_status(missing)
    other = tmp_path / "other.sqlite3"
    sqlite3.connect(other).close()
    other.touch()
    with pytest.raises(DatabaseUnusable, match="no tables of a mastermind-server"):
        read_status(other)
    assert [path.name for path in tmp_path.iterdir()] == ["other.sqlite3"]
