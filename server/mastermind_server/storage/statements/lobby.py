"""Storing new matches, pairing players across nodes, and expiring abandoned lobbies."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.clock import find_clock
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase
from mastermind_server.storage.notices import MatchChanged
from mastermind_server.storage.records import CHALLENGE_MILLISECONDS
from mastermind_server.storage.schema import bans, log, matches, running
from mastermind_server.storage.statements.days import add_try
from mastermind_server.storage.statements.log import append
from mastermind_server.storage.statements.matches import (
    build_due_time_update,
    due_parameter,
    has_match_code,
    is_challenge,
    list_challenger_ids,
    postpone,
)
from mastermind_server.storage.statements.presence import (
    HAS_CONNECTED_PLAYER,
    MATCH_HAS_PLAYER_AT_OTHER_NODE,
    write_presence,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from mastermind_server.storage.conditions import Condition
    from mastermind_server.storage.day_rows import NewTry
    from mastermind_server.storage.engines.database import Session
    from mastermind_server.storage.records import Projection
    from mastermind_server.storage.rows import LogRow
    from mastermind_server.storage.statements.presence import PresenceRow


class SeekTerms(NamedTuple):
    """Settings of a match and its opponents. A seeker can only join a match with equal settings.

    `program` is true if both players are programs, and false if both are people. `clock` is the
    name of a clock, or None.
    """

    rules: str
    rounds: int
    rated: bool
    program: bool
    clock: str | None = None


class NewMatch(NamedTuple):
    """A new match to store: its first log row, its projection, and its followers at this node.

    `own_try` is the try at the code of a day that begins with the match, or None.
    """

    row: LogRow
    projection: Projection
    followers: PresenceRow
    own_try: NewTry | None = None


class MatchSearch(NamedTuple):
    """A search for a waiting match with these terms whose `seat` is free; None means either seat.

    The match codes in `excluded` are ignored.
    """

    terms: SeekTerms
    seat: Seat | None = None
    excluded: Collection[str] = ()


class WaitingMatch(NamedTuple):
    """A match that has waited for an opponent since `since`, in milliseconds since 1970."""

    match_code: str
    since: int


class SameChallengers(NamedTuple):
    """The condition that `list_challenger_ids` still returns `ids` for the player id `player`.

    The order of the ids may differ.
    """

    player: str
    ids: list[str]

    @property
    def lock(self) -> str:
        """The lock of all challenges to the player, which are opened one after the other."""
        return f"challenge {self.player}"

    def holds(self, session: Session) -> bool:
        """Return whether the player still has the same challengers."""
        return sorted(list_challenger_ids(session, self.player)) == sorted(self.ids)


class NoOpponent(NamedTuple):
    """The condition that no node except `node` has a waiting match for the search `wanted`."""

    wanted: MatchSearch
    node: str

    @property
    def lock(self) -> str:
        """The lock of all seekers: one of two concurrent ones finds the match of the other."""
        return "seek"

    def holds(self, session: Session) -> bool:
        """Return whether there is no such match."""
        return find_waiting(session, self.wanted, self.node) is None


class NotPlaying(NamedTuple):
    """The condition that `has_begun_match` is still false for `player` and `since`."""

    player: str
    since: int

    @property
    def lock(self) -> str:
        """The lock of all searches of the player, which are joined one after the other."""
        return f"search {self.player}"

    def holds(self, session: Session) -> bool:
        """Return whether there is no such match."""
        return not has_begun_match(session, self.player, self.since)


def find_waiting(session: Session, wanted: MatchSearch, node: str) -> WaitingMatch | None:
    """Return the match for `wanted` that has waited longest, or None.

    Its waiting player is connected to a node other than `node`.
    """
    values = {
        **wanted.terms._asdict(),
        "seat": wanted.seat or "",
        "clock": wanted.terms.clock or "",
        "node": node,
        "limit": len(wanted.excluded) + 1,
    }
    for match_code, since in session.run(_FIND_WAITING, values):
        if match_code not in wanted.excluded:
            return WaitingMatch(match_code, since)
    return None


def open_match(
    session: Session, new: NewMatch, node: str | None, conditions: Collection[Condition] = ()
) -> None:
    """Write the first row of a match and its followers at `node`.

    Raises RowTaken or ReusedId if `append` rejects the row, and ConditionFailed; with a try also
    TryTaken and DayNotOpen. `node` is None on a database of one node.
    """
    with session.transaction():
        if new.own_try is not None:
            add_try(session, new.own_try, new.row.match, new.row.at)
        append(session, [new.row], [new.projection], conditions)
        if node is not None:
            write_presence(session, node, {new.row.match: new.followers})


def has_begun_match(session: Session, player: str, since: int) -> bool:
    """Return whether a match of a player with a live clock is running, and began after `since`.

    `player` is the player's id. `since` is in milliseconds since 1970.
    """
    clocks = session.run(_LIST_BEGUN_CLOCKS, {"player": player, "since": since})
    return any(find_clock(name).live for (name,) in clocks)


def list_lobbies_of_players(session: Session, players: Sequence[str]) -> list[str]:
    """Return the codes of the lobbies of the players with these ids."""
    query = _select_own_lobbies.where(running.c.player.in_(players))
    return list(session.connection.scalars(query))


def list_lobbies_of_banned(session: Session, now: int) -> list[str]:
    """Return the codes of the lobbies of all players who are banned at `now`.

    `now` is in milliseconds since 1970.
    """
    banned = bans.c.until.is_(None) | (bans.c.until > now)
    query = _select_own_lobbies.join(bans, bans.c.subject == running.c.player).where(banned)
    return list(session.connection.scalars(query))


def update_presence(
    session: Session,
    node: str,
    followers: Mapping[str, PresenceRow],
    abandoned: Mapping[str, int],
    postponed: Mapping[str, int],
) -> None:
    """Store the followers of matches at `node`, and change due times, at which matches end.

    `followers` maps match codes to followers. `abandoned` and `postponed` map match codes to due
    times, in milliseconds since 1970. A match in `postponed` gets its new due time only if that is
    later. A public lobby or challenge in `abandoned` gets its new due time only if that is earlier,
    and if its player is connected to no node.
    """
    write_presence(session, node, followers)
    for match, due in sorted(abandoned.items()):
        session.run(_EXPIRE_LOBBY, {"due": due, "match": match})
    postpone(session, postponed)
    session.notices += map(MatchChanged, followers)


def set_due_of_abandoned_lobbies(session: Session, due: int) -> None:
    """Set the due time of abandoned public lobbies and challenges to `due`, unless it is earlier.

    `due` is in milliseconds since 1970. A lobby is abandoned if its player is connected to no node.
    A lobby ends at its due time.
    """
    session.run(_EXPIRE_PUBLIC_LOBBIES, {"due": due})
    session.run(_EXPIRE_CHALLENGES, {"due": due})


_seat_parameter: sa.BindParameter[str] = sa.bindparam("seat", type_=sa.String)
_FIND_WAITING = (
    sa.select(matches.c.match, matches.c.changed)
    .where(
        matches.c.public,
        matches.c.phase == sa.literal_column(f"'{Phase.GATHERING}'"),
        matches.c.rules == sa.bindparam("rules"),
        matches.c.rounds == sa.bindparam("rounds"),
        matches.c.rated == sa.bindparam("rated"),
        sa.func.coalesce(matches.c.clock, sa.literal_column("''")) == sa.bindparam("clock"),
        (matches.c.bots != sa.literal_column("''")) == sa.bindparam("program", type_=sa.Boolean),
        matches.c.reserved.is_(None),
        (_seat_parameter != sa.literal_column(f"'{Seat.MAKER}'")) | matches.c.maker.is_(None),
        (_seat_parameter != sa.literal_column(f"'{Seat.BREAKER}'")) | matches.c.breaker.is_(None),
        MATCH_HAS_PLAYER_AT_OTHER_NODE,
    )
    .order_by(matches.c.changed)
    .limit(sa.bindparam("limit"))
    .offset(sa.literal_column("0"))
)
# The second row of a match with a clock begins it, or has the code that a bot sets at once.
_LIST_BEGUN_CLOCKS = (
    sa.select(running.c.clock)
    .join_from(
        running, log, (log.c.match == running.c.match) & (log.c.version == sa.literal_column("2"))
    )
    .where(
        running.c.player == sa.bindparam("player"),
        running.c.phase != sa.literal_column(f"'{Phase.GATHERING}'"),
        running.c.clock.is_not(None),
        log.c.at > sa.bindparam("since", type_=sa.BigInteger),
    )
)
_select_own_lobbies = sa.select(running.c.match).where(
    running.c.phase == Phase.GATHERING.value,
    ~running.c.turn,  # it is the turn of a player without a seat, to whom a rematch was offered
)
_select_lobbies = sa.select(matches.c.match).where(
    matches.c.phase == sa.literal_column(f"'{Phase.GATHERING}'")
)
_select_abandoned = _select_lobbies.where(matches.c.due > due_parameter, ~HAS_CONNECTED_PLAYER)
_EXPIRE_LOBBY = build_due_time_update(
    _select_abandoned.where(has_match_code, matches.c.public | is_challenge)
)
# Each of these uses an index, which one statement for both does not.
_EXPIRE_PUBLIC_LOBBIES = build_due_time_update(_select_abandoned.where(matches.c.public))
_EXPIRE_CHALLENGES = build_due_time_update(
    _select_abandoned.where(
        is_challenge,
        matches.c.due <= due_parameter + sa.literal_column(str(CHALLENGE_MILLISECONDS)),
    )
)
