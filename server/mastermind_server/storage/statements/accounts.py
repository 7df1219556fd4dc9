"""Players, their tokens and transfer codes. Only SHA-256 digests of tokens and codes are stored.

Digests are looked up in an index. The time of a lookup may reveal the first bytes of a digest. This
is harmless, because an attacker cannot find a token with a given digest.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.events import Player
from mastermind_server.storage.notices import LOGGED_OUT, Notice
from mastermind_server.storage.schema import players, tokens, transfers
from mastermind_server.storage.statements.matches import build_upsert

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from mastermind_server.storage.database import Session


class NewPlayer(NamedTuple):
    """A new player, the digest of the player's token, and the time in milliseconds since 1970."""

    player: Player
    token: bytes
    created: int


def add_players(session: Session, new: Sequence[NewPlayer]) -> Sequence[int]:
    """Insert players with their tokens by two statements, all or none.

    Return an empty sequence, as `Lane.insert` for no rejected row: a player id that exists raises
    the driver's exception.
    """
    player_values: dict[str, object] = {}
    token_values: dict[str, object] = {}
    for number, (player, token, created) in enumerate(new):
        row = {"id": player.id, "name": player.name, "program": player.program}
        player_values |= _number_keys(number, row | {"created": created})
        token_row = {"digest": token, "player": player.id, "created": created}
        token_values |= _number_keys(number, token_row)
    with session.transaction():
        session.run(_build_inserts(players, len(new)), player_values)
        session.run(_build_inserts(tokens, len(new)), token_values)
    return ()


def change_player(session: Session, player: Player) -> None:
    """Store the name of `player`. If `player` is a program, mark the account as one for good."""
    changed = {"player": player.id, "called": player.name, "is_program": player.program}
    session.run(_CHANGE_PLAYER, changed)


def find_player(session: Session, token: bytes) -> Player | None:
    """Return the player of the token with the digest `token`, or None."""
    return _read_player(session.run(_FIND_PLAYER, {"digest": token}).fetchone())


def is_program(session: Session, player: str) -> bool:
    """Return whether the player id has ever declared itself a program."""
    return bool(session.run(_IS_PROGRAM, {"player": player}).fetchone()[0])


def count_tokens(session: Session, player: str) -> int:
    """Return the number of tokens of the player id."""
    return int(session.run(_COUNT_TOKENS, {"player": player}).fetchone()[0])


def find_tokens(session: Session, digests: Collection[bytes]) -> set[bytes]:
    """Return those of `digests` that belong to valid tokens."""
    query = sa.select(tokens.c.digest).where(tokens.c.digest.in_(digests))
    return {bytes(digest) for digest in session.connection.scalars(query)}


def revoke_tokens(session: Session, player: str, token: bytes, *, others: bool = False) -> bool:
    """Delete the token of the player id `player` that has the digest `token`.

    With `others`, keep this token, and delete all other tokens and the transfer code. Return False,
    and change nothing, if the token is not valid.
    """
    with session.transaction():
        if not _lock_and_check_token(session, player, token):
            return False
        if others:  # the code first: a token that it gives at this moment is deleted next
            session.run(_DELETE_TRANSFER, {"player": player})
            session.run(_REVOKE_OTHERS, {"player": player, "digest": token})
        else:
            session.run(_REVOKE, {"player": player, "digest": token})
        session.notices.append(Notice(player, LOGGED_OUT))
        return True


def add_transfer(
    session: Session, player: str, token: bytes, code: bytes, until: int, now: int
) -> bool:
    """Store a transfer code of the player id, in place of an earlier code.

    `token` and `code` are digests. Times are in milliseconds since 1970; the code is valid before
    `until`. Return False, and change nothing, if the token is not valid.
    """
    with session.transaction():
        if not _lock_and_check_token(session, player, token):
            return False
        session.run(_END_TRANSFERS, {"now": now})
        row = {"player": player, "digest": code, "until": until}
        session.run(build_upsert(session.insert, transfers), row)
        return True


def find_transfer(session: Session, code: bytes, now: int) -> Player | None:
    """Return the player of the transfer code with the digest `code`, or None if it is not valid."""
    return _read_player(session.run(_FIND_TRANSFER, {"digest": code, "now": now}).fetchone())


def take_transfer(
    session: Session,
    code: bytes,
    token: bytes,
    now: int,
    change: Callable[[Player], Player] = lambda found: found,
) -> Player | None:
    """Delete a transfer code and add a token for its player. Return the player.

    `code` and `token` are digests. `change` receives the player, and returns the player to store
    and return, for example with another name. Return None, and change nothing, if the code is not
    valid at `now`, in milliseconds since 1970.
    """
    with session.transaction():
        player = find_transfer(session, code, now)
        if player is None:
            return None
        changed = change(player)
        if not session.run(_USE_TRANSFER, {"digest": code}).rowcount:
            return None  # used at the same moment
        session.run(_INSERT_TOKEN, {"digest": token, "player": player.id, "created": now})
        if changed != player:
            change_player(session, changed)
        return changed


def lock_player(session: Session, player: str) -> None:
    """Lock the row of a player id until the transaction ends, so that its tokens do not change."""
    session.run(_LOCK_PLAYER, {"player": player}).fetchone()


def _lock_and_check_token(session: Session, player: str, token: bytes) -> bool:
    """Lock the row of a player id. Return whether the player has the token with this digest."""
    lock_player(session, player)
    return session.run(_PROVE, {"player": player, "digest": token}).fetchone() is not None


@cache
def _build_inserts(table: sa.Table, rows: int) -> sa.ClauseElement:
    """Return an INSERT of `rows` rows, with parameters named by `_number_keys`."""
    return sa.insert(table).values(
        [
            {
                column.name: sa.bindparam(f"{column.name}_{number}", type_=column.type)
                for column in table.c
            }
            for number in range(rows)
        ]
    )


def _number_keys(number: int, row: Mapping[str, object]) -> dict[str, object]:
    """Return `row` with `number` appended to its keys: the parameters of `_build_inserts`."""
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
# SQLite has one writer and ignores FOR UPDATE.
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
