"""Looking back through a match: a position in it, and steps from one to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from mastermind_protocol.match import Match, Round


class Position(NamedTuple):
    """A moment of a match: the round, counted from 0, and how many of its guesses were made."""

    round: int
    turns: int


def list_rounds(match: Match) -> tuple[Round, ...]:
    """Return all rounds that have begun, in order."""
    return match.played if match.current is None else (*match.played, match.current)


def find_live(match: Match) -> Position:
    """Return where the match is now."""
    rounds = list_rounds(match)
    return Position(len(rounds) - 1, len(rounds[-1].turns)) if rounds else Position(0, 0)


def step(match: Match, position: Position, by: int) -> Position:
    """Return the position so many guesses later, or earlier if negative, within the match."""
    moments = [
        Position(number, turns)
        for number, played in enumerate(list_rounds(match))
        for turns in range(len(played.turns) + 1)
    ]
    if position not in moments:
        return position
    return moments[max(0, min(moments.index(position) + by, len(moments) - 1))]


def clamp(match: Match, position: Position) -> Position:
    """Return the nearest position there is in the match: its log may be shorter than it was."""
    rounds = list_rounds(match)
    number = max(0, min(position.round, len(rounds) - 1))
    turns = len(rounds[number].turns) if rounds else 0
    return Position(number, max(0, min(position.turns, turns)))


def jump(match: Match, position: Position, by: int) -> Position:
    """Return the end of the round so many rounds later or earlier, within the match."""
    rounds = list_rounds(match)
    number = max(0, min(position.round + by, len(rounds) - 1))
    return Position(number, len(rounds[number].turns)) if rounds else position


def is_over(match: Match, position: Position) -> bool:
    """Tell whether this is the end of a finished round: then its code is shown."""
    if position.round >= len(match.played):
        return False
    return position.turns == len(match.played[position.round].turns)
