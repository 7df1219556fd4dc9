"""A match as a state machine: `commands.decide` says what a command does, `evolve` does it.

The phases::

    gathering --joined--> setting --secret--> breaking --round_ended--> setting (roles swapped)
        |                    |                   |                        or finished
        +------------------- left -> finished ---+

The server's state has the secret; a client holds the same state without it, and folds the events
it is sent by the same `evolve`, which takes only what `decide` could have caused.
"""

from __future__ import annotations

from enum import StrEnum
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple, assert_never

import msgspec

from mastermind_protocol.code import Code, check_code
from mastermind_protocol.commitment import commit
from mastermind_protocol.errors import InvalidCode
from mastermind_protocol.events import (
    Advised,
    AnyEvent,
    Finished,
    Guessed,
    Joined,
    LaterEvent,
    Left,
    MatchEnd,
    Opened,
    Player,
    RematchOffered,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
)
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.rules import Rules, find_rules

if TYPE_CHECKING:
    from collections.abc import Iterable


class Phase(StrEnum):
    """Where a match stands."""

    GATHERING = "gathering"
    SETTING = "setting"
    BREAKING = "breaking"
    FINISHED = "finished"


class Turn(NamedTuple):
    """One guess and the feedback it got."""

    code: Code
    feedback: Feedback


class Round(msgspec.Struct, frozen=True, kw_only=True):
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


class Match(msgspec.Struct, frozen=True, kw_only=True):
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
        for seat in Seat:
            holder = self.in_seat(seat)
            if holder is not None and holder.id == player:
                return seat
        return None

    def opponent_of(self, player: str) -> Player | None:
        """Return who sits across the board from this player id."""
        seat = self.seat_of(player)
        return self.in_seat(seat.other) if seat else None

    def points_of(self, player: str) -> int:
        """Return the points of a player id: those of the rounds in which it was codemaker."""
        return sum(played.points for played in self.played if played.maker == player)


WAITING_FOR = {
    Phase.GATHERING: "the match waits for the other seat to be taken",
    Phase.SETTING: "the codemaker is to set the secret",
    Phase.BREAKING: "the codebreaker is to guess",
    Phase.FINISHED: "the match is over",
}
"""What a match waits for in each phase, in words."""


def evolve(match: Match | None, event: AnyEvent) -> Match:
    """Return the match after the event. The first event of a match is Opened, and only that.

    Raises ValueError for an event that cannot follow, and InvalidRules for rules that are not
    known here: what a peer sends is not to be trusted.
    """
    if match is None:
        if not isinstance(event, Opened):
            raise ValueError("a match begins with Opened")
        return Match(opened=event, rules=find_rules(event.rules))
    if isinstance(event, Opened) or not _can_follow(match, event):
        raise ValueError(f"{event!r} cannot follow: {WAITING_FOR[match.phase]}")
    replace = msgspec.structs.replace
    match event:
        case Joined(player=player, seat=seat):
            return _seat(match, player, seat)
        case SecretSet(commitment=commitment, code=code, nonce=nonce):
            played = replace(current_round(match), commitment=commitment, secret=code, nonce=nonce)
            return replace(match, phase=Phase.BREAKING, current=played)
        case Advised():
            current = current_round(match)
            advised = (*current.advised, len(current.turns) + 1)
            return replace(match, current=replace(current, advised=advised))
        case Guessed(code=code, black=black, white=white, held=held):
            current = current_round(match)
            turns = (*current.turns, Turn(code, Feedback(black, white)))
            secret = current.secret if held is None else held
            return replace(match, current=replace(current, turns=turns, secret=secret))
        case RoundEnded():
            return _close_round(match, event)
        case Left(player=player):
            return replace(match, left=match.left | {player})
        case Finished():
            return replace(match, phase=Phase.FINISHED, current=None, outcome=event)
        case RematchOffered(match=code):
            return replace(match, rematch=code)
        case _:
            assert_never(event)


def fold(events: Iterable[AnyEvent], match: Match | None = None) -> Match:
    """Return the match after all these events, from the start or from `match` on."""
    result = reduce(evolve, events, match)
    if result is None:
        raise ValueError("a match has at least one event")
    return result


def _can_follow(match: Match, event: LaterEvent) -> bool:
    """Tell whether an event may be the next: whether `decide` could have caused it."""
    match event:
        case Joined(player=player, seat=seat):
            free = match.in_seat(seat) is None and match.seat_of(player.id) is None
            return match.phase is Phase.GATHERING and free
        case SecretSet(by=by):
            due = match.phase is Phase.SETTING and match.seat_of(by) is Seat.MAKER
            return due and _is_kept(event, match)
        case Advised(by=by):
            due = match.phase is Phase.BREAKING and match.seat_of(by) is Seat.BREAKER
            return due and not match.opened.rated and not is_advised(match, by)
        case Guessed():
            return _can_guess(match, event)
        case RoundEnded():
            return _can_end(match, event)
        case Left(player=player):
            return match.seat_of(player) is not None and player not in match.left
        case Finished():
            over = match.phase is Phase.FINISHED or bool(match.left)
            return over and match.outcome is None and event == find_outcome(match)
        case RematchOffered(by=by):
            offerable = match.outcome is not None and match.rematch is None and not match.left
            return offerable and match.seat_of(by) is not None
        case _:
            assert_never(event)


def _is_kept(event: SecretSet, match: Match) -> bool:
    """Tell whether the commitment is to the code, as far as whoever asks can see.

    Only a bot may go without one, and never in a rated match.
    """
    if event.commitment is None:
        shown = event.code is None or _fits(event.code, match.rules)
        return shown and event.nonce is None and may_dodge(match)
    if event.code is None or event.nonce is None:
        return event.code is None and event.nonce is None
    return _fits(event.code, match.rules) and commit(event.nonce, event.code) == event.commitment


def _can_guess(match: Match, event: Guessed) -> bool:
    if match.phase is not Phase.BREAKING or find_ending(match) is not None:
        return False
    if event.held is not None:
        dodged = current_round(match).commitment is None and _fits(event.held, match.rules)
        if not dodged:
            return False
    return _fits(event.code, match.rules) and event.black + event.white <= match.rules.pegs


def _can_end(match: Match, event: RoundEnded) -> bool:
    if match.phase is not Phase.BREAKING:
        return False
    played = current_round(match)
    due = event.how is (find_ending(match) or RoundEnd.RESIGNED)
    proven = (event.nonce is None) is (played.commitment is None)
    shown = _fits(event.code, match.rules) and played.secret in (None, event.code)
    return due and proven and shown and event.points == count_points(match, event.how)


def _fits(code: Code, rules: Rules) -> bool:
    try:
        check_code(code, rules)
    except InvalidCode:
        return False
    return True


def _seat(match: Match, player: Player, seat: Seat) -> Match:
    maker, breaker = (player, match.breaker) if seat is Seat.MAKER else (match.maker, player)
    seated = msgspec.structs.replace(match, maker=maker, breaker=breaker)
    return _start_round(seated) if maker and breaker else seated


def _start_round(match: Match) -> Match:
    maker, breaker = match.players
    return msgspec.structs.replace(
        match, phase=Phase.SETTING, current=Round(maker=maker.id, breaker=breaker.id)
    )


def _close_round(match: Match, event: RoundEnded) -> Match:
    played = msgspec.structs.replace(
        current_round(match),
        secret=event.code,
        nonce=event.nonce,
        how=event.how,
        points=event.points,
    )
    closed = msgspec.structs.replace(match, played=(*match.played, played), current=None)
    if event.how is RoundEnd.LEFT or len(closed.played) == match.opened.rounds:
        return msgspec.structs.replace(closed, phase=Phase.FINISHED)
    swapped = msgspec.structs.replace(closed, maker=match.breaker, breaker=match.maker)
    return _start_round(swapped)


def current_round(match: Match) -> Round:
    """Return the round that is being played. Raises ValueError if there is none."""
    if match.current is None:
        raise ValueError(f"no round is being played: {WAITING_FOR[match.phase]}")
    return match.current


def may_dodge(match: Match) -> bool:
    """Tell whether the codemaker may play without a commitment: a bot, in no rated match."""
    return match.maker is not None and match.maker.bot is not None and not match.opened.rated


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
    """Return the codemaker's points: one a guess, and one more if the code stands."""
    if how is RoundEnd.LEFT:
        return 0
    return len(current_round(match).turns) + (how is not RoundEnd.BROKEN)


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
