"""Looking back through a match: a position in it, and steps from one to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def find_seen(match: Match) -> Position:
    """Return what is to be seen of the match: between two rounds it is the end of the last one."""
    if match.phase is Phase.SETTING and match.played:
        return Position(len(match.played) - 1, len(match.played[-1].turns))
    return find_live(match)


def list_guesses(match: Match) -> list[Position]:
    """Return the guesses of all rounds; a round without a guess is one too."""
    return [
        Position(number, turns)
        for number, played in enumerate(list_rounds(match))
        for turns in range(min(1, len(played.turns)), len(played.turns) + 1)
    ]


def jump(match: Match, position: Position, by: int) -> Position:
    """Return the first guess of the round so many rounds later or earlier, within the match."""
    rounds = list_rounds(match)
    number = max(0, min(position.round + by, len(rounds) - 1))
    return Position(number, min(1, len(rounds[number].turns))) if rounds else position


def is_over(match: Match, position: Position) -> bool:
    """Tell whether this is the end of a finished round: then its code is shown."""
    if position.round >= len(match.played):
        return False
    return position.turns == len(match.played[position.round].turns)


def count_guesses(match: Match) -> int:
    """Return how many guesses were made in all rounds."""
    return sum(len(each.turns) for each in list_rounds(match))


def list_stops(states: Sequence[Match]) -> list[int]:
    """Return the indices of the states after a guess, or the end of a round, and of the last one.

    These are the moments that somebody who looks back steps through.
    """
    stops, before = [], (0, 0)
    for index, match in enumerate(states):
        done = (len(match.played), count_guesses(match))
        if done != before or index == len(states) - 1:
            stops.append(index)
        before = done
    return stops
