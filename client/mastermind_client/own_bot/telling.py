"""What happens at a bot's tables, in words: pure functions from updates to lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.plain.wording import count_guesses, describe_reason, name_player, subject
from mastermind_client.trouble import sanitise
from mastermind_client.updates import (
    ConnectionLost,
    Moved,
    PresenceChanged,
    Reconnected,
    Reconnecting,
    Update,
)
from mastermind_protocol.commitment import find_fraud
from mastermind_protocol.events import (
    AnyEvent,
    Finished,
    Joined,
    Left,
    MatchEnd,
    RematchOffered,
    RoundEnd,
    RoundEnded,
    Seat,
)
from mastermind_protocol.match import Match, Phase, evolve

if TYPE_CHECKING:
    from collections.abc import Iterator

_DOES = {Seat.MAKER: "make", Seat.BREAKER: "break"}


def tell(update: Update, me: str) -> Iterator[str]:
    """Yield what the owner of the bot with the player id `me` is told of an update."""
    match update:
        case Moved(mirror, events, before):
            state = before
            for event in events:
                after = evolve(state, event)
                if isinstance(event, Joined) and event.player.id == me:
                    yield _tell_seat(mirror.code, after, event.seat)
                else:
                    yield from (f"{mirror.code}: {told}" for told in _tell(event, after, me))
                state = after
        case PresenceChanged(mirror) if mirror.state.rematch:
            pass  # it is followed no more by whoever plays the rematch
        case PresenceChanged(mirror, player, here):
            became = "is back" if here else "has lost the connection"
            yield f"{mirror.code}: {subject(mirror.state, player, me)} {became}"
        case ConnectionLost(reason):
            yield f"connection lost: {sanitise(reason)}; trying to come back"
        case Reconnected():
            yield "connected again"
        case Reconnecting():
            pass  # a line a try would bury what happened


def _tell_seat(code: str, after: Match, seat: Seat) -> str:
    opened = after.opened
    if after.phase is not Phase.GATHERING:
        return f"{code}: rematch of {opened.previous}, I {_DOES[seat]}"
    rounds = f", {opened.rounds} rounds" if opened.rounds > 1 else ""
    return f"open: match {code}, {after.rules}{rounds}, I {_DOES[seat]}"


def _tell(event: AnyEvent, after: Match, me: str) -> Iterator[str]:
    match event:
        case Joined(player=player) if after.phase is not Phase.GATHERING:
            yield f"{name_player(player)} joined"
        case RoundEnded():
            yield from _tell_round_end(event, after, me)
        case Left(player=player, why=why) if player != me:
            yield f"{subject(after, player, me)} left{describe_reason(why)}"
        case Finished():
            yield _tell_result(event, after, me)
        case RematchOffered(by=by):
            yield f"{subject(after, by, me)} offers a rematch"
        case _:
            pass


def _tell_round_end(event: RoundEnded, after: Match, me: str) -> Iterator[str]:
    played = after.played[-1]
    guesses = count_guesses(played)
    who = "" if played.breaker == me else f"{subject(after, played.breaker, me)} "
    match event.how:
        case RoundEnd.BROKEN:
            yield f"{who}broke the code in {guesses}"
        case RoundEnd.EXHAUSTED:
            yield f"the code stands after {guesses}"
        case RoundEnd.RESIGNED:
            yield f"{who}gave up after {guesses}"
        case RoundEnd.LEFT:
            pass  # it was told who left
    if fraud := find_fraud(played, after.rules):
        yield f"WARNING! Code not proven: {fraud}"


def _tell_result(event: Finished, after: Match, me: str) -> str:
    if event.how is MatchEnd.CLOSED:
        return "closed, for nobody joined"
    result = {None: "a draw", me: "won"}.get(event.winner, "lost")
    if after.opened.rounds == 1 or event.how is MatchEnd.LEFT:
        return result
    opponent = after.opponent_of(me)
    theirs = after.points_of(opponent.id) if opponent else 0
    return f"{result}, {after.points_of(me)} points to {theirs}"
