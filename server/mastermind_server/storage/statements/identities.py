"""Who the players are, and what proves it: of tokens and codes only a digest is kept.

A digest is its SHA-256. What is asked for is found by it, in an index: how long that takes may
tell how a digest begins, but nobody can choose a token that has the digest which he would like to
try next. So nothing here has to compare in constant time.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.events import Player
from mastermind_server.storage.schema import players, tokens, transfers
from mastermind_server.storage.statements.inserts import write_replacement

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from mastermind_server.storage.database import Session


class NewPlayer(NamedTuple):
    """A player who is here for the first time, the token's digest, and when in ms since 1970."""

    player: Player
    token: bytes
    created: int


def add_players(session: Session, new: Sequence[NewPlayer]) -> None:
    """Add players, all or none, each with a token: by two statements, however many they are."""
    who: dict[str, object] = {}
    proof: dict[str, object] = {}
    for number, (player, token, created) in enumerate(new):
        kept = {"id": player.id, "name": player.name, "program": player.program}
        who |= _number(number, kept | {"created": created})
        proof |= _number(number, {"digest": token, "player": player.id, "created": created})
    with session.transaction():
        session.run(_write_inserts(players, len(new)), who)
        session.run(_write_inserts(tokens, len(new)), proof)


def change_player(session: Session, player: Player) -> None:
    """Keep the name that a player now goes by, and that it is a program, if it is one."""
    changed = {"player": player.id, "called": player.name, "is_program": player.program}
    session.run(_CHANGE_PLAYER, changed)


def find_player(session: Session, token: bytes) -> Player | None:
    """Return the player who has this token."""
    return _read_player(session.run(_FIND_PLAYER, {"digest": token}).fetchone())


def is_program(session: Session, player: str) -> bool:
    """Tell whether the player has ever said to be a program."""
    return bool(session.run(_IS_PROGRAM, {"player": player}).fetchone()[0])


def count_tokens(session: Session, player: str) -> int:
    """Return how many tokens a player has."""
    return int(session.run(_COUNT_TOKENS, {"player": player}).fetchone()[0])


def find_tokens(session: Session, digests: Collection[bytes]) -> set[bytes]:
    """Return those of the tokens that are somebody's."""
    query = sa.select(tokens.c.digest).where(tokens.c.digest.in_(digests))
    return {bytes(digest) for digest in session.connection.scalars(query)}


def revoke(session: Session, player: str, token: bytes, *, others: bool) -> bool:
    """Let a player have this token no more; or this one alone, and no code either.

    Changes nothing and returns False if the token is not the player's: what is void revokes none.
    """
    with session.transaction():
        if not _prove(session, player, token):
            return False
        if others:  # the code first: whoever is just using it has a token then, which goes too
            session.run(_DELETE_TRANSFER, {"player": player})
            session.run(_REVOKE_OTHERS, {"player": player, "digest": token})
        else:
            session.run(_REVOKE, {"player": player, "digest": token})
        return True


def add_transfer(
    session: Session, player: str, token: bytes, code: bytes, until: int, now: int
) -> bool:
    """Let a code be good for a token of the player until a time; one of before is so no more.

    Changes nothing and returns False if the token, of who asks, is not the player's.
    """
    with session.transaction():
        if not _prove(session, player, token):
            return False
        session.run(_END_TRANSFERS, {"now": now})
        row = {"player": player, "digest": code, "until": until}
        session.run(write_replacement(session.insert, transfers), row)
        return True


def find_transfer(session: Session, code: bytes, now: int) -> Player | None:
    """Return the player of a code that is good."""
    return _read_player(session.run(_FIND_TRANSFER, {"digest": code, "now": now}).fetchone())


def take_transfer(
    session: Session, code: bytes, token: bytes, now: int, change: Callable[[Player], Player]
) -> Player | None:
    """Give the player of a code, which is used up by that, a token; None if it is nobody's.

    The player is kept and returned as it is after a `change`: all of that, or nothing.
    """
    with session.transaction():
        player = find_transfer(session, code, now)
        if player is None:
            return None
        changed = change(player)
        if not session.run(_USE_TRANSFER, {"digest": code}).rowcount:
            return None  # another was quicker
        session.run(_INSERT_TOKEN, {"digest": token, "player": player.id, "created": now})
        if changed != player:
            change_player(session, changed)
        return changed


def lock_player(session: Session, player: str) -> None:
    """Let nobody else change what proves a player until the transaction ends."""
    session.run(_LOCK_PLAYER, {"player": player}).fetchone()


def _prove(session: Session, player: str, token: bytes) -> bool:
    """Tell whether a player has this token, and will until the transaction ends."""
    lock_player(session, player)
    return session.run(_PROVE, {"player": player, "digest": token}).fetchone() is not None


@cache
def _write_inserts(table: sa.Table, rows: int) -> sa.ClauseElement:
    """Return what inserts so many rows, of places named as `_number` does."""
    return sa.insert(table).values(
        [
            {
                column.name: sa.bindparam(f"{column.name}_{number}", type_=column.type)
                for column in table.c
            }
            for number in range(rows)
        ]
    )


def _number(number: int, row: Mapping[str, object]) -> dict[str, object]:
    """Return the values of one row among several."""
    return {f"{column}_{number}": value for column, value in row.items()}


def _read_player(row: Any) -> Player | None:
    if row is None:
        return None
    player, name, program = row
    return Player(id=player, name=name, program=bool(program))


_player: sa.BindParameter[str] = sa.bindparam("player")
_digest: sa.BindParameter[bytes] = sa.bindparam("digest")
_now: sa.BindParameter[int] = sa.bindparam("now")

_CHANGE_PLAYER = (
    sa.update(players)
    .where(players.c.id == _player)
    .values(
        name=sa.bindparam("called"),
        program=sa.or_(players.c.program, sa.bindparam("is_program", type_=sa.Boolean)),
    )
)
_IS_PROGRAM = sa.select(sa.exists().where(players.c.id == _player, players.c.program))
_KNOWN = sa.select(players.c.id, players.c.name, players.c.program)
_FIND_PLAYER = _KNOWN.join(tokens, tokens.c.player == players.c.id).where(
    tokens.c.digest == _digest
)
_INSERT_TOKEN = sa.insert(tokens)
_COUNT_TOKENS = sa.select(sa.func.count()).where(tokens.c.player == _player)
# SQLite has one writer, and leaves the FOR UPDATE out.
_LOCK_PLAYER = sa.select(players.c.id).where(players.c.id == _player).with_for_update()
_PROVE = sa.select(tokens.c.digest).where(tokens.c.player == _player, tokens.c.digest == _digest)
_REVOKE = sa.delete(tokens).where(tokens.c.player == _player, tokens.c.digest == _digest)
_REVOKE_OTHERS = sa.delete(tokens).where(tokens.c.player == _player, tokens.c.digest != _digest)
_DELETE_TRANSFER = sa.delete(transfers).where(transfers.c.player == _player)
_END_TRANSFERS = sa.delete(transfers).where(transfers.c.until <= _now)
_FIND_TRANSFER = _KNOWN.join(transfers, transfers.c.player == players.c.id).where(
    transfers.c.digest == _digest, transfers.c.until > _now
)
_USE_TRANSFER = sa.delete(transfers).where(transfers.c.digest == _digest)
