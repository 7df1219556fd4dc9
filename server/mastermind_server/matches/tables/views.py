"""The views of players: the only path from the log and the chat to frames."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, assert_never

from msgspec.structs import replace

from mastermind_protocol.events import (
    Advised,
    AnyEvent,
    Finished,
    Guessed,
    Joined,
    Left,
    Opened,
    RematchOffered,
    RoundEnded,
    SecretSet,
)
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_protocol.chat import Room
    from mastermind_protocol.match import Match


def show(events: tuple[AnyEvent, ...], viewer: str | None) -> tuple[AnyEvent, ...]:
    """Return the events in the view of a player; None is a spectator.

    Only the codemaker sees its secret before `RoundEnded`, which shows the secret to all. No view
    has the seed of a bot's secrets, or the codes that an adaptive codemaker still has.
    """
    return tuple(map(_show, events, repeat(viewer)))


def _show(event: AnyEvent, viewer: str | None) -> AnyEvent:
    match event:
        case SecretSet(by=by):
            return event if by == viewer else replace(event, code=None, nonce=None)
        case Guessed(held=held):
            return event if held is None else replace(event, held=None)
        case Opened():
            return replace(event, seed=None, drawn=0, secret=None)
        case Joined() | Advised() | RoundEnded() | Left() | Finished() | RematchOffered():
            return event
        case _:
            assert_never(event)


def may_read(room: Room, said_in: int, match: Match, viewer: str | None) -> bool:
    """Return whether a player may read the lines of a room from the round `said_in`.

    All followers read the players' lines. Players read the spectators' lines after the end of the
    round, so that no spectator can help. Lines before the first round belong to round 1.
    """
    if room == "players" or match.seat_of(viewer) is None:
        return True
    return match.phase is Phase.FINISHED or said_in <= len(match.played)
