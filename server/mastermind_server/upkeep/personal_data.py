"""One player's own data: all of it as a value, and its deletion.

A player's id is random and stays, for it holds together what the opponents have too: the log with
everybody's moves. What a person has made up goes: the name, and what was said.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import msgspec
import sqlalchemy as sa
from msgspec.structs import replace

from mastermind_protocol.codec import decode_events, encode_events
from mastermind_protocol.commands import LeaveMatch
from mastermind_protocol.errors import FrameError, Refused
from mastermind_protocol.events import Joined, Seat
from mastermind_protocol.match import Match, Phase
from mastermind_protocol.requests import GUEST
from mastermind_protocol.transitions import decide, fold
from mastermind_server.matches.tables.views import show
from mastermind_server.network.identity import choose_name
from mastermind_server.storage.database import DatabaseUnusable
from mastermind_server.storage.notices import LOGGED_OUT, REWRITTEN, Notice
from mastermind_server.storage.records import project
from mastermind_server.storage.rows import ChatRow, LogRow
from mastermind_server.storage.schema import (
    archive,
    bans,
    chat,
    log,
    matches,
    players,
    tokens,
    transfers,
)
from mastermind_server.storage.statements.accounts import lock_player
from mastermind_server.storage.statements.admin import lift_ban
from mastermind_server.storage.statements.log import append, read_log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_protocol.events import AnyEvent
    from mastermind_server.storage.database import Session

_SAID = [chat.c[field.name] for field in fields(ChatRow) if field.name not in ("request", "digest")]


def find_player(session: Session, called: str) -> str:
    """Return the id of the player who has this id, or else this name.

    Opponents know an id: whoever takes it for a name is not meant by it. Raises DatabaseUnusable,
    which tells the ids if several have the name, the first to come first.
    """
    query = sa.select(players.c.id).order_by(players.c.created)
    by_id, by_name = (
        list(session.connection.scalars(query.where(place == called)))
        for place in (players.c.id, players.c.name)
    )
    found: list[str] = by_id or by_name
    if not found:
        raise DatabaseUnusable(f"nobody here has the id or the name {called!r}")
    if len(found) > 1:
        raise DatabaseUnusable(f"several are called {called!r}: {', '.join(found)}")
    return found[0]


def is_known(session: Session, player: str) -> bool:
    """Tell whether anything is kept of the player with this id."""
    places = (players.c.id, log.c.player, chat.c.player)
    kept = (sa.exists().where(place == player) for place in places)
    return bool(session.connection.scalar(sa.select(sa.or_(*kept))))


def export_player(session: Session, player: str) -> dict[str, Any]:
    """Return all that is kept of a player that there is: maps, arrays, numbers, texts and bytes.

    Of its matches it is what the player may see of them. No token is in it, for the server
    knows none. Raises DatabaseUnusable for a damaged log.
    """
    account = sa.select(*(players.c[name] for name in ("id", "name", "created", "program")))
    said = sa.select(*_SAID).where(chat.c.player == player).order_by(chat.c.at)
    banned = sa.select(bans.c.until, bans.c.why).where(bans.c.subject == player)
    ended = sa.select(archive).where(archive.c.player == player).order_by(archive.c.at)
    with session.transaction():
        (found,) = _fetch(session, account.where(players.c.id == player))
        return {
            "player": found,
            "matches": {
                code: [_export_row(row, events, player) for row, events in _read(session, code)]
                for code in _list_matches(session, player)
            },
            "chat": _fetch(session, said),
            "archive": _fetch(session, ended),
            "bans": _fetch(session, banned),
        }


def forget_player(session: Session, player: str, now: int) -> None:
    """Delete a player, its chat and its name everywhere, and append the notices for all nodes.

    Who still plays leaves those matches first, at the time `now` in milliseconds since 1970. The
    opponents keep all their matches, with a guest. Done again it changes nothing. Raises RowTaken
    if a node has just written, and DatabaseUnusable for a damaged log or if nothing is kept of such
    a player; nothing has changed then.
    """
    with session.transaction():
        lock_player(session, player)
        if not is_known(session, player):
            raise DatabaseUnusable(f"nothing is kept of a player with the id {player}")
        for code in _list_matches(session, player):
            _forget_in(session, code, player, now)
        talked = sa.select(chat.c.match).where(chat.c.player == player).distinct()
        session.notices += [Notice(code, REWRITTEN) for code in session.connection.scalars(talked)]
        silence = {"name": choose_name(player, GUEST), "text": None, "phrase": None, "digest": None}
        for query in (  # of a line its number stays: whoever knows of it does not look before that
            sa.update(chat).where(chat.c.player == player).values(silence),
            sa.delete(archive).where(archive.c.player == player),
            # The code first: whoever is just using it has a token then, which goes too.
            sa.delete(transfers).where(transfers.c.player == player),
            sa.delete(tokens).where(tokens.c.player == player),
            sa.delete(players).where(players.c.id == player),
        ):
            session.connection.execute(query)
        lift_ban(session, player, now)
        session.notices.append(Notice(player, LOGGED_OUT))


def hide_name(events: tuple[AnyEvent, ...], player: str) -> tuple[AnyEvent, ...]:
    """Return events in which the player with this id is a guest."""
    return tuple(
        replace(event, player=replace(event.player, name=choose_name(player, GUEST)))
        if isinstance(event, Joined) and event.player.id == player
        else event
        for event in events
    )


def _forget_in(session: Session, code: str, player: str, now: int) -> None:
    """Make the player a guest in one of its matches, which it leaves if that is not over."""
    version, state = 0, None
    for row, events in _read(session, code):
        hidden = hide_name(events, player)
        if hidden != events:
            place = (log.c.match == code) & (log.c.version == row.version)
            change = sa.update(log).where(place).values(events=encode_events(hidden))
            session.connection.execute(change)
        version, state = row.version, fold(hidden, state)
    if state is None or state.seat_of(player) is None:
        return
    if state.phase is not Phase.FINISHED:
        version += 1
        state = _leave(session, code, version, state, player, now)
    _write_names(session, code, state, player)
    session.notices.append(Notice(code, REWRITTEN))


def _leave(session: Session, code: str, version: int, state: Match, player: str, now: int) -> Match:
    left = decide(state, LeaveMatch(), player)
    if isinstance(left, Refused):
        raise left
    row = LogRow(code, version, now, encode_events(left.events), player)
    append(session, [row], [project(code, left.after, version, now)])
    return left.after


def _write_names(session: Session, code: str, state: Match, player: str) -> None:
    """Write the guest's name where others' lists and archives have the player's."""
    seat = state.seat_of(player)
    guest = choose_name(player, GUEST)
    column = "maker" if seat is Seat.MAKER else "breaker"
    session.connection.execute(
        sa.update(matches).where(matches.c.match == code).values({column: guest})
    )
    if opponent := state.opponent_of(player):
        theirs = (archive.c.player == opponent.id) & (archive.c.match == code)
        session.connection.execute(sa.update(archive).where(theirs).values(opponent=guest))


def _fetch(session: Session, query: sa.Select[Any]) -> list[dict[str, Any]]:
    return [dict(row) for row in session.connection.execute(query).mappings()]


def _list_matches(session: Session, player: str) -> list[str]:
    """Return the codes of the matches of which a row is the player's, as of all it sat down at."""
    query = sa.select(log.c.match).where(log.c.player == player).distinct().order_by(log.c.match)
    return list(session.connection.scalars(query))


def _read(session: Session, code: str) -> Iterator[tuple[LogRow, tuple[AnyEvent, ...]]]:
    for row in read_log(session, code, 0, None):
        try:
            yield row, decode_events(row.events)
        except FrameError as error:
            raise DatabaseUnusable(f"row {row.version} of match {code} is damaged") from error


def _export_row(row: LogRow, events: tuple[AnyEvent, ...], player: str) -> dict[str, Any]:
    shown = msgspec.to_builtins(show(events, player), builtin_types=(bytes,))
    return {"version": row.version, "at": row.at, "events": shown}
