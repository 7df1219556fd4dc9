from __future__ import annotations

import asyncio
import tempfile
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from client.people import PATIENCE, pegs
from mastermind_client.embedded import embedded_server
from mastermind_client.identity import Identity
from mastermind_client.session import Session
from mastermind_client.trouble import ServerUnreachable
from mastermind_client.updates import Moved
from mastermind_protocol.events import Finished, SecretSet

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, which is this test's own."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


async def test_a_whole_game_is_played_with_nothing_left_on_the_disk(
    temporary: Path, data_folder: Path
) -> None:
    async with embedded_server() as address, Session.connect(address, Identity(), "Ada") as session:
        assert len(_files(temporary)) == 1
        mirror = await session.open("lab", maker="random", breaker="me", seed=1)
        await _hear_of(session, SecretSet)
        await session.guess(mirror, pegs("1402"))  # what seed 1 begins with
        await _hear_of(session, Finished)
    assert not _files(temporary)
    assert not _files(data_folder)


async def test_it_listens_only_to_this_machine_and_only_while_the_block_lasts(
    temporary: Path,
) -> None:
    async with embedded_server() as address, embedded_server() as another:
        assert address != another
        assert urlsplit(address).hostname == "127.0.0.1"
        assert urlsplit(address).port
        assert len(_files(temporary)) == 2
    with pytest.raises(ServerUnreachable, match="nothing listens there"):
        async with Session.connect(address, Identity()):
            pass


async def test_nothing_is_left_when_the_block_fails(temporary: Path) -> None:
    with pytest.raises(InterruptedError):
        async with embedded_server():
            raise InterruptedError
    assert not _files(temporary)


def _files(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.exists() else []


async def _hear_of(session: Session, kind: type[SecretSet | Finished]) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            update = await session.next_update()
            if isinstance(update, Moved) and any(isinstance(e, kind) for e in update.events):
                return
