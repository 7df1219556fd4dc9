from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from kit.matches import pegs
from kit.people import PATIENCE, unreachable
from mastermind_client.net.embedded import DatabaseInUse, embedded_server
from mastermind_client.net.identity import Identity, offline_identity
from mastermind_client.net.running import offline_folder
from mastermind_client.net.session import Session
from mastermind_client.net.updates import Moved
from mastermind_protocol.events import Finished, SecretSet


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder for temporary files, which is this test's own."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


async def test_a_whole_game_is_played_with_nothing_left_on_the_disk(temporary, data_folder):
    async with embedded_server() as address, Session.connect(address, Identity(), "Ada") as session:
        assert len(_files(temporary)) == 1
        mirror = await session.open("lab", maker="random", breaker="me", seed=1)
        await _hear_of(session, SecretSet)
        await session.guess(mirror, pegs("2513"))  # what seed 1 begins with
        await _hear_of(session, Finished)
    assert not _files(temporary)
    assert not _files(data_folder)


async def test_it_listens_only_to_this_machine_and_only_while_the_block_lasts(temporary):
    async with embedded_server() as address, embedded_server() as another:
        assert address != another
        assert urlsplit(address).hostname == "127.0.0.1"
        assert urlsplit(address).port
        assert len(_files(temporary)) == 2
    with unreachable("nothing listens there"):
        async with Session.connect(address, Identity()):
            pass


async def test_nothing_is_left_when_the_block_fails(temporary):
    with pytest.raises(InterruptedError):
        async with embedded_server():
            raise InterruptedError
    assert not _files(temporary)


async def test_games_in_a_folder_are_there_the_next_time(data_folder):
    folder = offline_folder()
    assert folder == data_folder / "mastermind" / "offline"
    async with (
        embedded_server(folder) as address,
        Session.connect(address, offline_identity(folder), "Ada") as session,
    ):
        mirror = await session.open("lab", maker="random", breaker="me", seed=1)
        await _hear_of(session, SecretSet)
        await session.guess(mirror, pegs("2513"))
        me = session.player.id
    async with (
        embedded_server(folder) as address,
        Session.connect(address, offline_identity(folder)) as session,
    ):
        assert session.player.id == me
        (kept,) = (await session.list_archive()).matches
        assert (kept.match, kept.won, kept.bot) == (mirror.code, True, True)
        again = await session.follow(kept.match)
        assert again.state == mirror.state
    assert {file.name for file in folder.iterdir()} == {
        *("games.db", "games.db.lock", "player.running", "player.token")
    }
    assert {path.stat().st_mode & 0o777 for path in (folder, folder / "player.token")} == {
        *(0o700, 0o600)
    }


async def test_games_that_another_process_has_open_are_refused_and_not_harmed(tmp_path):
    async with embedded_server(tmp_path) as address:
        with pytest.raises(DatabaseInUse, match=re.escape(str(tmp_path))):
            async with embedded_server(tmp_path):
                pass
        async with Session.connect(address, Identity(), "Ada") as session:
            assert await session.list_bots()


def test_the_slow_imports_can_be_done_beforehand_and_are_no_more_than_a_new_file_needs():
    told = _run(
        "import asyncio, sys\n"
        "from mastermind_client.net import embedded\n"
        "assert 'mastermind_server.app' not in sys.modules\n"
        "embedded.prepare_embedded()\n"
        "assert 'mastermind_server.app' in sys.modules\n"
        "async def begin():\n"
        "    async with embedded.embedded_server():\n"
        "        pass\n"
        "asyncio.run(begin())"
    )
    assert "sqlalchemy" in told
    assert "alembic" not in told
    assert "sqlalchemy.dialects.postgresql" not in told


def _run(program: str) -> list[str]:
    """Return the modules that a fresh interpreter has after a program."""
    told = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys; print(*sys.modules)"],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return told.stdout.split()


def _files(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.exists() else []


async def _hear_of(session: Session, kind: type[SecretSet | Finished]) -> None:
    async with asyncio.timeout(PATIENCE):
        async for update in session.updates():
            if isinstance(update, Moved) and any(isinstance(e, kind) for e in update.events):
                return
