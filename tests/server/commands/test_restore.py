import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import ExitStack, closing
from io import BytesIO
from pathlib import Path

import pytest

from mastermind_server import cli
from mastermind_server.commands import restore as module
from mastermind_server.commands.backup import back_up
from mastermind_server.commands.restore import restore
from mastermind_server.storage.engines.database import DatabaseLocked, DatabaseUnusable
from mastermind_server.storage.engines.sqlite import SqliteFile
from mastermind_server.storage.revisions import REVISION

# Restores in copies of the folder argv[1], in turn killed before the first, second, ... line of the
# module runs. The last restore ends.
KILLED_AT_EACH_LINE = """
import os, shutil, signal, sys
from pathlib import Path
from mastermind_server.commands import restore

os.fsync = lambda descriptor: None  # a kill loses nothing that the system has
folder, n, ended = Path(sys.argv[1]), 0, False
while not ended:
    n += 1
    attempt = folder.with_name(f"{folder.name}-{n}")
    shutil.copytree(folder, attempt)
    if (child := os.fork()) == 0:
        left = n

        def trace(frame, event, argument):
            global left
            if frame.f_code.co_filename != restore.__file__:
                return None
            if event == "line":
                left -= 1
                if not left:
                    os.kill(os.getpid(), signal.SIGKILL)
            return trace

        sys.settrace(trace)
        restore.restore(attempt / "a.sqlite3", attempt / "copy")
        os._exit(0)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with `a.sqlite3` as a killed server leaves it, with `old` only in its -wal file.

    The backup `copy` has `new`.
    """
    folder = tmp_path / "folder"
    folder.mkdir()
    back_up(_make(tmp_path / "new", "new"), folder / "copy")
    with closing(_open(_make(tmp_path / "a.sqlite3", "older"))) as driver:
        driver.execute("PRAGMA journal_mode=WAL")
        driver.execute("UPDATE log SET events = 'old'")
        for end in ("", "-wal", "-shm"):
            content = (tmp_path / f"a.sqlite3{end}").read_bytes()
            (folder / f"a.sqlite3{end}").write_bytes(content)
    return folder


def test_a_restore_keeps_the_old_file_with_its_log(folder, capsys):
    database = folder / "a.sqlite3"
    assert cli.main(["restore", "--database", str(database), str(folder / "copy")]) == 0
    (kept,) = _list_kept(folder)
    assert capsys.readouterr().out == f"{database} is restored; the old file is {kept}\n"
    assert (_read(database), _read(kept)) == ("new", "old")
    assert {path.name for path in folder.iterdir()} == {"a.sqlite3", "copy", kept.name}
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in folder.iterdir())


def test_each_restore_keeps_a_file_and_begins_another_history(folder):
    database = folder / "a.sqlite3"
    epochs = set()
    for _ in range(3):
        restore(database, folder / "copy")
        with closing(_open(database)) as driver:
            epochs.add(driver.execute("PRAGMA user_version").fetchone())
    assert len(epochs) == 3
    assert sorted(_read(kept) for kept in _list_kept(folder)) == ["new", "new", "old"]


def test_a_copy_is_restored_from_standard_input(folder, monkeypatch):
    database = folder / "a.sqlite3"
    with (folder / "copy").open() as copy:
        monkeypatch.setattr("sys.stdin", copy)
        assert cli.main(["restore", "--database", str(database), "-"]) == 0
    assert _read(database) == "new"


def test_a_restore_creates_a_missing_database(folder):
    assert restore(folder / "b.sqlite3", folder / "copy") is None
    assert _read(folder / "b.sqlite3") == "new"


def test_the_new_and_the_kept_file_have_the_owner_of_the_old_one(folder, monkeypatch):
    owned = {}
    monkeypatch.setattr(os, "chown", lambda path, *owner: owned.update({path.name: owner}))
    old = (folder / "a.sqlite3").stat()
    restore(folder / "a.sqlite3", folder / "copy")
    assert owned == dict.fromkeys((".a.sqlite3.new", ".a.sqlite3.old"), (old.st_uid, old.st_gid))


def test_a_copy_is_not_read_from_a_terminal(folder, monkeypatch, capsys):
    _, terminal = os.openpty()
    with os.fdopen(terminal) as stream:
        monkeypatch.setattr("sys.stdin", stream)
        with pytest.raises(SystemExit, match="2"):
            cli.main(["restore", "--database", str(folder / "a.sqlite3"), "-"])
    assert "standard input is a terminal: restore - <COPY" in capsys.readouterr().err


def test_no_database_is_restored_while_a_server_uses_it(folder, tmp_path):
    database = tmp_path / "served.sqlite3"
    server = SqliteFile(database)
    with pytest.raises(DatabaseLocked, match="is in use: stop its server first"):
        restore(database, folder / "copy")
    server.close()
    restore(database, folder / "copy")


def test_no_server_starts_during_a_restore(folder, monkeypatch):
    database, keep = folder / "a.sqlite3", module._keep

    def start_server(file: Path, stack: ExitStack) -> Path | None:
        with pytest.raises(DatabaseLocked):
            SqliteFile(database)
        return keep(file, stack)

    monkeypatch.setattr(module, "_keep", start_server)
    restore(database, folder / "copy")
    assert _read(database) == "new"


def test_no_command_changes_the_database_during_a_restore(folder, monkeypatch):
    database, keep = folder / "a.sqlite3", module._keep
    command = _open(database, timeout=0)

    def write(file: Path, stack: ExitStack) -> Path | None:
        kept = keep(file, stack)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            command.execute("UPDATE log SET events = 'lost'")
        return kept

    monkeypatch.setattr(module, "_keep", write)
    restore(database, folder / "copy")
    with closing(command), pytest.raises(sqlite3.OperationalError, match="readonly"):
        command.execute("UPDATE log SET events = 'lost'")
    assert _read(database) == "new"


def test_a_database_in_use_by_a_command_is_not_replaced(folder, monkeypatch):
    monkeypatch.setattr(module, "LOCK_SECONDS", 0)
    database = folder / "a.sqlite3"
    with closing(_open(database)) as command:
        command.execute("SELECT * FROM log").fetchone()
        with pytest.raises(DatabaseUnusable, match="another command is using the file"):
            restore(database, folder / "copy")
    assert _read(database) == "old"


def test_a_damaged_database_is_kept_and_replaced(folder):
    database = folder / "a.sqlite3"
    log = (folder / "a.sqlite3-wal").read_bytes()
    database.write_bytes(b"damaged" * 1000)
    kept = restore(database, folder / "copy")
    assert _read(database) == "new"
    assert kept is not None
    assert kept.read_bytes() == b"damaged" * 1000
    assert Path(f"{kept}-wal").read_bytes() == log


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is no database of a mastermind-server"),
        (b"no database", "file is not a database"),
        (None, "database disk image is malformed"),
    ],
)
def test_an_unusable_copy_changes_nothing(folder, content, reason):
    content = (folder / "copy").read_bytes()[:-4096] if content is None else content
    before = _snapshot(folder)
    with pytest.raises(DatabaseUnusable, match=reason):
        restore(folder / "a.sqlite3", BytesIO(content))
    assert _snapshot(folder) == before


@pytest.mark.parametrize(
    ("name", "reason"), [("none", "No such file or directory"), ("", "it is no file")]
)
def test_the_error_for_a_copy_that_cannot_be_read_names_it(folder, name, reason):
    database, copy = folder / "a.sqlite3", folder / name
    with pytest.raises(DatabaseUnusable) as error:
        restore(database, copy)
    assert str(error.value) == f"{database} cannot be restored from {copy}: {reason}"


def test_a_copy_of_a_newer_version_changes_nothing(folder, tmp_path):
    newer = _make(tmp_path / "newer", "new", f"{int(REVISION) + 1:04}")
    before = _snapshot(folder)
    with pytest.raises(DatabaseUnusable, match="from a newer server"):
        restore(folder / "a.sqlite3", newer)
    assert _snapshot(folder) == before


def test_a_full_disk_leaves_the_old_database(folder, monkeypatch):
    def fill(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", fill)
    with pytest.raises(DatabaseUnusable, match="No space left on device"):
        restore(folder / "a.sqlite3", folder / "copy")
    assert _read(folder / "a.sqlite3") == "old"
    assert {path.name for path in folder.iterdir()} == {"a.sqlite3", "copy"}


def test_a_killed_restore_leaves_one_of_both_databases(folder, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)  # slow
    subprocess.run([sys.executable, "-c", KILLED_AT_EACH_LINE, folder], check=True, timeout=60)
    found = []
    for n, _ in enumerate(folder.parent.glob("folder-*"), 1):
        database = folder.with_name(f"folder-{n}") / "a.sqlite3"
        found.append(_read(database))
        restore(database, folder / "copy")
        assert not list(database.parent.glob(".*"))
    assert found == ["old"] * found.count("old") + ["new"] * found.count("new")
    assert found.count("old") > 30
    assert found.count("new") > 2


def _open(database: Path, timeout: float = 5) -> sqlite3.Connection:
    return sqlite3.connect(database, isolation_level=None, timeout=timeout)


def _make(database: Path, content: str, revision: str = REVISION) -> Path:
    with closing(_open(database)) as driver:
        driver.execute("CREATE TABLE alembic_version (version_num TEXT)")
        driver.execute("INSERT INTO alembic_version VALUES (?)", [revision])
        driver.execute("CREATE TABLE log (events TEXT)")
        driver.execute("INSERT INTO log VALUES (?)", [content])
    return database


def _read(database: Path) -> str:
    with closing(_open(database)) as driver:
        assert driver.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        ((content,),) = driver.execute("SELECT events FROM log").fetchall()
    return str(content)


def _list_kept(folder: Path) -> list[Path]:
    return sorted(folder.glob("a.sqlite3.*"))


def _snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}
