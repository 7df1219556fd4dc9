"""Copies of finished matches from the logs of other servers.

A player has another id on each server. So a copy has the id that the player has in this store, and
keeps the ids of other players, whom this store does not know.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import msgspec

from mastermind_protocol.codec import decode_events, encode_events
from mastermind_protocol.events import AnyEvent, Guessed, RoundEnded
from mastermind_protocol.match import Phase
from mastermind_protocol.transitions import fold
from mastermind_server.storage.records import make_projection
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.statements.log import append, read_log

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mastermind_protocol.messages import Row
    from mastermind_server.storage.engines.database import Session

PLAYER_ID_FIELDS = frozenset({"by", "id", "player", "reserved", "winner"})  # of events


def copy_match(
    session: Session, match: str, rows: Sequence[Row], ended: int, theirs: str, player: str
) -> None:
    """Store a finished match of another server, and add it to the archive of `player`.

    `match` is the match code. `rows` are the whole log as the other server sent it to its player
    `theirs`, who is `player` in this store. `ended` is the time of the last row, in milliseconds
    since 1970. Nothing changes if the match is stored already.

    Raises ValueError if `rows` are not the log of a finished match of `theirs`, or if another match
    is stored under this code.
    """
    state = None
    copied = [(row, _replace_player(row.events, theirs, player)) for row in rows]
    for row, events in copied:
        state = fold(events, state, row.at)
    versions = [row.v for row in rows]
    if state is None or state.phase is not Phase.FINISHED or versions != [*range(1, len(rows) + 1)]:
        raise ValueError(f"the log of match {match} is incomplete")
    projection = make_projection(match, state, len(rows), ended)
    own = tuple(row for row in projection.archived if row.player == player)
    if not own:
        raise ValueError(f"the player has no seat in match {match}, or it was closed")
    started = ended - rows[-1].at
    log = [LogRow(match, row.v, started + row.at, encode_events(events)) for row, events in copied]
    with session.transaction():  # no other process writes to a SQLite file in the meantime
        if not (stored := read_log(session, match)):
            append(session, log, [dataclasses.replace(projection, archived=own)])
        elif _list_results(map(_decode, stored)) != _list_results(row.events for row in rows):
            raise ValueError(f"another match is stored as {match}")


def _decode(row: LogRow) -> tuple[AnyEvent, ...]:
    return decode_events(row.events)


def _list_results(rows: Iterable[tuple[AnyEvent, ...]]) -> list[AnyEvent]:
    """Return the guesses and the ends of rounds, which contain no player ids."""
    return [event for events in rows for event in events if isinstance(event, Guessed | RoundEnded)]


def _replace_player(events: tuple[AnyEvent, ...], old: str, new: str) -> tuple[AnyEvent, ...]:
    """Return `events` with the player id `old` replaced by `new`. Names are not changed."""

    def change(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [change(item) for item in value]
        if not isinstance(value, dict):
            return value
        return {
            key: new if key in PLAYER_ID_FIELDS and item == old else change(item)
            for key, item in value.items()
        }

    changed = change(msgspec.to_builtins(events, builtin_types=(bytes,)))
    return msgspec.convert(changed, tuple[AnyEvent, ...])
