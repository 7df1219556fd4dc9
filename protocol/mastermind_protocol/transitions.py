"""A match as a state machine: `decide` turns a command into events, `evolve` applies an event.

`expire` returns the events that the end of a player's time causes. Only the server, which knows the
secret, calls `decide` and `expire`. Server and clients fold events by `evolve`, which accepts only
events that `decide` could have caused.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, assert_never

import msgspec
from msgspec.structs import replace

from mastermind_protocol.clock import Timer, find_clock
from mastermind_protocol.commands import (
    Command,
    Decline,
    GuessCode,
    LeaveMatch,
    OfferRematch,
    ResignRound,
    SetSecret,
    TakeAdvice,
    TakeSeat,
    find_refusal,
    is_legal_event,
)
from mastermind_protocol.commitment import commit
from mastermind_protocol.events import (
    SERVER,
    Advised,
    AnyEvent,
    Declined,
    Finished,
    Guessed,
    Joined,
    LaterEvent,
    Left,
    MatchEnd,
    Opened,
    Player,
    Rated,
    RematchOffered,
    Resumed,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
    Unrated,
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
    is_time_over,
)
from mastermind_protocol.rules import find_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mastermind_protocol.code import Code
    from mastermind_protocol.errors import Refused
    from mastermind_protocol.rules import Rules


class Decision(msgspec.Struct, frozen=True):
    """The events of an accepted command, which become one row of the log.

    `after` is the state of the match after these events.
    """

    events: tuple[AnyEvent, ...]
    after: Match


class Moment(msgspec.Struct, frozen=True):
    """The time at which a request takes effect: `at` milliseconds since the first row of the match.

    `credit` is the latency in milliseconds of the player to move, as the server measured it. In a
    match without a clock, `at` and `credit` are ignored.
    """

    at: int = 0
    credit: int = 0


UNTIMED = Moment()


def decide(match: Match, command: Command, by: str, moment: Moment = UNTIMED) -> Decision | Refused:
    """Return the events that `command` of the player id `by` causes, or the refusal.

    Pure. Raises ValueError if `match` lacks the secret that `command` needs, or if an adaptive
    codemaker's new secret, `GuessCode.held`, contradicts earlier feedback. Also raises ValueError
    if the player's time is over at `moment`: `expire` must be called first.
    """
    refusal = find_refusal(match, command, by)
    if refusal is not None:
        return refusal
    lag = 0
    if match.clock is not None:
        if is_time_over(match, moment.at, moment.credit):
            raise ValueError("the time of the player to move is over")
        match = advance(match, moment.at)
        if match.has_live_clock and match.timer is not None:
            lag = match.timer.limit_credit(moment.credit)
    event = _make_event(match, command, by, lag)
    if isinstance(command, TakeSeat) and not command.counts_for_ratings:
        return _append_endings(match, event, Unrated(why="pair"))
    return _append_endings(match, event)


def expire(
    match: Match, moment: Moment, draw: Callable[[Rules], SetSecret], *, away: bool = False
) -> Decision | None:
    """Return the events of the end of a player's time, or None if time is left at `moment`.

    Pure. With a clock of days, the player leaves the match. With a live clock, a codebreaker loses
    the round or, if `away`, leaves the match. If a codemaker's time is over, the match closes in
    the first round. In later rounds, the server sets the code and the nonce that `draw` returns.
    """
    mover = match.to_move
    if mover is None or not is_time_over(match, moment.at, moment.credit):
        return None
    match = advance(match, moment.at)
    if not match.has_live_clock or (away and match.phase is Phase.BREAKING):
        return _append_endings(match, Left(player=mover.id, absent=True))
    if match.phase is Phase.BREAKING:
        return _append_endings(match, _end_round(match, RoundEnd.TIME))
    if not match.played:
        return _append_endings(match, Finished(how=MatchEnd.CLOSED))
    drawn = draw(match.rules)
    return _append_endings(match, _make_event(match, drawn, SERVER, 0))


def resume(match: Match, moment: Moment, lost: int) -> Decision:
    """Return the event that adds `lost` milliseconds to the time of the player to move."""
    return _append_endings(advance(match, moment.at), Resumed(lost=lost))


def advance(match: Match, at: int) -> Match:
    """Return `match` with its time `match.at` set to `at`, or unchanged if `at` is earlier.

    A match without a clock has no time and is returned unchanged.
    """
    if match.clock is None or at <= match.at:
        return match
    return replace(match, at=at)


def _append_endings(match: Match, *first: LaterEvent) -> Decision:
    """Return the events `first`, then the events that end the round and the match, if they end."""
    events: list[AnyEvent] = list(first)
    after = match
    for event in first:
        after = _apply_event(after, event)
    while (due := find_automatic_ending(after)) is not None:
        event = due if isinstance(due, Finished) else _end_round(after, due)
        events.append(event)
        after = _apply_event(after, event)
    return Decision(tuple(events), after)


def _make_event(match: Match, command: Command, by: str, lag: int) -> LaterEvent:
    match command:
        case GuessCode(code, held):  # first, because most commands are guesses
            return _score_guess(match, code, held, lag)
        case TakeSeat(player, seat, rating):
            free = Seat.MAKER if match.maker is None else Seat.BREAKER
            return Joined(player=player, seat=seat or free, rating=rating)
        case Decline(late):
            return Declined(by=by, late=late)
        case SetSecret(code, nonce):
            commitment = None if nonce is None else commit(nonce, code)
            return SecretSet(by=by, commitment=commitment, code=code, nonce=nonce, lag=lag)
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


def _score_guess(match: Match, code: Code, held: Code | None, lag: int) -> Guessed:
    played = current_round(match)
    if (held is None) is (played.commitment is None):
        raise ValueError("a held code is required without a commitment, and forbidden with one")
    secret = played.secret if held is None else held
    if secret is None:
        raise ValueError("scoring a guess needs the secret")
    if held is not None and not _fits_feedback(held, played):
        raise ValueError("the codemaker contradicts its earlier feedback")
    feedback = score(secret, code)
    return Guessed(code=code, black=feedback.black, white=feedback.white, held=held, lag=lag)


def _fits_feedback(secret: Code, played: Round) -> bool:
    return all(score(secret, turn.code) == turn.feedback for turn in played.turns)


def _end_round(match: Match, how: RoundEnd) -> RoundEnded:
    played = current_round(match)
    points = count_points(match, how)
    if match.is_entry:
        return RoundEnded(how=how, points=points)
    if played.secret is None:
        raise ValueError("ending a round needs the secret")
    return RoundEnded(how=how, code=played.secret, points=points, nonce=played.nonce)


def evolve(match: Match | None, event: AnyEvent) -> Match:
    """Return `match` after `event`. `match` is None before the first event, which is Opened.

    Raises ValueError for an event that is illegal in `match`, and InvalidRules or InvalidClock for
    an unknown name. So a client can fold events from an untrusted server.
    """
    if match is None:
        if not isinstance(event, Opened):
            raise ValueError("a match begins with Opened")
        clock = None if event.clock is None else find_clock(event.clock)
        return Match(opened=event, rules=find_rules(event.rules), clock=clock)
    if isinstance(event, Opened) or not is_legal_event(match, event):
        raise ValueError(f"{event!r} cannot follow: the match is {match.phase}")
    return _apply_event(match, event)


def _apply_event(match: Match, event: LaterEvent) -> Match:
    match event:
        case Guessed(code=code, black=black, white=white, held=held, lag=lag):  # first: most are
            current = current_round(match)
            turn = Turn(code, Feedback(black, white))
            turns = current.turns + (turn,)  # noqa: RUF005 - it would build a list first
            secret = current.secret if held is None else held
            current = replace(current, turns=turns, secret=secret)
            if match.clock is None or match.timer is None:
                return replace(match, current=current)
            timer = match.timer.after_move(match.clock, match.at, lag)
            return replace(match, current=current, timer=timer)
        case Joined(player=player, seat=seat):
            return _take_seat(match, player, seat)
        case SecretSet(by=by, commitment=commitment, code=code, nonce=nonce):
            played = replace(
                current_round(match),
                commitment=commitment,
                secret=code,
                nonce=nonce,
                drawn=by == SERVER,
            )
            started = match.clock and Timer(match.at, match.clock.code_breaking_ms)
            return replace(match, phase=Phase.BREAKING, current=played, timer=started)
        case Advised():
            current = current_round(match)
            advised = (*current.advised, len(current.turns) + 1)
            return replace(match, current=replace(current, advised=advised))
        case Resumed(lost=lost):
            return replace(match, timer=match.timer and match.timer.refund(lost))
        case RoundEnded():
            return _close_round(match, event)
        case Left(player=player) | Declined(by=player):
            return replace(match, departed=match.departed | {player})
        case Unrated():
            return replace(match, unrated=True)
        case Finished():
            return replace(match, phase=Phase.FINISHED, current=None, timer=None, outcome=event)
        case Rated():
            return replace(match, ratings=event)
        case RematchOffered(match=code):
            return replace(match, rematch=code)
        case _:
            assert_never(event)


def fold(events: Iterable[AnyEvent], match: Match | None = None, at: int = 0) -> Match:
    """Return `match` after all `events`. If `match` is None, the first event opens it.

    `at` is the time of the row with these events, in milliseconds since the first row of the match.
    Raises the errors of `evolve`, and ValueError if there is neither a match nor an event.
    """
    result = reduce(evolve, events, match and advance(match, at))
    if result is None:
        raise ValueError("a match has at least one event")
    return result


def reveal(match: Match, code: Code, nonce: bytes) -> Match:
    """Return an entry of a contest with the secret and the nonce that the contest has revealed.

    Returns `match` itself before the end of its round, and if it is no entry. `proof.find_fraud`
    then checks the round.
    """
    if not (match.is_entry and match.played):
        return match
    played = replace(match.played[-1], secret=code, nonce=nonce)
    return replace(match, played=(*match.played[:-1], played))


def _take_seat(match: Match, player: Player, seat: Seat) -> Match:
    maker, breaker = (player, match.breaker) if seat is Seat.MAKER else (match.maker, player)
    seated = replace(match, maker=maker, breaker=breaker)
    return _start_round(seated) if maker and breaker else seated


def _start_round(match: Match) -> Match:
    maker, breaker = match.players
    started = Round(maker=maker.id, breaker=breaker.id)
    timer = match.clock and Timer(match.at, match.clock.code_setting_ms)
    return replace(match, phase=Phase.SETTING, current=started, timer=timer)


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
        return replace(closed, phase=Phase.FINISHED, timer=None)
    swapped = replace(closed, maker=match.breaker, breaker=match.maker)
    return _start_round(swapped)
