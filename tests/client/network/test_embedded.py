import re
import subprocess
import sys
import tempfile
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from kit.people import SessionClient, unreachable
from kit.players import identities
from mastermind_client.network.embedded import DatabaseInUse, embedded_server
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.session import Session
from mastermind_protocol.events import Finished


async def play(session: Session) -> Mirror:
    """Break a code with the first guess; return the match."""
    person = SessionClient(session, Identity())
    mirror = await session.open("lab", maker="random", breaker="me", seed=1)
    await person.guess(mirror, "2513")  # the secret of seed 1
    await person.wait_for_event(Finished)
    return mirror


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder for temporary files, which is this test's own."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


async def test_a_server_on_this_machine_ends_with_its_block_and_leaves_no_file(
    temporary, data_folder
):
    with suppress(InterruptedError):
        async with embedded_server() as address, embedded_server() as another:
            assert address != another
            assert urlsplit(address).hostname == "127.0.0.1"
            assert len(list(temporary.iterdir())) == 2
            async with Session.connect(address, Identity(), "Ada") as session:
                await play(session)
            raise InterruptedError
    with unreachable("nothing listens there"):
        async with Session.connect(address, Identity()):
            pass
    assert not list(temporary.iterdir())
    assert not data_folder.exists()


async def test_games_in_a_folder_are_kept(data_folder):
    folder = identities().offline_folder
    assert folder == data_folder / "mastermind" / "offline"
    async with (
        embedded_server(folder) as address,
        Session.connect(address, identities().find_offline(), "Ada") as session,
    ):
        mirror = await play(session)
        me = session.player.id
    async with (
        embedded_server(folder) as address,
        Session.connect(address, identities().find_offline()) as session,
    ):
        assert session.player.id == me
        (kept,) = (await session.list_archive()).matches
        assert (kept.match, kept.won, kept.bot) == (mirror.code, True, True)
        again = await session.follow(kept.match)
        assert again.state == mirror.state
    assert {file.name for file in folder.iterdir()} == {
        *("games.db", "games.db.lock", "player.json", "write.lock")
    }
    assert {path.stat().st_mode & 0o777 for path in (folder, folder / "player.json")} == {
        *(0o700, 0o600)
    }


async def test_a_folder_in_use_is_refused_and_unharmed(tmp_path):
    async with embedded_server(tmp_path) as address:
        with pytest.raises(DatabaseInUse, match=re.escape(str(tmp_path))):
            async with embedded_server(tmp_path):
                pass
        async with Session.connect(address, Identity(), "Ada") as session:
            assert await session.list_bots()


async def test_a_server_for_the_network_takes_another_port_if_its_own_is_taken(tmp_path):
    async with embedded_server(tmp_path / "first", 0) as address:
        port = urlsplit(address).port
        async with embedded_server(tmp_path / "second", port) as another:
            assert urlsplit(another).port not in (None, port)
            assert urlsplit(another).hostname == urlsplit(address).hostname
            for host in (urlsplit(another).hostname, "127.0.0.2"):  # not where loopback listens
                there = f"ws://{host}:{urlsplit(another).port}"
                async with Session.connect(there, Identity(), "Ada") as session:
                    assert await session.list_bots()


def test_slow_imports_can_be_done_early_and_are_few():
    program = (
        "import asyncio, sys\n"
        "from mastermind_client.network import embedded\n"
        "assert 'mastermind_server.app' not in sys.modules\n"
        "embedded.prepare_embedded()\n"
        "assert 'mastermind_server.app' in sys.modules\n"
        "async def begin():\n"
        "    async with embedded.embedded_server():\n"
        "        pass\n"
        "asyncio.run(begin())\n"
        "print(*sys.modules)"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    told = done.stdout.split()
    assert "sqlalchemy" in told
    assert "alembic" not in told
    assert "sqlalchemy.dialects.postgresql" not in told
