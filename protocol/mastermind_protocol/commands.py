"""What a player may ask of a match: the commands, the law, and what each command causes.

`LEGAL` is the whole law of who may do what and when; `refuse` is the one place that applies it.
The server decides with the secret; a client refuses the same commands by the same function,
before anything is sent.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias, assert_never

import msgspec

from mastermind_protocol.code import Code, check_code
from mastermind_protocol.commitment import commit
from mastermind_protocol.errors import ErrorCode, InvalidCode, Refused
from mastermind_protocol.events import (
    Advised,
    AnyEvent,
    Forfeit,
    Guessed,
    Joined,
    Left,
    Player,
    RematchOffered,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
)
from mastermind_protocol.feedback import score
from mastermind_protocol.match import (
    WAITING_FOR,
    Match,
    Phase,
    count_points,
    current_round,
    evolve,
    find_ending,
    find_outcome,
    is_advised,
    may_dodge,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


class Join(msgspec.Struct, frozen=True):
    """Take a free seat; None takes whichever is free."""

    player: Player
    seat: Seat | None = None


class SetSecret(msgspec.Struct, frozen=True):
    """Set the round's secret; the nonce is fresh and random, or None if the bot keeps no code."""

    code: Code
    nonce: bytes | None


class Guess(msgspec.Struct, frozen=True):
    """Guess at the secret; `held` is what a codemaker that keeps no code answers by."""

    code: Code
    held: Code | None = None


class TakeAdvice(msgspec.Struct, frozen=True):
    """Take the server's advice for the next guess: everybody is told."""


class Resign(msgspec.Struct, frozen=True):
    """Give the round up: the code stands."""


class Leave(msgspec.Struct, frozen=True):
    """Leave for good: a running match is lost, one that nobody joined is closed."""

    why: Forfeit | None = None


class OfferRematch(msgspec.Struct, frozen=True):
    """Offer another match, which has been opened under the code `match`."""

    match: str


Command: TypeAlias = Join | SetSecret | Guess | TakeAdvice | Resign | Leave | OfferRematch

_BOTH: frozenset[Seat | None] = frozenset(Seat)

LEGAL: Mapping[tuple[Phase, type], frozenset[Seat | None]] = MappingProxyType(
    {
        (Phase.GATHERING, Join): frozenset({None}),
        (Phase.GATHERING, Leave): _BOTH,
        (Phase.SETTING, SetSecret): frozenset({Seat.MAKER}),
        (Phase.SETTING, Leave): _BOTH,
        (Phase.BREAKING, Guess): frozenset({Seat.BREAKER}),
        (Phase.BREAKING, TakeAdvice): frozenset({Seat.BREAKER}),
        (Phase.BREAKING, Resign): frozenset({Seat.BREAKER}),
        (Phase.BREAKING, Leave): _BOTH,
        (Phase.FINISHED, Leave): _BOTH,
        (Phase.FINISHED, OfferRematch): _BOTH,
    }
)
"""Which commands are legal in which phase, and from which seats; None is to have no seat."""


def refuse(match: Match, command: Command, by: str | None) -> Refused | None:
    """Return why the player `by` may not do this now, or None if it may. Changes nothing."""
    seat = match.seat_of(by)
    if seat is None and not isinstance(command, Join):
        return Refused(ErrorCode.NOT_SEATED, "you have no seat in this match: you may only watch")
    if isinstance(command, Join):
        return _refuse_join(match, command, seat)
    seats = LEGAL.get((match.phase, type(command)))
    if seats is None:
        return Refused(ErrorCode.WRONG_PHASE, f"not now: {WAITING_FOR[match.phase]}")
    if seat not in seats:
        return Refused(ErrorCode.NOT_YOUR_TURN, f"not your turn: {WAITING_FOR[match.phase]}")
    if by in match.left:
        return Refused(ErrorCode.WRONG_PHASE, "you have left this match")
    if isinstance(command, SetSecret | Guess):
        try:
            check_code(command.code, match.rules)
        except InvalidCode as error:
            return Refused(error.code, error.message, field=error.field)
    if isinstance(command, SetSecret) and command.nonce is None and not may_dodge(match):
        told = "only a bot may keep no code, and never in a rated match"
        return Refused(ErrorCode.RATED, told, field="match")
    if isinstance(command, Leave) and command.why and not _is_bot(match, by):
        return Refused(ErrorCode.INVALID_MESSAGE, "only a bot says why it leaves", field="why")
    if isinstance(command, TakeAdvice):
        if match.opened.rated:
            return Refused(ErrorCode.RATED, "there is no advice in a rated match", field="match")
        if is_advised(match, by):
            return Refused(ErrorCode.WRONG_PHASE, "advice for this guess has been taken")
    if isinstance(command, OfferRematch):
        if match.left:
            return Refused(ErrorCode.OPPONENT_LEFT, "no rematch: your opponent has left")
        if match.rematch is not None:
            return Refused(ErrorCode.WRONG_PHASE, f"a rematch is offered: match {match.rematch}")
    return None


def _is_bot(match: Match, player: str | None) -> bool:
    return any(seated.id == player and seated.is_bot for seated in match.players)


def _refuse_join(match: Match, command: Join, seat: Seat | None) -> Refused | None:
    if seat is not None:
        return Refused(ErrorCode.ALREADY_SEATED, f"you are this match's code{seat} already")
    if match.phase is Phase.FINISHED:
        return Refused(ErrorCode.WRONG_PHASE, f"not now: {WAITING_FOR[match.phase]}")
    if (match.phase, Join) not in LEGAL:
        return Refused(ErrorCode.SEAT_TAKEN, "both seats are taken: you may only watch")
    if command.seat is not None and match.in_seat(command.seat) is not None:
        return Refused(ErrorCode.SEAT_TAKEN, f"the code{command.seat} is there already")
    if match.opened.rated and command.player.is_bot:
        told = "a rated match is for two people, not for programs"
        return Refused(ErrorCode.RATED, told, field="match")
    if match.opened.reserved not in (None, command.player.id):
        return Refused(ErrorCode.SEAT_TAKEN, "the free seat is kept for the rematch's player")
    return None


def decide(match: Match, command: Command, by: str) -> tuple[AnyEvent, ...] | Refused:
    """Return the events that a command of the player `by` causes, or why it is refused.

    Pure: for the authority, which knows the secret. The events are one row of the log.
    """
    refusal = refuse(match, command, by)
    if refusal is not None:
        return refusal
    match command:
        case Join(player, seat):
            free = Seat.MAKER if match.maker is None else Seat.BREAKER
            return (Joined(player=player, seat=seat or free),)
        case SetSecret(code, nonce):
            commitment = None if nonce is None else commit(nonce, code)
            return (SecretSet(by=by, commitment=commitment, code=code, nonce=nonce),)
        case Guess(code, held):
            return _decide_guess(match, code, held)
        case TakeAdvice():
            return (Advised(by=by),)
        case Resign():
            return _end_round(match)
        case Leave(why):
            return _decide_leave(match, by, why)
        case OfferRematch(code):
            return (RematchOffered(by=by, match=code),)
        case _:
            assert_never(command)


def _decide_guess(match: Match, code: Code, held: Code | None) -> tuple[AnyEvent, ...]:
    played = current_round(match)
    if (held is None) is (played.commitment is None):
        raise ValueError("a guess is answered by a held code just where there is no commitment")
    secret = played.secret if held is None else held
    if secret is None:
        raise ValueError("only the authority, which knows the secret, can decide a guess")
    if any(score(secret, turn.code) != turn.feedback for turn in played.turns):
        raise ValueError("the codemaker contradicts its earlier feedback")
    feedback = score(secret, code)
    guessed = Guessed(code=code, black=feedback.black, white=feedback.white, held=held)
    after = evolve(match, guessed)
    return (guessed,) if find_ending(after) is None else (guessed, *_end_round(after))


def _decide_leave(match: Match, by: str, why: Forfeit | None) -> tuple[AnyEvent, ...]:
    left = Left(player=by, why=why)
    if match.phase is Phase.FINISHED:
        return (left,)
    after = evolve(match, left)
    if match.phase is Phase.BREAKING:
        return (left, *_end_round(after))
    return (left, find_outcome(after))


def _end_round(match: Match) -> tuple[AnyEvent, ...]:
    """End the current round and, if there is none to come, the match."""
    played, how = current_round(match), find_ending(match) or RoundEnd.RESIGNED
    if played.secret is None:
        raise ValueError("only the authority, which knows the secret, can end a round")
    points = count_points(match, how)
    ended = RoundEnded(how=how, code=played.secret, points=points, nonce=played.nonce)
    after = evolve(match, ended)
    return (ended, find_outcome(after)) if after.phase is Phase.FINISHED else (ended,)
