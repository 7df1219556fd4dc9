"""Projections of a match's log: its row in the public lists, and rows for its players.

Rows are tuples of the columns of their tables, as the driver accepts them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase, count_tries
from mastermind_protocol.messages import ArchivedMatch, OwnMatch
from mastermind_server.tuning import ABANDONED_DAYS

if TYPE_CHECKING:
    from mastermind_protocol.match import Match

_DAY = 24 * 3600 * 1000  # milliseconds


class MatchRecord(NamedTuple):
    """The row of a match in lists. Times are in milliseconds since 1970.

    `maker` and `breaker` are names, and `bots` has the seats of bots and other programs. `shown`
    marks a match of two server bots. An inactive match ends at `due`, which is None after the end.
    """

    match: str
    rules: str
    rounds: int
    public: bool
    phase: str
    maker: str | None
    breaker: str | None
    changed: int
    rated: bool = False
    bots: str = ""
    shown: bool = False
    reserved: str | None = None
    due: int | None = None


class ArchiveRow(NamedTuple):
    """A finished match in the archive of one of its players.

    `at` is the time of its end, in milliseconds since 1970. `opponent` is a name, and `bot` marks a
    bot or program. A draw has None for `won`. `mine` and `theirs` are points.
    """

    player: str
    match: str
    at: int
    rules: str
    rounds: int
    rated: bool
    seat: str
    opponent: str
    bot: bool
    won: bool | None
    how: str
    guesses: int
    mine: int
    theirs: int
    tries: list[int]


class RunningRow(NamedTuple):
    """An unfinished match in the list of one of its players.

    `at` is the time when this row was written, in milliseconds since 1970. `others` is the number
    of log rows without a guess of this round, so that a guess does not change this row. Bots of the
    server have no `opponent_id`, because they are never connected.
    """

    match: str
    player: str
    at: int
    rules: str
    rounds: int
    round: int
    phase: str
    rated: bool
    seat: str
    opponent: str | None
    opponent_id: str | None
    bot: bool
    turn: bool
    others: int


@dataclass(frozen=True, slots=True)
class RunningMatch:
    """A row with the version and the time of the last row of the log."""

    row: RunningRow
    version: int
    changed: int


@dataclass(frozen=True, slots=True)
class Projection:
    """All rows of one match outside its log."""

    record: MatchRecord
    running: tuple[RunningRow, ...] = ()
    archived: tuple[ArchiveRow, ...] = ()


def project(
    code: str, state: Match, version: int, at: int, days: int = ABANDONED_DAYS
) -> Projection:
    """Return the rows of a match in this state, which the log row `version` at time `at` caused.

    The match is due after `days` without another row.
    """
    return Projection(
        record_match(code, state, at, days),
        list_running(code, state, version, at),
        archive_match(code, state, at),
    )


def record_match(code: str, state: Match, at: int, days: int = ABANDONED_DAYS) -> MatchRecord:
    """Return the row for lists of a match that is in this state since the time `at`."""
    return MatchRecord(
        match=code,
        rules=state.rules.name,
        rounds=state.opened.rounds,
        public=state.opened.public,
        phase=state.phase,
        maker=state.maker.name if state.maker else None,
        breaker=state.breaker.name if state.breaker else None,
        changed=at,
        rated=state.opened.rated,
        bots=" ".join(seat for seat in Seat if (player := state.in_seat(seat)) and player.is_bot),
        shown=state.is_bots_only,
        reserved=state.opened.reserved,
        due=None if state.phase is Phase.FINISHED else find_due_time(at, days),
    )


def find_due_time(since: int, days: int) -> int:
    """Return the time when a match ends that is inactive since a time, after some days."""
    return since + days * _DAY


def archive_match(code: str, state: Match, at: int) -> tuple[ArchiveRow, ...]:
    """Return the archive rows of a match that finished at a time, one for each player but the bots.

    A running match has none, nor has a match that was closed before an opponent joined.
    """
    outcome = state.outcome
    if outcome is None:
        return ()
    rows = []
    for player, opponent in permutations(state.players, 2):
        if player.bot is not None:
            continue
        row = ArchiveRow(
            player=player.id,
            match=code,
            at=at,
            rules=state.rules.name,
            rounds=state.opened.rounds,
            rated=state.opened.rated,
            seat=_find_first_seat(state, player.id),
            opponent=opponent.name,
            bot=opponent.is_bot,
            won=None if outcome.winner is None else outcome.winner == player.id,
            how=outcome.how,
            guesses=sum(len(played.turns) for played in state.played),
            mine=state.points_of(player.id),
            theirs=state.points_of(opponent.id),
            tries=list(count_tries(state.played, player.id)),
        )
        rows.append(row)
    return tuple(rows)


def list_running(code: str, state: Match, version: int, at: int) -> tuple[RunningRow, ...]:
    """Return the rows of a match, one for each player but the bots; none after its end."""
    if state.phase is Phase.FINISHED:
        return ()
    guesses = len(state.current.turns) if state.current else 0
    rows = []
    for seat in Seat:
        player, opponent = state.in_seat(seat), state.in_seat(seat.other)
        if player is None or player.bot is not None:
            continue
        row = RunningRow(
            match=code,
            player=player.id,
            at=at,
            rules=state.rules.name,
            rounds=state.opened.rounds,
            round=state.round_number,
            phase=state.phase,
            rated=state.opened.rated,
            seat=seat,
            opponent=opponent.name if opponent else None,
            opponent_id=opponent.id if opponent and opponent.bot is None else None,
            bot=opponent is not None and opponent.is_bot,
            turn=state.to_move == player,
            others=version - guesses,
        )
        rows.append(row)
    return tuple(rows)


def write_archived(row: ArchiveRow) -> ArchivedMatch:
    """Return the message part for a row of the player's archive."""
    return msgspec.convert(row._asdict() | {"points": (row.mine, row.theirs)}, ArchivedMatch)


def write_running(found: RunningMatch, away: int | None) -> OwnMatch:
    """Return the message part for a running match.

    `away` is the time since when the opponent is disconnected, in milliseconds since 1970.
    """
    row = found.row
    return OwnMatch(
        match=row.match,
        rules=row.rules,
        rounds=row.rounds,
        round=row.round,
        guesses=found.version - row.others if row.phase == Phase.BREAKING else 0,
        phase=Phase(row.phase),
        rated=row.rated,
        seat=Seat(row.seat),
        opponent=row.opponent,
        bot=row.bot,
        turn=row.turn,
        since=found.changed,
        away=away,
    )


def _find_first_seat(state: Match, player: str) -> Seat:
    """Return the player's seat in the first round; players change seats between rounds."""
    if state.played:
        return Seat.MAKER if state.played[0].maker == player else Seat.BREAKER
    return Seat.MAKER if state.seat_of(player) is Seat.MAKER else Seat.BREAKER
