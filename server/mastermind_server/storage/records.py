"""What is kept of a match beside its log: its line in the lists, its players' rows of it.

These rows are tuples of their tables' columns, as the driver takes them.
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
    """What lists show of a match, and those who keep house ask.

    `maker` and `breaker` are names, `bots` the seats of those who are no people. `shown` tells that
    two bots of the server play, for people to look on. A match that nobody comes back to ends when
    it is `due`, in milliseconds since 1970; None if it is over.
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
    """A finished match as one of its players looks back on it.

    `at` is when it finished, in milliseconds since 1970. `opponent` is a name, `bot` tells whether
    that is no person. `won` is None for a draw; `mine` and `theirs` are points.
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
    """A match that is not over as one of its players has it before it.

    `at` is when this row was made, in milliseconds since 1970. `others` is how many rows of the
    log hold no guess of this round: a guess need not change this row. `opponent_id` is None for a
    bot of this server, which is nowhere.
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
    """A row with what the last row of the log adds: its version, and when it was written."""

    row: RunningRow
    version: int
    changed: int


@dataclass(frozen=True, slots=True)
class Projection:
    """All that is kept of one match beside its log."""

    record: MatchRecord
    running: tuple[RunningRow, ...] = ()
    archived: tuple[ArchiveRow, ...] = ()


def project(
    code: str, state: Match, version: int, at: int, days: int = ABANDONED_DAYS
) -> Projection:
    """Return what is kept of a match in a state that it came into by a row of the log.

    If nothing happens in so many `days`, it is due.
    """
    return Projection(
        record_match(code, state, at, days),
        list_running(code, state, version, at),
        archive_match(code, state, at),
    )


def record_match(code: str, state: Match, at: int, days: int = ABANDONED_DAYS) -> MatchRecord:
    """Return what lists show of a match in a state that it came into at a time."""
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
    """Return when a match ends in which nothing has happened since a time, for so many days."""
    return since + days * _DAY


def archive_match(code: str, state: Match, at: int) -> tuple[ArchiveRow, ...]:
    """Return the rows of a match that finished at a time: one for each player but the bots.

    There are none while it goes on, or if it was closed before anybody sat down opposite.
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
    """Return the rows of a match: one for each player but the bots; none when it is over."""
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
    """Return what its player is sent of a row."""
    return msgspec.convert(row._asdict() | {"points": (row.mine, row.theirs)}, ArchivedMatch)


def write_running(found: RunningMatch, away: int | None) -> OwnMatch:
    """Return what its player is sent; `away` is since when the opponent is, in ms since 1970."""
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
    """Return the seat of the first round: the players have changed seats since."""
    if state.played:
        return Seat.MAKER if state.played[0].maker == player else Seat.BREAKER
    return Seat.MAKER if state.seat_of(player) is Seat.MAKER else Seat.BREAKER
