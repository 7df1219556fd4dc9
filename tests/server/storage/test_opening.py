import pytest

from kit.server import make_database
from mastermind_server.storage.database import DatabaseLocked, DatabaseUnusable
from mastermind_server.storage.opening import Mode, open_session
from mastermind_server.storage.schema import find_revision, players
from mastermind_server.storage.sqlite import SqliteFile


@pytest.mark.parametrize("mode", Mode)
def test_only_an_exclusive_session_needs_a_file_without_a_server(tmp_path, mode):
    path = tmp_path / "game.sqlite3"
    server = SqliteFile(path)
    try:
        if mode is Mode.EXCLUSIVE:
            with pytest.raises(DatabaseLocked), open_session(path, mode):
                pass
        else:
            with open_session(path, mode) as session:
                assert find_revision(session.connection) is not None
    finally:
        server.close()


def test_a_read_session_cannot_write(tmp_path):
    path = tmp_path / "game.sqlite3"
    make_database(path)
    with (
        pytest.raises(DatabaseUnusable, match="cannot be used: attempt to write a readonly"),
        open_session(path, Mode.READ) as session,
    ):
        session.connection.execute(players.delete())


@pytest.mark.parametrize("mode", Mode)
def test_no_session_creates_a_file(tmp_path, mode):
    with pytest.raises(DatabaseUnusable), open_session(tmp_path / "game.sqlite3", mode):
        pass
    assert list(tmp_path.iterdir()) == []
