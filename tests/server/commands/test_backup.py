import asyncio
import fcntl
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from kit.client import RawClient
from kit.matches import state_of
from kit.server import GameServer
from mastermind_protocol.events import Finished
from mastermind_protocol.match import Phase
from mastermind_server import cli
from mastermind_server.commands.backup import back_up
from mastermind_server.storage.engines.database import DatabaseUnusable
from mastermind_server.storage.engines.sqlite import connect_file


async def play_on(
    hall: GameServer, ada: RawClient, bob: RawClient, match: str, *epochs: str
) -> None:
    """Resume a match after its first guess, in another epoch than `epochs`, and end it."""
    there, back = await hall.connect(ada.ids), await hall.connect_again(bob)
    welcome, log = await there.hello(token=ada.token), await there.follow(match)
    assert welcome.epoch == log.epoch == hall.store.epoch
    assert log.epoch not in epochs
    state = state_of(log)
    assert state.phase is Phase.BREAKING
    assert len(state.current.turns if state.current else ()) == 1
    await back.follow(match)
    assert isinstance((await back.guess(match, "2345")).events[-1], Finished)


def list_files(folder: Path) -> list[tuple[str, int]]:
    return [(path.name, path.stat().st_mode & 0o777) for path in folder.iterdir()]


async def run(*command: str) -> None:
    assert await (await asyncio.create_subprocess_exec(*command)).wait() == 0


async def test_a_match_continues_from_a_backup_made_while_it_ran(
    hall, ada, bob, match, tmp_path, capsys
):
    await ada.set(match, "2345")
    await bob.guess(match, "2222")
    copies = tmp_path / "copies"
    copies.mkdir()
    copy = copies / "copy.sqlite3"
    assert cli.main(["backup", "--database", str(hall.database), str(copy)]) == 0
    assert "is a checked copy of" in capsys.readouterr().out
    await bob.guess(match, "3333")
    await hall.stop()

    assert list_files(copies) == [("copy.sqlite3", 0o600)]
    restored = GameServer(copies)
    back_up(copy, restored.database)
    await restored.start()
    with closing(connect_file(copy, read_only=True)) as session:
        await play_on(restored, ada, bob, match, hall.store.epoch, session.read_epoch())
    await restored.close()


async def test_a_match_continues_from_a_dump_of_postgresql(
    postgres_url, postgres_databases, postgres_programs, tmp_path
):
    hall = GameServer(tmp_path, postgres_url)
    await hall.start()
    ada, bob, match = await hall.begin_match()
    await ada.set(match, "2345")
    await bob.guess(match, "2222")
    dump, restored = str(tmp_path / "dump"), postgres_databases.make()
    pg_dump, pg_restore = str(postgres_programs / "pg_dump"), str(postgres_programs / "pg_restore")
    await run(pg_dump, "--format=custom", "--no-owner", f"--file={dump}", postgres_url)
    await bob.guess(match, "3333")
    await hall.close()

    await run(pg_restore, "--single-transaction", "--no-owner", f"--dbname={restored}", dump)
    after = GameServer(tmp_path, restored)
    await after.start()
    await play_on(after, ada, bob, match, hall.store.epoch)
    await after.close()


def test_a_backup_overwrites_no_file(tmp_path):
    database = _make(tmp_path / "a.sqlite3")
    for taken in ("b.sqlite3", "b.sqlite3-wal"):
        (tmp_path / taken).write_text("kept")
        with pytest.raises(FileExistsError, match=taken):
            back_up(database, tmp_path / "b.sqlite3")
        assert (tmp_path / taken).read_text() == "kept"
        (tmp_path / taken).unlink()


def test_a_backup_succeeds_after_a_killed_one(tmp_path):
    database = _make(tmp_path / "a.sqlite3")
    for left in (".b.sqlite3.part", ".b.sqlite3.part-journal", ".b.sqlite3.part-wal"):
        (tmp_path / left).write_bytes(b"half" * 1000)
    back_up(database, tmp_path / "b.sqlite3")
    assert _count_rows(tmp_path / "b.sqlite3") == 99
    assert {path.name for path in tmp_path.iterdir()} == {"a.sqlite3", "b.sqlite3"}


def test_a_backup_follows_no_symbolic_link(tmp_path):
    database, victim = _make(tmp_path / "a.sqlite3"), tmp_path / "victim"
    victim.write_text("kept")
    (tmp_path / ".b.sqlite3.part").symlink_to(victim)
    with pytest.raises(DatabaseUnusable, match=r"b\.sqlite3 cannot be created: Too many levels"):
        back_up(database, tmp_path / "b.sqlite3")
    assert victim.read_text() == "kept"


def test_two_backups_to_one_file_do_not_run_at_once(tmp_path):
    database, part = _make(tmp_path / "a.sqlite3"), tmp_path / ".b.sqlite3.part"
    with part.open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(FileExistsError, match="another backup is running"):
            back_up(database, tmp_path / "b.sqlite3")
        assert part.exists()


def test_a_backup_to_standard_output_is_a_checked_copy(tmp_path, monkeypatch, capfd):
    database, copy = _make(tmp_path / "a.sqlite3"), tmp_path / "b.sqlite3"
    for _ in range(2):
        with copy.open("wb") as output:
            monkeypatch.setattr("sys.stdout", output)
            assert cli.main(["backup", "--database", str(database), "-"]) == 0
        assert _count_rows(copy) == 99
    assert {path.name for path in tmp_path.iterdir()} == {"a.sqlite3", "b.sqlite3"}
    assert capfd.readouterr() == ("", "")


def test_a_failed_backup_to_standard_output_writes_nothing(tmp_path, capfd):
    database = _damage(_make(tmp_path / "a.sqlite3"))
    assert cli.main(["backup", "--database", str(database), "-"]) == 1
    printed, error = capfd.readouterr()
    assert printed == ""
    assert error.startswith(f"mastermind-server: {database} cannot be backed up: it is damaged: ")
    assert [path.name for path in tmp_path.iterdir()] == ["a.sqlite3"]


def test_a_full_disk_of_the_reader_fails_the_backup(tmp_path, monkeypatch, capfd):
    database = _make(tmp_path / "a.sqlite3")
    with Path("/dev/full").open("wb") as full:
        monkeypatch.setattr("sys.stdout", full)
        assert cli.main(["backup", "--database", str(database), "-"]) == 1
    assert capfd.readouterr().err.endswith("cannot be backed up: No space left on device\n")


def test_a_backup_is_not_written_to_a_terminal(tmp_path, monkeypatch, capfd):
    _, terminal = os.openpty()
    with os.fdopen(terminal, "w") as output:
        monkeypatch.setattr("sys.stdout", output)
        with pytest.raises(SystemExit, match="2"):
            cli.main(["backup", "--database", str(_make(tmp_path / "a.sqlite3")), "-"])
    assert "standard output is a terminal: backup - >COPY" in capfd.readouterr().err


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0" + bytes(4000), b"no database"])
def test_a_file_that_is_no_database_is_not_backed_up(content, tmp_path):
    (tmp_path / "a.sqlite3").write_bytes(content)
    with pytest.raises(DatabaseUnusable, match=r"a\.sqlite3 cannot be backed up"):
        back_up(tmp_path / "a.sqlite3", tmp_path / "b.sqlite3")
    assert [path.name for path in tmp_path.iterdir()] == ["a.sqlite3"]


def test_a_damaged_database_is_not_backed_up(tmp_path):
    database = _damage(_make(tmp_path / "a.sqlite3"))
    with pytest.raises(DatabaseUnusable, match="it is damaged"):
        back_up(database, tmp_path / "b.sqlite3")
    assert not (tmp_path / "b.sqlite3").exists()


def test_the_error_for_a_missing_database_or_folder_names_it(tmp_path, capsys):
    database = _make(tmp_path / "a.sqlite3")
    assert cli.main(["backup", "--database", str(tmp_path / "none"), str(tmp_path / "b")]) == 1
    assert "none cannot be backed up: No such file or directory\n" in capsys.readouterr().err
    assert cli.main(["backup", "--database", str(database), str(tmp_path / "no" / "b")]) == 1
    assert "b cannot be created: No such file or directory" in capsys.readouterr().err


def _make(database: Path) -> Path:
    with closing(sqlite3.connect(database)) as driver:
        driver.execute("CREATE TABLE alembic_version (version_num TEXT)")
        driver.execute("CREATE TABLE log (events BLOB)")
        driver.executemany("INSERT INTO log VALUES (?)", [(bytes([n]) * 900,) for n in range(99)])
        driver.execute("CREATE INDEX ix ON log (events)")
        driver.commit()
    return database


def _damage(database: Path) -> Path:
    content = bytearray(database.read_bytes())
    content[-100:] = bytes(100)
    database.write_bytes(content)
    return database


def _count_rows(database: Path) -> int:
    with closing(sqlite3.connect(database)) as driver:
        (count,) = driver.execute("SELECT count(*) FROM log").fetchone()
    return int(count)
