"""Positions in a match, and a match from the point of view of one player or spectator."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_protocol.events import Player
    from mastermind_protocol.match import Match, Round, Turn


class Position(NamedTuple):
    """A position in a match: the index of the round, and the number of its guesses so far."""

    round: int
    turns: int


def list_rounds(match: Match) -> tuple[Round, ...]:
    """Return the rounds that have started, in their order."""
    return match.played if match.current is None else (*match.played, match.current)


def find_last_position(match: Match) -> Position:
    """Return the position after the last guess."""
    rounds = list_rounds(match)
    return Position(len(rounds) - 1, len(rounds[-1].turns)) if rounds else Position(0, 0)


def find_displayed_position(match: Match) -> Position:
    """Return the position to display for a state: the position after the last guess.

    Between two rounds it is the end of the earlier round.
    """
    if match.phase is Phase.SETTING and match.played:
        return Position(len(match.played) - 1, len(match.played[-1].turns))
    return find_last_position(match)


def list_guess_positions(match: Match) -> list[Position]:
    """Return the position after each guess. For a round without guesses, return its start."""
    return [
        Position(number, turns)
        for number, played in enumerate(list_rounds(match))
        for turns in range(min(1, len(played.turns)), len(played.turns) + 1)
    ]


def change_round(match: Match, position: Position, by: int) -> Position:
    """Return the position after the first guess of the round that is `by` rounds later.

    If `by` is negative, the round is earlier. The first and the last round are limits.
    """
    rounds = list_rounds(match)
    number = max(0, min(position.round + by, len(rounds) - 1))
    return Position(number, min(1, len(rounds[number].turns))) if rounds else position


def is_round_over(match: Match, position: Position) -> bool:
    """Return whether the position is the end of a finished round, where the secret is displayed."""
    if position.round >= len(match.played):
        return False
    return position.turns == len(match.played[position.round].turns)


def count_guesses(match: Match) -> int:
    """Return the number of guesses in all rounds."""
    return sum(len(each.turns) for each in list_rounds(match))


def list_stops(states: Sequence[Match]) -> list[int]:
    """Return the indices of the states after each guess and each round, and of the last state.

    A step of the playback goes from one of these states to the next.
    """
    stops, before = [], (0, 0)
    for index, match in enumerate(states):
        done = (len(match.played), count_guesses(match))
        if done != before or index == len(states) - 1:
            stops.append(index)
        before = done
    return stops


@dataclass(frozen=True)
class Viewpoint:
    """A match from the point of view of the player or spectator with id `me`.

    `position` is the position to display, or None for the position after the last guess. `is_past`
    is whether states after the displayed one are known. Then no move is possible.
    """

    match_code: str
    match: Match
    me: str
    position: Position | None = field(default=None, kw_only=True)
    is_past: bool = field(default=False, kw_only=True)

    @property
    def seat(self) -> Seat | None:
        """Our seat in this round, or None for a spectator."""
        return self.match.seat_of(self.me)

    @property
    def my_turn(self) -> bool:
        """Whether the match waits for our move."""
        mover = self.match.to_move
        return not self.is_past and mover is not None and mover.id == self.me

    @property
    def can_enter_code(self) -> bool:
        """Whether the user can enter a secret or a guess, for the current turn or in advance."""
        if self.is_past or self.match.phase in (Phase.GATHERING, Phase.FINISHED):
            return False
        return self.seat is Seat.BREAKER or (
            self.seat is Seat.MAKER and self.match.phase is Phase.SETTING
        )

    @cached_property
    def displayed_position(self) -> Position:
        """The position in use: `position` or, without one, the position after the last guess."""
        return self.position or find_last_position(self.match)

    @cached_property
    def round(self) -> Round | None:
        """The displayed round, or None if no round has started."""
        rounds = list_rounds(self.match)
        return rounds[self.displayed_position.round] if rounds else None

    @cached_property
    def turns(self) -> Sequence[Turn]:
        """The guesses of this round up to the displayed position."""
        return self.round.turns[: self.displayed_position.turns] if self.round is not None else ()

    @property
    def advised_guess_numbers(self) -> Sequence[int]:
        """The numbers, from 1, of the guesses in this round for which advice was taken.

        They can include the next guess.
        """
        return self.round.advised if self.round is not None else ()

    @cached_property
    def is_over(self) -> bool:
        """Whether the round has ended at the displayed position."""
        return is_round_over(self.match, self.displayed_position)

    @property
    def seated_players(self) -> dict[Seat, Player | None]:
        """The players by their seats in the displayed round."""
        shown, match = self.round, self.match
        if shown is None:
            return {seat: match.in_seat(seat) for seat in Seat}
        players = {player.id: player for player in match.players}
        return {
            Seat.MAKER: players.get(shown.maker),
            Seat.BREAKER: players.get(shown.breaker),
        }


class PlaybackMode(StrEnum):
    """How the displayed state of a match follows the received state.

    In LIVE it is the received state. In PLAYING a timer advances the displayed state. In PAUSED and
    BACK it does not change. BACK displays an earlier guess of a running match between people.
    """

    LIVE = "live"  # every event is displayed at once
    PLAYING = "playing"
    PAUSED = "paused"
    BACK = "back"


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a playback in the displayed round.

    `guess` is the number of the displayed or pending guess, and `guesses` the number of guesses
    that are known or pending. `speed` is 1 for the slowest speed.
    """

    mode: PlaybackMode
    guess: int
    guesses: int
    speed: int
