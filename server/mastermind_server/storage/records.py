"""What is kept of a match beside its log: its line in the lists, and its rows in the archive."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import permutations
from typing import TYPE_CHECKING

import msgspec

from mastermind_protocol.events import Seat
from mastermind_protocol.messages import ArchivedMatch

if TYPE_CHECKING:
    from mastermind_protocol.match import Match


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """What lists show of a match; `maker` and `breaker` are names."""

    match: str
    rules: str
    rounds: int
    public: bool
    phase: str
    maker: str | None
    breaker: str | None
    changed: int


@dataclass(frozen=True, slots=True)
class ArchiveRow:
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


def record_match(code: str, state: Match, at: int) -> MatchRecord:
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
    )


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
        )
        rows.append(row)
    return tuple(rows)


def write_archived(row: ArchiveRow) -> ArchivedMatch:
    """Return what its player is sent of a row."""
    return msgspec.convert(asdict(row) | {"points": (row.mine, row.theirs)}, ArchivedMatch)


def _find_first_seat(state: Match, player: str) -> Seat:
    """Return the seat of the first round: the players have changed seats since."""
    if state.played:
        return Seat.MAKER if state.played[0].maker == player else Seat.BREAKER
    return Seat.MAKER if state.seat_of(player) is Seat.MAKER else Seat.BREAKER
