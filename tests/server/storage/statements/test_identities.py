import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

from kit.client import PATIENCE
from mastermind_protocol.events import Player
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.engines.postgresql import PostgresDatabase
from mastermind_server.storage.schema import transfers
from mastermind_server.storage.statements.accounts import (
    NewPlayer,
    add_transfer,
    find_tokens,
    find_transfer_owner,
    revoke_tokens,
    take_transfer,
)
from mastermind_server.storage.store import Store

OWNER, TAKEN = b"a" * 32, b"2" * 32
WAITING = (
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


async def test_a_new_transfer_code_deletes_the_expired_ones_of_all_players(tmp_path: Path) -> None:
    def count(session: Session) -> int:
        return session.connection.scalar(sa.select(sa.func.count()).select_from(transfers)) or 0

    store = await Store.open(tmp_path / "games.db")
    for player, now in (("A", 0), ("B", 100), ("C", 300)):
        await store.add_player(NewPlayer(Player(id=player, name=player), player.encode(), 0))
        code = f"code of {player}".encode()
        await store.write(
            add_transfer, player, player.encode(), code, until=now + 300, now=now, max_tokens=2
        )
    assert await store.read(count) == 2
    await store.close()


@pytest.fixture
async def store(postgres_url):
    """A store with a player who has one token, and a transfer code."""
    store = await Store.open(postgres_url)
    await store.add_player(NewPlayer(Player(id="A", name="Ada"), OWNER, 0))
    await store.write(add_transfer, "A", OWNER, b"code", until=300, now=0, max_tokens=2)
    yield store
    await store.close()


async def take_during(postgres_url: str, other: Coroutine[Any, Any, Any]) -> Any:
    """Use the transfer code at another node, and commit when `other` waits for it; return that."""
    database = PostgresDatabase(postgres_url)
    session = database.connect()
    with psycopg.connect(postgres_url, autocommit=True) as watcher, session.transaction():
        assert take_transfer(session, b"code", TAKEN, 0, lambda found: found)
        waiting = asyncio.create_task(other)
        async with asyncio.timeout(PATIENCE):
            while (await asyncio.to_thread(watcher.execute, WAITING)).fetchone() != (1,):
                pass
    session.close()
    database.close()
    return await waiting


async def test_a_token_taken_at_another_node_during_a_logout_of_all_is_revoked(store, postgres_url):
    logout = store.write(revoke_tokens, "A", OWNER, others=True)
    assert await take_during(postgres_url, logout)
    assert await store.read(find_tokens, [OWNER, TAKEN]) == {OWNER}


async def test_a_token_taken_at_another_node_counts_for_the_next_transfer_code(store, postgres_url):
    adding = store.write(add_transfer, "A", OWNER, b"next", until=300, now=0, max_tokens=2)
    assert await take_during(postgres_url, adding) == 2
    assert await store.read(find_transfer_owner, b"next", 0) is None
