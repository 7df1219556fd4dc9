"""Statements about challenged players."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.events import Player
from mastermind_server.storage.schema import players
from mastermind_server.storage.statements.matches import list_challenger_ids
from mastermind_server.storage.statements.ratings import find_name_owner

if TYPE_CHECKING:
    from mastermind_server.storage.database import Session


class ChallengedPlayer(NamedTuple):
    """The player to challenge; `account` is None for an unknown id.

    `takes_challenges` is the player's choice. `challengers` is the result of `list_challenger_ids`.
    `name_owner` is the id of the owner of the challenger's name, or None.
    """

    account: Player | None
    takes_challenges: bool
    challengers: list[str]
    name_owner: str | None


def read_challenged(session: Session, player: str, skeleton: str, now: int) -> ChallengedPlayer:
    """Return the player with the id `player`.

    `skeleton` is the skeleton of the challenger's name, and `now` is in milliseconds since 1970.
    """
    row = session.run(_READ_ACCOUNT, {"player": player}).fetchone()
    return ChallengedPlayer(
        account=Player(id=player, name=row[0], program=bool(row[1])) if row else None,
        takes_challenges=bool(row and row[2]),
        challengers=list_challenger_ids(session, player),
        name_owner=find_name_owner(session, skeleton, now),
    )


def allow_challenges(session: Session, player: str, *, allowed: bool) -> None:
    """Store whether others may challenge the player with this id."""
    session.run(_ALLOW_CHALLENGES, {"player": player, "allowed": allowed})


_player_parameter: sa.BindParameter[str] = sa.bindparam("player")
_READ_ACCOUNT = sa.select(players.c.name, players.c.program, players.c.challenges).where(
    players.c.id == _player_parameter
)
_ALLOW_CHALLENGES = (
    sa.update(players)
    .where(players.c.id == _player_parameter)
    .values(challenges=sa.bindparam("allowed", type_=sa.Boolean))
)
