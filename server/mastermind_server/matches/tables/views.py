"""Who may see what: the one way from the log, and from what is said, to everybody's frames."""

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
    """Return the events as the player with this id may see them; None is a spectator.

    A secret is for the codemaker who set it, until `RoundEnded` shows it to all; what fixes a
    bot's secrets, and what a bot that keeps none has in hand, is for nobody.
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
    """Tell whether the player with this id may read what was said in a room during a round.

    What the players say is for everybody who follows the match. What spectators say is for them at
    once, and for the players when the round is over: nobody who looks on can help in it. Before
    the first round it is round 1.
    """
    if room == "players" or match.seat_of(viewer) is None:
        return True
    return match.phase is Phase.FINISHED or said_in <= len(match.played)
