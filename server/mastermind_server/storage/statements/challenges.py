"""Statements about challenged players."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.events import Player
from mastermind_server.look_alikes.skeletons import find_skeleton
from mastermind_server.storage.schema import archive, players
from mastermind_server.storage.statements.matches import list_challenger_ids
from mastermind_server.storage.statements.ratings import find_name_owner
from mastermind_server.storage.statements.statistics import read_opening

if TYPE_CHECKING:
    from mastermind_server.storage.engines.database import Session


FORMER_MATCHES = 1000  # the last ones of a player, with opponents to challenge by name: 2 ms


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


class NamedPlayers(NamedTuple):
    """The stored players with a name: its owner, or an opponent of the challenger.

    `owner` is the id of the player who owns the name, or None. `opening` has the first rows of the
    challenger's last match against a person with this name, as encoded events; it is empty if there
    is an owner, or no such match.
    """

    owner: str | None
    opening: list[bytes]


def read_named_players(session: Session, challenger: str, name: str, now: int) -> NamedPlayers:
    """Return the stored players that `name` can mean for the player with the id `challenger`.

    `now` is the present time in milliseconds since 1970. Names are compared by their skeletons.
    """
    skeleton = find_skeleton(name)
    owner = find_name_owner(session, skeleton, now)
    if owner is not None:
        return NamedPlayers(owner, [])
    values = {"player": challenger, "limit": FORMER_MATCHES}
    for match, opponent, bot in session.run(_READ_OPPONENTS, values).fetchall():
        if not bot and find_skeleton(opponent) == skeleton:
            return NamedPlayers(None, read_opening(session, match))
    return NamedPlayers(None, [])


def allow_challenges(session: Session, player: str, *, allowed: bool) -> None:
    """Store whether others may challenge the player with this id."""
    session.run(_ALLOW_CHALLENGES, {"player": player, "allowed": allowed})


_player_parameter: sa.BindParameter[str] = sa.bindparam("player")
_READ_ACCOUNT = sa.select(players.c.name, players.c.program, players.c.challenges).where(
    players.c.id == _player_parameter
)
_READ_OPPONENTS = (
    sa.select(archive.c.match, archive.c.opponent, archive.c.bot)
    .where(archive.c.player == _player_parameter)
    .order_by(archive.c.at.desc(), archive.c.match.desc())
    .limit(sa.bindparam("limit"))
    .offset(sa.literal_column("0"))
)
_ALLOW_CHALLENGES = (
    sa.update(players)
    .where(players.c.id == _player_parameter)
    .values(challenges=sa.bindparam("allowed", type_=sa.Boolean))
)
