import json
import re

from kit.server import make_database
from mastermind_server import cli
from mastermind_server.bans import Ban
from mastermind_server.commands.status import describe
from mastermind_server.storage.schema import REVISION
from mastermind_server.upkeep.status import Contents, NodeStatus, Status

NOW = 1_800_000_000_000  # 2027-01-15 08:00 UTC
NODES = [
    NodeStatus("one", "ws://a:1", "0.1", NOW - 60_000, NOW + 8_000, 12, draining=False),
    NodeStatus("two", "ws://b:1", "0.1", NOW - 90_000, NOW - 5_000, 3, draining=True),
]
MATCHES = {"gathering": 1, "setting": 2, "breaking": 3, "finished": 4}
BANS = [Ban("192.0.2.1", NOW + 86_400_000, "insults"), Ban("2001:db8::/64", None, "spam")]
CONTENTS = Contents(MATCHES, 5, 6, 700, NOW + 1000, 0, NODES, BANS)


def test_a_status_is_described_in_a_few_lines():
    since, gone = "version 0.1, since 2027-01-15", "gone, its lease over for 5 s"
    status = Status("game.sqlite3", NOW, 3 << 20, REVISION, CONTENTS)
    told = [
        "store     game.sqlite3, 3.0 MiB",
        f"tables    revision {REVISION}, as this program needs",
        "players   5",
        "matches   gathering 1, setting 2, breaking 3, finished 4",
        "moves     6 in the last minute, 700 in the last hour",
        "due       the first 2027-01-15 08:00:01 UTC; 0 overdue",
        "nodes     2",
        f"  one at ws://a:1, {since} 07:59:00 UTC, 12 connections, lease for 8 s",
        f"  two at ws://b:1, {since} 07:58:30 UTC, 3 connections, {gone}, draining",
        "bans      2",
    ]
    assert list(describe(status)) == told
    assert list(describe(status, bans=True)) == [
        *told,
        "  192.0.2.1 until 2027-01-16 08:00:00 UTC: insults",
        "  2001:db8::/64 for ever: spam",
    ]


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
    assert "nodes     none (who serves a SQLite file is in no list)\n" in text
    assert re.search(r"^due {7}none; 0 overdue$", text, re.MULTILINE)
    assert cli.main([*options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["revision"] == REVISION
    assert found["contents"]["matches"]["gathering"] == 0
    banned = {"subject": "192.0.2.1", "until": None, "why": "misconduct"}
    assert found["contents"]["bans"] == [banned]
