"""The state of a match, and functions that derive facts from it.

The phases::

    gathering --joined--> setting --secret--> breaking --round_ended--> setting (roles swapped)
        |                    |                   |                        or finished
        +------------------- left -> finished ---+

The server's state contains the secret; a client's state does not. `commands` checks which player
may give a command, and `transitions` computes the next state.

All structs are frozen, so they never form a reference cycle. `gc=False` keeps the garbage collector
from traversing every turn of every match.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from mastermind_protocol.clock import Clock, Timer
from mastermind_protocol.code import Code
from mastermind_protocol.events import (
    Finished,
    MatchEnd,
    Opened,
    Player,
    Rated,
    RoundEnd,
    Seat,
)
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.rules import LEAST_COUNTED_GUESSES, Rules

if TYPE_CHECKING:
    from collections.abc import Sequence


class Phase(StrEnum):
    """The phase of a match."""

    GATHERING = "gathering"
    SETTING = "setting"
    BREAKING = "breaking"
    FINISHED = "finished"


class Turn(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One guess and its feedback."""

    code: Code
    feedback: Feedback


class Round(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One round: the player id `maker` sets a secret, and the player id `breaker` guesses.

    `secret` and `nonce` are None in the state of a client that must not know them yet, and from the
    end of an entry of a contest until the contest reveals them. A round with a secret and no
    `commitment` has an adaptive codemaker: at each guess, it chooses a code that fits all earlier
    feedback, and `secret` is the last such code. `advised` contains the numbers, from 1, of the
    guesses with advice. `how` is None until the round ends. `points` are the codemaker's. `drawn`:
    the server set the secret, because the codemaker's time was over, or because the match is an
    entry of a contest.
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
    drawn: bool = False

    @property
    def awaits_proof(self) -> bool:
        """Whether the round has ended, and its contest has not revealed the secret yet."""
        return self.how is not None and self.secret is None and self.nonce is None

    @property
    def known_code(self) -> Code | None:
        """The secret or, before a contest reveals it, the guess that broke it. Otherwise None."""
        if self.secret is None and self.how is RoundEnd.BROKEN:
            return self.turns[-1].code
        return self.secret


class Match(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The state of a match: the fold of its events.

    `current` is the running round, or None in a lobby and after the last round. `played` contains
    the completed rounds, and `departed` the ids of players who left or declined. In a match with a
    clock, `at` is the time of the last row in milliseconds since the first row, and `timer` has the
    time of the player to move. `rematch` is the code of the offered rematch. `unrated` is true
    after the event Unrated. `ratings` is the event Rated.
    """

    opened: Opened
    rules: Rules
    clock: Clock | None = None
    at: int = 0
    timer: Timer | None = None
    phase: Phase = Phase.GATHERING
    maker: Player | None = None
    breaker: Player | None = None
    current: Round | None = None
    played: tuple[Round, ...] = ()
    departed: frozenset[str] = frozenset()
    outcome: Finished | None = None
    rematch: str | None = None
    unrated: bool = False
    ratings: Rated | None = None

    @property
    def rated(self) -> bool:
        """Whether the match changes ratings, or has changed them."""
        return self.opened.rated and not self.unrated

    @property
    def allows_aids(self) -> bool:
        """Whether players may use aids: advice, and marks of excluded guesses and colours."""
        return not self.opened.rated and not self.is_entry

    @property
    def is_entry(self) -> bool:
        """Whether the match is a player's entry of a contest."""
        return self.opened.contest is not None

    @property
    def has_live_clock(self) -> bool:
        """Whether the match has a clock of minutes and seconds."""
        return self.clock is not None and self.clock.live

    @property
    def round_number(self) -> int:
        """The number of the current round, from 1. After the match it is that of the last round."""
        return min(len(self.played) + 1, self.opened.rounds)

    @property
    def players(self) -> tuple[Player, ...]:
        """The seated players, the codemaker of the current round first."""
        return tuple(player for player in (self.maker, self.breaker) if player is not None)

    @property
    def is_bots_only(self) -> bool:
        """Whether both players are bots of the server."""
        maker, breaker = self.maker, self.breaker
        if maker is None or breaker is None:
            return False
        return maker.bot is not None and breaker.bot is not None

    @property
    def measures_bot(self) -> bool:
        """Whether the match is one round in which a bot or program breaks a person's code.

        Its outcome has a winner, but for the person it counts neither as won nor as lost: the bot's
        guesses are its result.
        """
        maker, breaker = self.maker, self.breaker
        if self.opened.rounds > 1 or maker is None or breaker is None:
            return False
        return breaker.is_bot and not maker.is_bot

    @property
    def to_move(self) -> Player | None:
        """The player who must move, or None in a lobby and after the match."""
        if self.phase is Phase.SETTING:
            return self.maker
        return self.breaker if self.phase is Phase.BREAKING else None

    def in_seat(self, seat: Seat) -> Player | None:
        """Return the player with this seat in the current round, or None."""
        return self.maker if seat is Seat.MAKER else self.breaker

    def seat_of(self, player: str | None) -> Seat | None:
        """Return the seat of the player id `player` in the current round, or None."""
        if self.maker is not None and self.maker.id == player:
            return Seat.MAKER
        if self.breaker is not None and self.breaker.id == player:
            return Seat.BREAKER
        return None

    def opponent_of(self, player: str) -> Player | None:
        """Return the opponent of the player id `player`.

        Return None if the player has no seat, or no opponent yet.
        """
        seat = self.seat_of(player)
        return self.in_seat(seat.other) if seat else None

    def find_score(self, player: str) -> float:
        """Return the score of the player id `player`: 1 for a win, 0.5 for a draw, 0 for a loss.

        Raises ValueError if the match has not finished.
        """
        if self.outcome is None:
            raise ValueError("the match has no outcome yet")
        winner = self.outcome.winner
        return 0.5 if winner is None else float(winner == player)

    def points_of(self, player: str) -> int:
        """Return the points of the player id `player`: the sum over its rounds as codemaker."""
        return sum(played.points for played in self.played if played.maker == player)


class BreakerView(msgspec.Struct, frozen=True):
    """The codebreaker's view of its round: the rules, and its guesses with their feedback."""

    rules: Rules
    turns: tuple[Turn, ...] = ()

    @classmethod
    def of(cls, match: Match) -> BreakerView:
        """Return the view of the current round. Raises ValueError without a running round."""
        return cls(match.rules, current_round(match).turns)


def current_round(match: Match) -> Round:
    """Return the running round. Raises ValueError in a lobby and after the match."""
    if match.current is None:
        raise ValueError(f"no running round: the match is {match.phase}")
    return match.current


def find_excluding_guess(code: Code, turns: Sequence[Turn]) -> int | None:
    """Return the number, from 1, of the first of `turns` whose feedback excludes `code`.

    Return None if `code` may be the secret.
    """
    for number, turn in enumerate(turns, start=1):
        if score(code, turn.code) != turn.feedback:
            return number
    return None


def find_excluded_colours(turns: Sequence[Turn], rules: Rules) -> frozenset[int]:
    """Return the colours that the feedback of one of `turns` excludes from the secret.

    Without key pegs these are the colours of the guess, and with a key peg for each peg all others.
    """
    excluded: set[int] = set()
    for turn in turns:
        found = sum(turn.feedback)
        if found == 0:
            excluded.update(turn.code)
        elif found == rules.pegs:
            excluded.update(set(range(rules.colours)) - set(turn.code))
    return frozenset(excluded)


def is_advised(match: Match, player: str | None) -> bool:
    """Return whether `player` is the codebreaker's id and has taken advice for the next guess."""
    if match.phase is not Phase.BREAKING or match.seat_of(player) is not Seat.BREAKER:
        return False
    played = current_round(match)
    return len(played.turns) + 1 in played.advised


def find_round_end(match: Match) -> RoundEnd | None:
    """Return how the current round ends now, or None if it continues."""
    turns = current_round(match).turns
    if turns and turns[-1].feedback.black == match.rules.pegs:
        return RoundEnd.BROKEN
    if len(turns) == match.rules.guess_limit:
        return RoundEnd.EXHAUSTED
    return RoundEnd.LEFT if match.departed else None


def count_points(match: Match, how: RoundEnd) -> int:
    """Return the codemaker's points for the current round if it ends by `how`.

    If the code was broken, the codemaker gets one point for each guess. If the codemaker left, it
    gets 0 points. At any other end it gets the limit of guesses plus one, so that resigning early
    costs as much as failing. Without a limit of guesses, the number of guesses is used instead, or
    LEAST_COUNTED_GUESSES if that is more.
    """
    played = current_round(match)
    if how is RoundEnd.BROKEN:
        return len(played.turns)
    if played.maker in match.departed:
        return 0
    return (match.rules.guesses or max(len(played.turns), LEAST_COUNTED_GUESSES)) + 1


def list_tries(rounds: Sequence[Round], player: str | None) -> tuple[int, ...]:
    """Return the number of guesses in each of `rounds` in which the id `player` was codebreaker.

    The number is 0 if the code was not broken. Rounds with advice, and rounds that a player left,
    are omitted.
    """
    return tuple(
        len(played.turns) if played.how is RoundEnd.BROKEN else 0
        for played in rounds
        if played.breaker == player and played.how is not RoundEnd.LEFT and not played.advised
    )


def find_automatic_ending(match: Match) -> RoundEnd | Finished | None:
    """Return how the round or the match must end now, or None if both continue."""
    if match.phase is Phase.BREAKING:
        return find_round_end(match)
    over = match.phase is Phase.FINISHED or match.departed
    return find_outcome(match) if over and match.outcome is None else None


def find_player_to_remove(match: Match) -> Player | None:
    """Return the player to remove to end `match`, or None if the match has finished.

    In a lobby this is the waiting player. In a running match it is the player to move or, if a bot
    of the server must move, the bot's opponent. If both players are bots of the server, it is the
    bot that must move.
    """
    people = [player for player in match.players if player.bot is None]
    if match.phase is Phase.FINISHED:
        return None
    return match.to_move if match.to_move in people or not people else people[0]


def is_time_over(match: Match, at: int, credit: int = 0) -> bool:
    """Return whether the player to move has no time left at `at`.

    `at` is in milliseconds since the first row. `credit` is the latency in milliseconds that would
    be credited for the move. A move at the deadline is in time. The time of the server's bots is
    never over.
    """
    mover, timer = match.to_move, match.timer
    if timer is None or mover is None or mover.bot is not None:
        return False
    return at > timer.deadline + timer.limit_credit(credit)


def find_outcome(match: Match) -> Finished:
    """Return the event that ends `match` in its present state, with the outcome."""
    if match.departed:
        if match.phase is Phase.GATHERING or (
            match.has_live_clock and _was_left_before_first_guess(match)
        ):
            return Finished(how=MatchEnd.CLOSED)
        (stayed,) = (player.id for player in match.players if player.id not in match.departed)
        return Finished(how=MatchEnd.LEFT, winner=stayed)
    return Finished(how=MatchEnd.PLAYED, winner=_find_winner(match))


def _was_left_before_first_guess(match: Match) -> bool:
    """Return whether a player left `match` before the first guess of the first round."""
    return len(match.played) < 2 and not any(
        played.turns or played.how is not RoundEnd.LEFT for played in match.played
    )


def _find_winner(match: Match) -> str | None:
    """Return the id of the winner, or None for a draw.

    In a match of one round, the codebreaker wins by breaking the code. In a longer match, the
    player with more points wins.
    """
    last = match.played[-1]
    if match.opened.rounds == 1:
        return last.breaker if last.how is RoundEnd.BROKEN else last.maker
    makers, breakers = match.points_of(last.maker), match.points_of(last.breaker)
    if makers == breakers:
        return None
    return last.maker if makers > breakers else last.breaker
