"""The state of a match, and what can be told from it.

The phases::

    gathering --joined--> setting --secret--> breaking --round_ended--> setting (roles swapped)
        |                    |                   |                        or finished
        +------------------- left -> finished ---+

The server's state has the secret; a client holds the same state without it. `commands` tells who
may do what, and `transitions` what comes of it.

All of it is frozen and made of what was there before. So nothing here is ever in a cycle, and the
garbage collector is spared it (`gc=False`): else it goes through every turn of every match.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from mastermind_protocol.code import Code
from mastermind_protocol.events import Finished, MatchEnd, Opened, Player, RoundEnd, Seat
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.rules import USUAL_GUESSES, Rules

if TYPE_CHECKING:
    from collections.abc import Sequence


class Phase(StrEnum):
    """Where a match stands."""

    GATHERING = "gathering"
    SETTING = "setting"
    BREAKING = "breaking"
    FINISHED = "finished"


class Turn(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One guess and the feedback it got."""

    code: Code
    feedback: Feedback


class Round(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One round: one secret, set by `maker` and guessed at by `breaker` (player ids).

    `secret` and `nonce` are None for whoever may not know them yet. Without a `commitment` the
    codemaker keeps no code, and `secret` is the one it last answered by. `advised` are the numbers,
    from 1, of the guesses that advice was taken for. `how` is None until the round is over;
    `points` are the codemaker's.
    """

    maker: str
    breaker: str
    commitment: bytes | None = None
    secret: Code | None = None
    nonce: bytes | None = None
    turns: tuple[Turn, ...] = ()
    advised: tuple[int, ...] = ()
    how: RoundEnd | None = None
    points: int = 0


class Match(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The state of a match: the fold of its events.

    `current` is the round being played, from the moment both seats are taken until the match is
    finished; `played` are the rounds that are over.
    """

    opened: Opened
    rules: Rules
    phase: Phase = Phase.GATHERING
    maker: Player | None = None
    breaker: Player | None = None
    current: Round | None = None
    played: tuple[Round, ...] = ()
    left: frozenset[str] = frozenset()
    outcome: Finished | None = None
    rematch: str | None = None

    @property
    def round_number(self) -> int:
        """The number of the current round, or of the last one when all are played; from 1."""
        return min(len(self.played) + 1, self.opened.rounds)

    @property
    def players(self) -> tuple[Player, ...]:
        """Who is seated, the codemaker of this round first."""
        return tuple(player for player in (self.maker, self.breaker) if player is not None)

    @property
    def is_bots_only(self) -> bool:
        """Whether two bots of the server's play, for people to look on."""
        maker, breaker = self.maker, self.breaker
        if maker is None or breaker is None:
            return False
        return maker.bot is not None and breaker.bot is not None

    @property
    def to_move(self) -> Player | None:
        """The player the match waits for, or None."""
        if self.phase is Phase.SETTING:
            return self.maker
        return self.breaker if self.phase is Phase.BREAKING else None

    def in_seat(self, seat: Seat) -> Player | None:
        """Return who sits there in this round."""
        return self.maker if seat is Seat.MAKER else self.breaker

    def seat_of(self, player: str | None) -> Seat | None:
        """Return the seat that the player with this id has in this round, or None."""
        if self.maker is not None and self.maker.id == player:
            return Seat.MAKER
        if self.breaker is not None and self.breaker.id == player:
            return Seat.BREAKER
        return None

    def opponent_of(self, player: str) -> Player | None:
        """Return who sits across the board from this player id."""
        seat = self.seat_of(player)
        return self.in_seat(seat.other) if seat else None

    def points_of(self, player: str) -> int:
        """Return the points of a player id: those of the rounds in which it was codemaker."""
        return sum(played.points for played in self.played if played.maker == player)


class BreakerView(msgspec.Struct, frozen=True):
    """All that a codebreaker sees of its round: the rules, and its guesses with their feedback."""

    rules: Rules
    turns: tuple[Turn, ...] = ()


def current_round(match: Match) -> Round:
    """Return the round that is being played. Raises ValueError if there is none."""
    if match.current is None:
        raise ValueError(f"no round is being played: the match is {match.phase}")
    return match.current


def see(match: Match) -> BreakerView:
    """Return the current round as its codebreaker sees it. Raises ValueError if there is none."""
    return BreakerView(match.rules, current_round(match).turns)


def excluded_by(code: Code, turns: Sequence[Turn]) -> int | None:
    """Return the number, from 1, of the first guess whose feedback this code does not fit.

    None if it fits them all, so that it may be the secret.
    """
    for number, turn in enumerate(turns, start=1):
        if score(code, turn.code) != turn.feedback:
            return number
    return None


def is_advised(match: Match, player: str | None) -> bool:
    """Tell whether it is this player id's turn to guess, with advice that it has taken."""
    if match.phase is not Phase.BREAKING or match.seat_of(player) is not Seat.BREAKER:
        return False
    played = current_round(match)
    return len(played.turns) + 1 in played.advised


def find_ending(match: Match) -> RoundEnd | None:
    """Return how the current round must end now, or None if it goes on unless given up."""
    turns = current_round(match).turns
    if turns and turns[-1].feedback.black == match.rules.pegs:
        return RoundEnd.BROKEN
    if len(turns) == match.rules.limit:
        return RoundEnd.EXHAUSTED
    return RoundEnd.LEFT if match.left else None


def count_points(match: Match, how: RoundEnd) -> int:
    """Return the codemaker's points for the current round.

    A broken code counts its guesses. Otherwise all guesses of the rules count as used, and one
    more: giving up early must not cost the codebreaker less than playing on. Rules without a limit
    count at least USUAL_GUESSES. A codemaker that left gets nothing.
    """
    played = current_round(match)
    if how is RoundEnd.BROKEN:
        return len(played.turns)
    if played.maker in match.left:
        return 0
    return (match.rules.guesses or max(len(played.turns), USUAL_GUESSES)) + 1


def count_tries(rounds: Sequence[Round], player: str | None) -> tuple[int, ...]:
    """Return the guesses of each round in which a player id broke the code, 0 where it stood.

    A round that somebody left is not among them.
    """
    return tuple(
        len(played.turns) if played.how is RoundEnd.BROKEN else 0
        for played in rounds
        if played.breaker == player and played.how is not RoundEnd.LEFT
    )


def find_due(match: Match) -> RoundEnd | Finished | None:
    """Return what comes next by itself: how the round ends, or how the match does."""
    if match.phase is Phase.BREAKING:
        return find_ending(match)
    over = match.phase is Phase.FINISHED or match.left
    return find_outcome(match) if over and match.outcome is None else None


def find_absentee(match: Match) -> Player | None:
    """Return for whom a match waits where nobody comes: who is to move, or waits for another.

    It is no bot of the server unless nobody else plays: those are always there.
    """
    people = [player for player in match.players if player.bot is None]
    if match.phase is Phase.FINISHED:
        return None
    return match.to_move if match.to_move in people or not people else people[0]


def find_outcome(match: Match) -> Finished:
    """Return how the match ends if it ends now."""
    if match.left:
        if match.phase is Phase.GATHERING:
            return Finished(how=MatchEnd.CLOSED)
        (stayed,) = (player.id for player in match.players if player.id not in match.left)
        return Finished(how=MatchEnd.LEFT, winner=stayed)
    return Finished(how=MatchEnd.PLAYED, winner=_find_winner(match))


def _find_winner(match: Match) -> str | None:
    """Return the winner's id: of one round whoever won it, of several whoever has more points."""
    last = match.played[-1]
    if match.opened.rounds == 1:
        return last.breaker if last.how is RoundEnd.BROKEN else last.maker
    makers, breakers = match.points_of(last.maker), match.points_of(last.breaker)
    if makers == breakers:
        return None
    return last.maker if makers > breakers else last.breaker
