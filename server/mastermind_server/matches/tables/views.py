"""Which events and chat lines a player may see, and the snapshot of a match for anyone.

Events reach clients only through `show`.
"""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, assert_never

from msgspec.structs import replace

from mastermind_protocol.events import (
    Advised,
    AnyEvent,
    Declined,
    Finished,
    Guessed,
    Joined,
    Left,
    Opened,
    Rated,
    RematchOffered,
    Resumed,
    RoundEnded,
    SecretSet,
    Unrated,
)
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import MAX_SNAPSHOT_GUESSES, Snapshot

if TYPE_CHECKING:
    from mastermind_protocol.chat import Room
    from mastermind_protocol.match import Match


def show(events: tuple[AnyEvent, ...], viewer: str | None) -> tuple[AnyEvent, ...]:
    """Return `events` in the view of `viewer`: the id of a player, or None for a spectator.

    Before `RoundEnded`, which reveals the secret, only the codemaker's view has it. No view has the
    seed and secret in `Opened`, or the code in `Guessed.held`.
    """
    return tuple(map(_show, events, repeat(viewer)))


def _show(event: AnyEvent, viewer: str | None) -> AnyEvent:
    match event:
        case Guessed(held=held):
            return event if held is None else replace(event, held=None)
        case SecretSet(by=by):
            return event if by == viewer else replace(event, code=None, nonce=None)
        case Opened():
            return replace(event, seed=None, drawn=0, secret=None)
        case Joined() | Declined() | Advised() | RoundEnded() | Left() | Finished():
            return event
        case Unrated() | Resumed() | Rated() | RematchOffered():
            return event
        case _:
            assert_never(event)


def make_snapshot(request: int, match_code: str, match: Match) -> Snapshot:
    """Return the answer to the request with the id `request` for a snapshot of `match`.

    It has the guesses of the running or last round, and their feedback, which all clients may see.
    """
    played = match.current or (match.played[-1] if match.played else None)
    turns = played.turns if played else ()
    return Snapshot(
        id=request,
        match=match_code,
        phase=match.phase,
        round=match.round_number,
        guesses=len(turns),
        turns=tuple(
            Guessed(code=turn.code, black=turn.feedback.black, white=turn.feedback.white)
            for turn in turns[-MAX_SNAPSHOT_GUESSES:]
        ),
    )


def may_read(room: Room, round_number: int, match: Match, viewer: str | None) -> bool:
    """Return whether `viewer`, a player's id or None, may read the lines of a room from a round.

    All followers can read the room of the players. Players can read the room of the spectators only
    after the end of the round, so that spectators cannot help. `round_number` starts at 1.
    """
    if room == "players" or match.seat_of(viewer) is None:
        return True
    return match.phase is Phase.FINISHED or round_number <= len(match.played)
