"""Projections of a match's log: its row in the public lists, and the rows of its players.

A row is a tuple with the columns of its table.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from mastermind_protocol.clock import find_clock
from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.match import Phase, list_tries
from mastermind_protocol.messages import ArchivedMatch, OwnMatch

if TYPE_CHECKING:
    from mastermind_protocol.match import Match
    from mastermind_server.storage.day_rows import TryEnd

CHALLENGE_SECONDS = 120  # for an answer: a player at the computer needs less
CHALLENGE_MILLISECONDS = 1000 * CHALLENGE_SECONDS
ABANDONED_DAYS = 30  # without a move or a connected player, until a match ends

_DAY_MILLISECONDS = 24 * 3600 * 1000


class MatchRecord(NamedTuple):
    """The row of a match in public lists. Times are in milliseconds since 1970.

    `maker` and `breaker` are names; an entry of a contest has none. `bots` lists the seats of bots
    and programs. `bots_only` is true for a match of two server bots. `changed` is the time when the
    row was written. `reserved` is the id of the player for whom the free seat is reserved, or None.
    If no player moves, the match ends or a player runs out of time at `due`. `due` is None after
    the end of the match. `clock` is the name of the match's clock, or None.
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
    bots_only: bool = False
    reserved: str | None = None
    due: int | None = None
    clock: str | None = None


class ArchiveRow(NamedTuple):
    """A finished match in the archive of the player with the id `player`.

    The match ended at `at`, in milliseconds since 1970. `seat` is the player's seat in the first
    round. `opponent` is a name, and `bot` is true if the opponent is a bot or program. `won` is
    None for a draw. `how` is a `MatchEnd`. `guesses` is the number of guesses in all rounds. `mine`
    and `theirs` are points of the player and the opponent. `tries` has the number of guesses of
    each round without advice in which the player was codebreaker, or 0 if the code was not broken.
    `opponent_id` is None for a bot of the server, and in rows of earlier servers.
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
    clock: str | None = None
    opponent_id: str | None = None


class RunningRow(NamedTuple):
    """An unfinished match in the list of the player with the id `player`.

    This row was written at `at`, in milliseconds since 1970. `others` is the number of log rows
    that are not guesses of the current round: it does not change with a guess, so a guess does not
    rewrite the row. `rated` is true if the match will change ratings. `turn` is true if the player
    has to move. `bot` is true if the opponent is a bot or program. `opponent_id` is None for a bot
    of the server, which has no connection. `clock` is the name of the match's clock, or None.
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
    clock: str | None = None


@dataclass(frozen=True, slots=True)
class RunningMatch:
    """An unfinished match: its row in a player's list, and the version of its last log row.

    The last log row was written at `changed`. `due` is the time when the match ends or a player
    runs out of time. Guesses do not store a new `due`, so the true time may be later. Times are in
    milliseconds since 1970.
    """

    row: RunningRow
    version: int
    changed: int
    due: int | None


@dataclass(frozen=True, slots=True)
class Projection:
    """All rows of one match in the tables of lists. They are computed from its log.

    `ended` is the result of a try at the code of a day, written with the row that ends it.
    """

    record: MatchRecord
    running: tuple[RunningRow, ...] = ()
    archived: tuple[ArchiveRow, ...] = ()
    ended: TryEnd | None = None


def make_projection(
    match_code: str,
    state: Match,
    version: int,
    at: int,
    days: int = ABANDONED_DAYS,
    ended: TryEnd | None = None,
) -> Projection:
    """Return the rows of a match in this `state`, after the log row `version`.

    The log row was written at `at`, in milliseconds since 1970. If no player moves and no clock
    runs, the match ends `days` later. `ended` is the result of a try that this row has ended.
    """
    return Projection(
        make_match_record(match_code, state, at, days),
        make_running_rows(match_code, state, version, at),
        make_archive_rows(match_code, state, at),
        ended,
    )


def make_match_record(
    match_code: str, state: Match, at: int, days: int = ABANDONED_DAYS
) -> MatchRecord:
    """Return the row of a match for public lists.

    The last log row was written at `at`, in milliseconds since 1970. If no player moves and no
    clock runs, the match ends `days` later.
    """
    maker, breaker = (None, None) if state.is_entry else (state.maker, state.breaker)
    return MatchRecord(
        match=match_code,
        rules=state.rules.name,
        rounds=state.opened.rounds,
        public=state.opened.public,
        phase=state.phase,
        maker=maker.name if maker else None,
        breaker=breaker.name if breaker else None,
        changed=at,
        rated=state.opened.rated,
        bots=" ".join(seat for seat in Seat if (player := state.in_seat(seat)) and player.is_bot),
        bots_only=state.is_bots_only,
        reserved=state.opened.reserved,
        due=_find_due_time(state, at, days),
        clock=state.opened.clock,
    )


def _find_due_time(state: Match, at: int, days: int) -> int | None:
    """Return the time when the match ends, or a player runs out of time, if no row follows.

    Times are in milliseconds since 1970; `at` is the time of the last row. Return None after the
    end of the match.
    """
    if state.phase is Phase.FINISHED:
        return None
    if is_challenge(state):
        return at + CHALLENGE_MILLISECONDS
    if state.timer is not None:
        return at + state.timer.deadline - state.at
    return add_days(at, days)


def is_challenge(state: Match) -> bool:
    """Return whether a match waits for a challenged player. False for a rematch."""
    opened = state.opened
    return (
        state.phase is Phase.GATHERING and opened.reserved is not None and opened.previous is None
    )


def add_days(time: int, days: int) -> int:
    """Return the time `days` after `time`. Both times are in milliseconds since 1970."""
    return time + days * _DAY_MILLISECONDS


def make_archive_rows(match_code: str, state: Match, at: int) -> tuple[ArchiveRow, ...]:
    """Return the archive rows of a finished match: one for each player, none for bots.

    The match ended at `at`, in milliseconds since 1970. Unfinished matches have no archive rows,
    nor have matches that closed, in the lobby or before the first guess, nor entries of contests,
    which have lists of their own.
    """
    outcome = state.outcome
    if outcome is None or outcome.how is MatchEnd.CLOSED or state.is_entry:
        return ()
    rows = []
    for player, opponent in permutations(state.players, 2):
        if player.bot is not None:
            continue
        row = ArchiveRow(
            player=player.id,
            match=match_code,
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
            tries=list(list_tries(state.played, player.id)),
            clock=state.opened.clock,
            opponent_id=None if opponent.bot is not None else opponent.id,
        )
        rows.append(row)
    return tuple(rows)


def make_running_rows(
    match_code: str, state: Match, version: int, at: int
) -> tuple[RunningRow, ...]:
    """Return the running rows of an unfinished match: one for each player, none for bots.

    The player who may take the free seat of a rematch has a row too: the match waits for it. The
    log row `version` was written at `at`, in milliseconds since 1970. A match that has ended has no
    running rows, nor has an entry of a contest.
    """
    if state.phase is Phase.FINISHED or state.is_entry:
        return ()
    guesses = len(state.current.turns) if state.current else 0
    invited = None if is_challenge(state) else state.opened.reserved
    rows = []
    for seat in Seat:
        player, opponent = state.in_seat(seat), state.in_seat(seat.other)
        player_id = invited if player is None else player.id if player.bot is None else None
        if player_id is None:
            continue
        row = RunningRow(
            match=match_code,
            player=player_id,
            at=at,
            rules=state.rules.name,
            rounds=state.opened.rounds,
            round=state.round_number,
            phase=state.phase,
            rated=state.rated,
            seat=seat,
            opponent=opponent.name if opponent else None,
            opponent_id=opponent.id if opponent and opponent.bot is None else None,
            bot=opponent is not None and opponent.is_bot,
            turn=player is None or state.to_move == player,
            others=version - guesses,
            clock=state.opened.clock,
        )
        rows.append(row)
    return tuple(rows)


def make_archived_match(row: ArchiveRow) -> ArchivedMatch:
    """Convert an archive row to the struct that clients receive."""
    return msgspec.convert(row._asdict() | {"points": (row.mine, row.theirs)}, ArchivedMatch)


def make_own_match(
    found: RunningMatch, away: int | None, deadline: int | None, now: int
) -> OwnMatch:
    """Convert an unfinished match to the struct that clients receive.

    The opponent disconnected at `away`; None if it is connected. The time of the player to move
    ends at `deadline`; None if this is unknown. Times are in milliseconds since 1970.
    """
    row = found.row
    live = row.clock is not None and find_clock(row.clock).live
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
        clock=row.clock,
        until=None if live else deadline,
        left=max(0, deadline - now) if live and deadline is not None else None,
    )


def find_move_deadline(found: RunningMatch) -> int | None:
    """Return the end of the time of the player to move, in milliseconds since 1970.

    Return None for a lobby, for a match without a clock, and after a guess by a Fischer clock: its
    time depends on all guesses of the round.
    """
    if found.row.clock is None or found.row.phase == Phase.GATHERING:
        return None
    if found.changed <= found.row.at:  # a guess is later: other rows, such as advice, write `due`
        return found.due
    move = find_clock(found.row.clock).move
    return found.changed + move if move else None


def _find_first_seat(state: Match, player: str) -> Seat:
    """Return the first seat of the player with this id. Seats are swapped between rounds."""
    if state.played:
        return Seat.MAKER if state.played[0].maker == player else Seat.BREAKER
    return Seat.MAKER if state.seat_of(player) is Seat.MAKER else Seat.BREAKER
