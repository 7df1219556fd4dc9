"""Players, their tokens and transfer codes. Only SHA-256 digests of tokens and codes are stored.

Digests are looked up in an index. The time of a lookup may reveal the first bytes of a digest. This
is harmless, because an attacker cannot find a token with a given digest.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.events import Player
from mastermind_server.storage.notices import TokensRevoked
from mastermind_server.storage.schema import players, tokens, transfers
from mastermind_server.storage.statements.matches import build_upsert

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from mastermind_server.storage.engines.database import Session


class NewPlayer(NamedTuple):
    """A new player, created at `created` in milliseconds since 1970.

    `token_digest` is the digest of the player's first token.
    """

    player: Player
    token_digest: bytes
    created: int


def add_players(session: Session, new_players: Sequence[NewPlayer]) -> Sequence[int]:
    """Insert players with their tokens by two statements, all or none.

    Raises the driver's exception if the id of a player is stored already. Returns an empty
    sequence, because `Lane.insert_rows` expects the indices of rejected rows.
    """
    player_values: dict[str, object] = {}
    token_values: dict[str, object] = {}
    for number, (player, token_digest, created) in enumerate(new_players):
        row: dict[str, object] = {"id": player.id, "name": player.name, "program": player.program}
        row |= {"created": created, "challenges": True}
        player_values |= _add_number_to_keys(number, row)
        token_row = {"digest": token_digest, "player": player.id, "created": created}
        token_values |= _add_number_to_keys(number, token_row)
    with session.transaction():
        session.run(_build_insert(players, len(new_players)), player_values)
        session.run(_build_insert(tokens, len(new_players)), token_values)
    return ()


def change_player(session: Session, found: Player, changed: Player) -> None:
    """Store the differences of `changed` from `found`, the player as it was read before.

    A name that did not change is not stored, because another connection may have changed it since.
    A program stays marked as a program for good.
    """
    name = changed.name if changed.name != found.name else None
    values = {"player": found.id, "called": name, "is_program": changed.program}
    session.run(_CHANGE_PLAYER, values)


def find_player(session: Session, token_digest: bytes) -> Player | None:
    """Return the player of the token with this digest, or None."""
    return _read_player(session.run(_FIND_PLAYER, {"digest": token_digest}).fetchone())


def is_program(session: Session, player: str) -> bool:
    """Return whether the player with the id `player` has ever declared to be a program."""
    return bool(session.run(_IS_PROGRAM, {"player": player}).fetchone()[0])


def find_creation_time(session: Session, player: str) -> int | None:
    """Return the time when the player with this id was created, or None if it does not exist.

    The time is in milliseconds since 1970.
    """
    row = session.run(_FIND_CREATION_TIME, {"player": player}).fetchone()
    return row[0] if row else None


def count_tokens(session: Session, player: str) -> int:
    """Return the number of tokens of the player with this id."""
    return int(session.run(_COUNT_TOKENS, {"player": player}).fetchone()[0])


def find_tokens(session: Session, digests: Collection[bytes]) -> set[bytes]:
    """Return the members of `digests` that belong to valid tokens."""
    query = sa.select(tokens.c.digest).where(tokens.c.digest.in_(digests))
    return {bytes(digest) for digest in session.connection.scalars(query)}


def revoke_tokens(
    session: Session, player: str, token_digest: bytes, *, others: bool = False
) -> bool:
    """Delete the token with the digest `token_digest` of the player with the id `player`.

    With `others`, keep this token, and delete all other tokens of the player and the transfer code.
    If the token is not valid, return False and change nothing.
    """
    with session.transaction():
        if not _lock_and_check_token(session, player, token_digest):
            return False
        if others:  # the code first: a token that it gives at this moment is deleted next
            session.run(_DELETE_TRANSFER, {"player": player})
            session.run(_REVOKE_OTHER_TOKENS, {"player": player, "digest": token_digest})
        else:
            session.run(_REVOKE_TOKEN, {"player": player, "digest": token_digest})
        session.notices.append(TokensRevoked(player))
        return True


def add_transfer(
    session: Session,
    player: str,
    token_digest: bytes,
    code_digest: bytes,
    until: int,
    now: int,
    max_tokens: int,
) -> int | None:
    """Store a transfer code of the player with this id. It replaces an earlier code.

    The code is valid before `until`. Times are in milliseconds since 1970. Return the number of the
    player's tokens, or None if the token is not valid. Change nothing if it is not valid, or if
    there are `max_tokens` tokens. A player has one code at a time, which gives one token, and
    `take_transfer` waits for the same lock: so no player ever has more tokens.
    """
    with session.transaction():
        if not _lock_and_check_token(session, player, token_digest):
            return None
        count = count_tokens(session, player)
        if count < max_tokens:
            session.run(_DELETE_EXPIRED_TRANSFERS, {"now": now})
            row = {"player": player, "digest": code_digest, "until": until}
            session.run(build_upsert(session.insert, transfers), row)
        return count


def find_transfer_owner(session: Session, code_digest: bytes, now: int) -> Player | None:
    """Return the player of the transfer code with this digest, or None if the code is not valid."""
    return _read_player(session.run(_FIND_TRANSFER, {"digest": code_digest, "now": now}).fetchone())


def take_transfer(
    session: Session,
    code_digest: bytes,
    token_digest: bytes,
    now: int,
    change: Callable[[Player], Player] = lambda found: found,
) -> Player | None:
    """Delete a transfer code and add a token for its player. Return the player.

    `change` receives the stored player and returns the player to store and return, for example with
    another name. If the code is not valid at `now`, in milliseconds since 1970, return None and
    change nothing.
    """
    with session.transaction():
        player = find_transfer_owner(session, code_digest, now)
        if player is None:
            return None
        changed = change(player)
        lock_player(session, player.id)
        if not session.run(_DELETE_USED_TRANSFER, {"digest": code_digest}).rowcount:
            return None  # used at the same moment
        session.run(_INSERT_TOKEN, {"digest": token_digest, "player": player.id, "created": now})
        if changed != player:
            change_player(session, player, changed)
        return changed


def lock_player(session: Session, player: str) -> None:
    """Lock the row of the player with this id until the transaction ends.

    Until then, the tokens of the player do not change.
    """
    session.run(_LOCK_PLAYER, {"player": player}).fetchone()


def _lock_and_check_token(session: Session, player: str, token_digest: bytes) -> bool:
    """Lock the row of the player with this id. Return whether the player has this token."""
    lock_player(session, player)
    return (
        session.run(_CHECK_TOKEN, {"player": player, "digest": token_digest}).fetchone() is not None
    )


@cache
def _build_insert(table: sa.Table, row_count: int) -> sa.ClauseElement:
    """Return an INSERT of `row_count` rows.

    The name of a parameter is the column's name and the row's index: `name_0`, `name_1`.
    """
    return sa.insert(table).values(
        [
            {
                column.name: sa.bindparam(f"{column.name}_{number}", type_=column.type)
                for column in table.c
            }
            for number in range(row_count)
        ]
    )


def _add_number_to_keys(number: int, row: Mapping[str, object]) -> dict[str, object]:
    """Return `row` with `number` appended to each key: the parameters of `_build_insert`."""
    return {f"{column}_{number}": value for column, value in row.items()}


def _read_player(row: Any) -> Player | None:
    if row is None:
        return None
    player, name, program = row
    return Player(id=player, name=name, program=bool(program))


_player_parameter: sa.BindParameter[str] = sa.bindparam("player")
_digest_parameter: sa.BindParameter[bytes] = sa.bindparam("digest")
_now_parameter: sa.BindParameter[int] = sa.bindparam("now")

_CHANGE_PLAYER = (
    sa.update(players)
    .where(players.c.id == _player_parameter)
    .values(
        name=sa.func.coalesce(sa.bindparam("called", type_=sa.String), players.c.name),
        program=sa.or_(players.c.program, sa.bindparam("is_program", type_=sa.Boolean)),
    )
)
_IS_PROGRAM = sa.select(sa.exists().where(players.c.id == _player_parameter, players.c.program))
_FIND_CREATION_TIME = sa.select(players.c.created).where(players.c.id == _player_parameter)
_SELECT_PLAYER = sa.select(players.c.id, players.c.name, players.c.program)
_FIND_PLAYER = _SELECT_PLAYER.join(tokens, tokens.c.player == players.c.id).where(
    tokens.c.digest == _digest_parameter
)
_INSERT_TOKEN = sa.insert(tokens)
_COUNT_TOKENS = sa.select(sa.func.count()).where(tokens.c.player == _player_parameter)
# SQLite has one writer and ignores FOR UPDATE.
_LOCK_PLAYER = sa.select(players.c.id).where(players.c.id == _player_parameter).with_for_update()
_CHECK_TOKEN = sa.select(tokens.c.digest).where(
    tokens.c.player == _player_parameter, tokens.c.digest == _digest_parameter
)
_REVOKE_TOKEN = sa.delete(tokens).where(
    tokens.c.player == _player_parameter, tokens.c.digest == _digest_parameter
)
_REVOKE_OTHER_TOKENS = sa.delete(tokens).where(
    tokens.c.player == _player_parameter, tokens.c.digest != _digest_parameter
)
_DELETE_TRANSFER = sa.delete(transfers).where(transfers.c.player == _player_parameter)
_DELETE_EXPIRED_TRANSFERS = sa.delete(transfers).where(transfers.c.until <= _now_parameter)
_FIND_TRANSFER = _SELECT_PLAYER.join(transfers, transfers.c.player == players.c.id).where(
    transfers.c.digest == _digest_parameter, transfers.c.until > _now_parameter
)
_DELETE_USED_TRANSFER = sa.delete(transfers).where(transfers.c.digest == _digest_parameter)
