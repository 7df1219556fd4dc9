from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from kit.faults import full_disk
from mastermind_server.storage.engines import sqlite
from mastermind_server.storage.engines.database import DatabaseLocked, DatabaseUnusable
from mastermind_server.storage.engines.sqlite import (
    SQLITE_MAGIC,
    SqliteFile,
    SqliteSession,
    connect_file,
)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "game.sqlite3"


@pytest.fixture
def database(file):
    """A file that this process has."""
    database = SqliteFile(file)
    yield database
    database.close()


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("by", ["game.sqlite3", "folder/game.sqlite3", "link.sqlite3"])
def test_one_process_at_a_time_opens_a_file_by_any_path(database, file, by):
    file.with_name("folder").symlink_to(file.parent)
    file.with_name("link.sqlite3").symlink_to(file)
    other = file.parent / by
    with pytest.raises(DatabaseLocked, match=f"{other} is in use by another"):
        SqliteFile(other)
    with closing(database.connect()) as session:
        assert session.driver.execute("SELECT count(*) FROM log").fetchone() == (0,)


@pytest.mark.usefixtures("database")
def test_a_file_of_several_names_is_refused(file):
    other = file.with_name("other.sqlite3")
    other.hardlink_to(file)
    before = names_in(file.parent)
    with pytest.raises(DatabaseUnusable, match=r"other\.sqlite3 cannot be used: it has several"):
        SqliteFile(other)
    assert names_in(file.parent) == before


def test_a_file_that_is_no_database_is_refused_and_kept(file):
    text = b"Dear Ada, this is no database. " * 40
    file.write_bytes(text)
    with pytest.raises(DatabaseUnusable, match=r"game\.sqlite3 cannot be used: it is no SQLite"):
        SqliteFile(file)
    assert file.read_bytes() == text
    assert names_in(file.parent) == {file.name}


def test_a_damaged_database_is_refused_and_kept(file):
    content = SQLITE_MAGIC + b"damaged" * 1000
    file.write_bytes(content)
    with pytest.raises(DatabaseUnusable, match=r"cannot be used: file is not a database"):
        SqliteFile(file)
    assert file.read_bytes() == content
    assert names_in(file.parent) == {file.name}


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("", "it is a folder"),
        ("missing/game.sqlite3", "there is no folder .*missing"),
        ("letter/game.sqlite3", "Not a directory"),
        ("loop", "ymlink loop|symbolic links"),
        ("null", "it is no file"),
        ("x" * 300, "File name too long"),
    ],
)
def test_an_impossible_path_is_refused_and_nothing_is_created(tmp_path, path, why):
    (tmp_path / "letter").touch()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "null").symlink_to(os.devnull)
    before = names_in(tmp_path)
    with pytest.raises(DatabaseUnusable, match=f"cannot be used: .*({why})"):
        SqliteFile(tmp_path / path)
    assert names_in(tmp_path) == before


def test_a_file_system_without_locks_is_refused_with_advice(file, monkeypatch):
    def lock(_descriptor, _operation):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    with monkeypatch.context() as patch:  # as on NFS without its lock daemon
        patch.setattr("fcntl.flock", lock)
        why = "cannot be used: No locks available; SQLite needs a local disk, .*--database FILE"
        with pytest.raises(DatabaseUnusable, match=why):
            SqliteFile(file)
    SqliteFile(file).close()


def test_a_full_disk_leaves_no_file(file):
    why = "cannot be used: disk I/O error; the disk fails or is full, .*, or SQLite needs a local"
    with full_disk(), pytest.raises(DatabaseUnusable, match=why):
        SqliteFile(file)
    assert names_in(file.parent) == set()
    SqliteFile(file).close()


def test_a_read_only_file_is_refused_and_kept(file, monkeypatch):
    SqliteFile(file).close()
    before = file.read_bytes()
    with monkeypatch.context() as patch:  # SQLite fails as it does on such a file, by root too
        patch.setattr(sqlite, "_PRAGMAS", (*sqlite._PRAGMAS, "query_only=ON"))
        with pytest.raises(DatabaseUnusable, match="readonly database; the file and its"):
            SqliteFile(file)
    assert file.read_bytes() == before
    SqliteFile(file).close()


def test_a_file_of_a_newer_server_is_refused(file):
    SqliteFile(file).close()
    with closing(sqlite3.connect(file)) as newer, newer:
        newer.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(DatabaseUnusable, match="its tables are from a newer server"):
        SqliteFile(file)


def test_a_command_does_not_migrate_a_file_and_names_what_does(file):
    SqliteFile(file).close()
    with closing(sqlite3.connect(file)) as older, older:
        older.execute("UPDATE alembic_version SET version_num = '0013'")
    with pytest.raises(DatabaseUnusable, match=r"revision 0013, .*: start a server on it, which"):
        connect_file(file, read_only=False)


@pytest.mark.promise("database-file")
def test_only_the_owner_can_read_the_files(database, file):
    with closing(database.connect()) as session:
        session.driver.execute("DELETE FROM log")
        modes = {
            path.suffix: path.stat().st_mode & 0o777
            for path in file.parent.iterdir()
            if path.suffix != ".lock"
        }
    assert modes == {".sqlite3": 0o600, ".sqlite3-wal": 0o600, ".sqlite3-shm": 0o600}


@pytest.mark.parametrize(
    ("error", "explained"),
    [
        (MemoryError(), "MemoryError(); there is too little memory (ulimit -v)"),
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
    ],
)
def test_each_error_has_a_reason_for_operators(error, explained):
    assert SqliteSession.explain(error) == explained
