"""The archive: what a player's finished matches came to, one row for each player of a match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.messages import ArchivedMatch

if TYPE_CHECKING:
    from mastermind_protocol.match import Match


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


def archive_match(code: str, state: Match, at: int) -> tuple[ArchiveRow, ...]:
    """Return the rows of a match that finished at a time: one for each player but the bots.

    There are none if it was closed before anybody played.
    """
    outcome = state.outcome
    if outcome is None or outcome.how is MatchEnd.CLOSED:
        return ()
    rows = []
    for player in state.players:
        opponent = state.opponent_of(player.id)
        if player.bot is not None or opponent is None:
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
    return ArchivedMatch(
        match=row.match,
        rules=row.rules,
        rounds=row.rounds,
        rated=row.rated,
        at=row.at,
        seat=Seat(row.seat),
        opponent=row.opponent,
        bot=row.bot,
        won=row.won,
        how=MatchEnd(row.how),
        guesses=row.guesses,
        points=(row.mine, row.theirs),
    )


def _find_first_seat(state: Match, player: str) -> Seat:
    """Return the seat of the first round: the players have changed seats since."""
    if state.played:
        return Seat.MAKER if state.played[0].maker == player else Seat.BREAKER
    return Seat.MAKER if state.seat_of(player) is Seat.MAKER else Seat.BREAKER
