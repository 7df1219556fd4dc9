import asyncio
from pathlib import Path

import psycopg
import sqlalchemy as sa

from kit.client import PATIENCE
from mastermind_protocol.events import Player
from mastermind_server.storage.database import Session
from mastermind_server.storage.postgresql import PostgresDatabase
from mastermind_server.storage.schema import transfers
from mastermind_server.storage.statements.accounts import (
    NewPlayer,
    add_transfer,
    find_tokens,
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
        await store.write(add_transfer, player, player.encode(), code, until=now + 300, now=now)
    assert await store.read(count) == 2
    await store.close()


async def test_a_token_taken_at_another_node_during_a_logout_of_all_is_revoked(postgres_url):
    store = await Store.open(postgres_url)
    await store.add_player(NewPlayer(Player(id="A", name="Ada"), OWNER, 0))
    await store.write(add_transfer, "A", OWNER, b"code", until=300, now=0)
    database = PostgresDatabase(postgres_url)
    session = database.connect()
    with psycopg.connect(postgres_url, autocommit=True) as watcher:
        with session.transaction():
            assert take_transfer(session, b"code", TAKEN, 0, lambda found: found)
            logout = asyncio.create_task(store.write(revoke_tokens, "A", OWNER, others=True))
            async with asyncio.timeout(PATIENCE):
                while (await asyncio.to_thread(watcher.execute, WAITING)).fetchone() != (1,):
                    pass
        assert await logout
    assert await store.read(find_tokens, [OWNER, TAKEN]) == {OWNER}
    session.close()
    database.close()
    await store.close()
