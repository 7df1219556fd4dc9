from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from kit.faults import full_disk
from mastermind_server.storage import sqlite
from mastermind_server.storage.database import DatabaseLocked, DatabaseUnusable
from mastermind_server.storage.sqlite import SQLITE_MAGIC, SqliteFile


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


def test_a_full_disk_leaves_no_file(file):
    with full_disk(), pytest.raises(DatabaseUnusable, match="cannot be used: "):
        SqliteFile(file)
    assert names_in(file.parent) == set()
    SqliteFile(file).close()


def test_a_read_only_file_is_refused_and_kept(file, monkeypatch):
    SqliteFile(file).close()
    before = file.read_bytes()
    with monkeypatch.context() as patch:  # SQLite fails as it does on such a file, by root too
        patch.setattr(sqlite, "_PRAGMAS", (*sqlite._PRAGMAS, "query_only=ON"))
        with pytest.raises(DatabaseUnusable, match="attempt to write a readonly database"):
            SqliteFile(file)
    assert file.read_bytes() == before
    SqliteFile(file).close()


def test_a_file_of_a_newer_server_is_refused(file):
    SqliteFile(file).close()
    with closing(sqlite3.connect(file)) as newer, newer:
        newer.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(DatabaseUnusable, match="its tables are from a newer server"):
        SqliteFile(file)


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
