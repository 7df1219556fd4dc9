"""A match as a state machine: `decide` turns a command into events, `evolve` applies an event.

Only the server, which knows the secret, calls `decide`. Server and clients fold events by `evolve`,
which accepts only events that `decide` could have caused.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, assert_never

import msgspec
from msgspec.structs import replace

from mastermind_protocol.commands import (
    Command,
    GuessCode,
    LeaveMatch,
    OfferRematch,
    ResignRound,
    SetSecret,
    TakeAdvice,
    TakeSeat,
    is_legal_event,
    refuse,
)
from mastermind_protocol.commitment import commit
from mastermind_protocol.events import (
    Advised,
    AnyEvent,
    Finished,
    Guessed,
    Joined,
    LaterEvent,
    Left,
    Opened,
    Player,
    RematchOffered,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
)
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import (
    Match,
    Phase,
    Round,
    Turn,
    count_points,
    current_round,
    find_automatic_ending,
)
from mastermind_protocol.rules import find_rules

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mastermind_protocol.code import Code
    from mastermind_protocol.errors import Refused


class Decision(msgspec.Struct, frozen=True):
    """The events of an accepted command, which become one row of the log.

    `after` is the match after these events.
    """

    events: tuple[AnyEvent, ...]
    after: Match


def decide(match: Match, command: Command, by: str) -> Decision | Refused:
    """Return the events that `command` of the player id `by` causes, or its refusal.

    Pure. Raises ValueError if `match` lacks the secret that `command` needs, or if
    `GuessCode.held` does not fit the earlier feedback.
    """
    refusal = refuse(match, command, by)
    if refusal is not None:
        return refusal
    event = _make_event(match, command, by)
    events: list[AnyEvent] = [event]
    after = _apply_event(match, event)
    while (due := find_automatic_ending(after)) is not None:
        event = due if isinstance(due, Finished) else _end_round(after, due)
        events.append(event)
        after = _apply_event(after, event)
    return Decision(tuple(events), after)


def _make_event(match: Match, command: Command, by: str) -> LaterEvent:
    match command:
        case TakeSeat(player, seat):
            free = Seat.MAKER if match.maker is None else Seat.BREAKER
            return Joined(player=player, seat=seat or free)
        case SetSecret(code, nonce):
            commitment = None if nonce is None else commit(nonce, code)
            return SecretSet(by=by, commitment=commitment, code=code, nonce=nonce)
        case GuessCode(code, held):
            return _score_guess(match, code, held)
        case TakeAdvice():
            return Advised(by=by)
        case ResignRound():
            return _end_round(match, RoundEnd.RESIGNED)
        case LeaveMatch(why, absent):
            return Left(player=by, why=why, absent=absent)
        case OfferRematch(code):
            return RematchOffered(by=by, match=code)
        case _:
            assert_never(command)


def _score_guess(match: Match, code: Code, held: Code | None) -> Guessed:
    played = current_round(match)
    if (held is None) is (played.commitment is None):
        raise ValueError("a held code is required without a commitment, and forbidden with one")
    secret = played.secret if held is None else held
    if secret is None:
        raise ValueError("scoring a guess needs the secret")
    if held is not None and not _fits_feedback(held, played):
        raise ValueError("the codemaker contradicts its earlier feedback")
    feedback = score(secret, code)
    return Guessed(code=code, black=feedback.black, white=feedback.white, held=held)


def _fits_feedback(secret: Code, played: Round) -> bool:
    return all(score(secret, turn.code) == turn.feedback for turn in played.turns)


def _end_round(match: Match, how: RoundEnd) -> RoundEnded:
    played = current_round(match)
    if played.secret is None:
        raise ValueError("ending a round needs the secret")
    points = count_points(match, how)
    return RoundEnded(how=how, code=played.secret, points=points, nonce=played.nonce)


def evolve(match: Match | None, event: AnyEvent) -> Match:
    """Return `match` after `event`. `match` is None for the first event, which is Opened.

    Raises ValueError for an event that is illegal in `match`, and InvalidRules for unknown rules,
    so that a client can fold events from an untrusted server.
    """
    if match is None:
        if not isinstance(event, Opened):
            raise ValueError("a match begins with Opened")
        return Match(opened=event, rules=find_rules(event.rules))
    if isinstance(event, Opened) or not is_legal_event(match, event):
        raise ValueError(f"{event!r} cannot follow: the match is {match.phase}")
    return _apply_event(match, event)


def _apply_event(match: Match, event: LaterEvent) -> Match:
    match event:
        case Joined(player=player, seat=seat):
            return _take_seat(match, player, seat)
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
    """Return `match` after all `events`. If `match` is None, the first event opens it.

    Raises as `evolve` does, and ValueError if there is no match and no event.
    """
    result = reduce(evolve, events, match)
    if result is None:
        raise ValueError("a match has at least one event")
    return result


def _take_seat(match: Match, player: Player, seat: Seat) -> Match:
    maker, breaker = (player, match.breaker) if seat is Seat.MAKER else (match.maker, player)
    seated = replace(match, maker=maker, breaker=breaker)
    return _start_round(seated) if maker and breaker else seated


def _start_round(match: Match) -> Match:
    maker, breaker = match.players
    return replace(match, phase=Phase.SETTING, current=Round(maker=maker.id, breaker=breaker.id))


def _close_round(match: Match, event: RoundEnded) -> Match:
    played = replace(
        current_round(match),
        secret=event.code,
        nonce=event.nonce,
        how=event.how,
        points=event.points,
    )
    closed = replace(match, played=(*match.played, played), current=None)
    if event.how is RoundEnd.LEFT or len(closed.played) == match.opened.rounds:
        return replace(closed, phase=Phase.FINISHED)
    swapped = replace(closed, maker=match.breaker, breaker=match.maker)
    return _start_round(swapped)
