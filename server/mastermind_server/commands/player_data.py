"""The commands `export` and `forget`: print or delete the data of one player.

`forget` deletes the player's name, ratings, tries and chat lines. The random id of the player stays
in the log and in the ratings of its opponents, because opponents need these.
"""

from __future__ import annotations

import json
import time
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import msgspec
import sqlalchemy as sa
from msgspec.structs import replace

from mastermind_protocol.codec import decode_events, encode_events
from mastermind_protocol.commands import Decline, LeaveMatch
from mastermind_protocol.errors import MessageError, Refused
from mastermind_protocol.events import Joined, Seat
from mastermind_protocol.match import Match, Phase
from mastermind_protocol.requests import GUEST
from mastermind_protocol.transitions import Moment, decide, fold
from mastermind_server.bots import worker_functions
from mastermind_server.commands.options import add_database_option, require_database
from mastermind_server.matches.ratings import (
    ends_rated_match,
    list_rated_turns,
    make_rated_ending,
)
from mastermind_server.matches.tables.views import show
from mastermind_server.network.identity import make_stored_name
from mastermind_server.storage.engines.database import DatabaseUnusable
from mastermind_server.storage.notices import LogReplaced, TokensRevoked
from mastermind_server.storage.rating_rows import RatingsChanged
from mastermind_server.storage.records import make_projection
from mastermind_server.storage.rows import ChatRow, LogRow, RowTaken
from mastermind_server.storage.schema import (
    archive,
    bans,
    chat,
    log,
    matches,
    names,
    players,
    ratings,
    running,
    standings,
    tokens,
    transfers,
    tries,
)
from mastermind_server.storage.statements.accounts import lock_player
from mastermind_server.storage.statements.admin import lift_ban
from mastermind_server.storage.statements.log import append, read_log
from mastermind_server.storage.statements.ratings import append_rated, read_last_ratings
from mastermind_server.storage.store import SessionMode, open_session

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from mastermind_protocol.events import AnyEvent
    from mastermind_server.storage.engines.database import Session

_CHAT_COLUMNS = [
    chat.c[field.name] for field in fields(ChatRow) if field.name not in ("request", "digest")
]


def add_export_command(parser: ArgumentParser) -> None:
    """Add the arguments of `export`."""
    add_database_option(parser)
    parser.add_argument("--player", required=True, metavar="PLAYER", help="id or name")
    parser.epilog = (
        "The server of a SQLite file must be stopped; or make a backup, and export from the copy."
    )
    parser.set_defaults(perform=_export)


def add_forget_command(parser: ArgumentParser) -> None:
    """Add the arguments of `forget`."""
    add_database_option(parser)
    parser.add_argument(
        "--player", required=True, metavar="ID", help="id of the player, as `export` prints it"
    )
    parser.epilog = (
        "The player leaves its running matches. Its opponents keep all matches, with a guest in its"
        " seat. The server of a SQLite file must be stopped; those of PostgreSQL may run."
    )
    parser.set_defaults(perform=_forget)


def _export(options: Namespace) -> None:
    with open_session(require_database(options), SessionMode.EXCLUSIVE) as session:
        data = export_player(session, find_player_id(session, options.player))
    print(json.dumps(data, indent=2, ensure_ascii=False, default=bytes.hex))


def _forget(options: Namespace) -> None:
    with open_session(require_database(options), SessionMode.EXCLUSIVE) as session:
        while True:
            try:
                forget_player(session, options.player, int(time.time() * 1000))
            except (RowTaken, RatingsChanged):
                continue  # a node wrote to one of the matches, or rated one of the opponents
            break
        session.notify(session.notices)
        session.connection.exec_driver_sql("VACUUM")  # removes the deleted data from the file
    print(f"{options.player} is forgotten")


def find_player_id(session: Session, text: str) -> str:
    """Return the id of the player with the id or name `text`.

    An id takes precedence, because an opponent may take a player's id as a name. Raises
    DatabaseUnusable if no player or several players match; the message lists their ids.
    """
    query = sa.select(players.c.id).order_by(players.c.created)
    by_id, by_name = (
        list(session.connection.scalars(query.where(column == text)))
        for column in (players.c.id, players.c.name)
    )
    found: list[str] = by_id or by_name
    if not found:
        raise DatabaseUnusable(f"no player has the id or the name {text!r}")
    if len(found) > 1:
        raise DatabaseUnusable(f"several players have the name {text!r}: {', '.join(found)}")
    return found[0]


def is_known(session: Session, player: str) -> bool:
    """Return whether the database has an account, a log row or a chat line of this player's id."""
    columns = (players.c.id, log.c.player, chat.c.player)
    rows = (sa.exists().where(column == player) for column in columns)
    return bool(session.connection.scalar(sa.select(sa.or_(*rows))))


def export_player(session: Session, player: str) -> dict[str, Any]:
    """Return all data of the player with this id, as maps, arrays, numbers, texts and bytes.

    The player must have an account. The rows of matches contain the player's view. Tokens are not
    exported, because the server has only their hashes. Raises DatabaseUnusable for a damaged log.
    """
    account = sa.select(
        *(players.c[name] for name in ("id", "name", "created", "program", "challenges"))
    )
    lines = sa.select(*_CHAT_COLUMNS).where(chat.c.player == player).order_by(chat.c.at)
    banned = sa.select(bans.c.until, bans.c.why).where(bans.c.subject == player)
    ended = sa.select(archive).where(archive.c.player == player).order_by(archive.c.at)
    rated = sa.select(ratings).where(ratings.c.player == player).order_by(ratings.c.at)
    tried = sa.select(tries).where(tries.c.player == player).order_by(tries.c.day, tries.c.rules)
    claimed = sa.select(names.c.name, names.c.seen).where(names.c.player == player)
    with session.transaction():
        (found,) = _fetch_rows(session, account.where(players.c.id == player))
        return {
            "player": found,
            "matches": {
                match_code: [
                    _export_row(row, events, player)
                    for row, events in _read_log_rows(session, match_code)
                ]
                for match_code in _list_matches(session, player)
            },
            "chat": _fetch_rows(session, lines),
            "archive": _fetch_rows(session, ended),
            "ratings": _fetch_rows(session, rated),
            "tries": _fetch_rows(session, tried),
            "names": _fetch_rows(session, claimed.order_by(names.c.seen)),
            "bans": _fetch_rows(session, banned),
        }


def forget_player(session: Session, player: str, now: int) -> None:
    """Delete the account, chat lines, ratings, tries and names of a player, and notify the nodes.

    `player` is the player's id. The player leaves its running matches first, at the time `now` in
    milliseconds since 1970. The opponents keep all their matches, and the player appears there as a
    guest. A repeated call changes nothing.

    Raises RowTaken if a node has just written to one of the matches, and RatingsChanged if a node
    has just rated an opponent. Raises DatabaseUnusable for a damaged log or an unknown player.
    After an exception nothing has changed.
    """
    with session.transaction():
        lock_player(session, player)
        if not is_known(session, player):
            raise DatabaseUnusable(f"there is no data of a player with the id {player}")
        for match_code in _list_matches(session, player):
            _forget_in_match(session, match_code, player, now)
        commented = sa.select(chat.c.match).where(chat.c.player == player).distinct()
        session.notices += [
            LogReplaced(match_code) for match_code in session.connection.scalars(commented)
        ]
        blank = {
            "name": make_stored_name(player, GUEST),
            "text": None,
            "phrase": None,
            "digest": None,
        }
        for query in (  # chat lines keep their numbers: clients ask for the lines after a number
            sa.update(chat).where(chat.c.player == player).values(blank),
            sa.delete(archive).where(archive.c.player == player),
            *(
                sa.delete(table).where(table.c.player == player)
                for table in (ratings, standings, tries, names)
            ),
            # First the transfer codes: a concurrent use of a code adds a token, deleted next.
            sa.delete(transfers).where(transfers.c.player == player),
            sa.delete(tokens).where(tokens.c.player == player),
            sa.delete(players).where(players.c.id == player),
        ):
            session.connection.execute(query)
        lift_ban(session, player, now)
        session.notices.append(TokensRevoked(player))


def hide_name(events: tuple[AnyEvent, ...], player: str) -> tuple[AnyEvent, ...]:
    """Return `events` with the name of the player with this id replaced by a guest's name."""
    return tuple(
        replace(event, player=replace(event.player, name=make_stored_name(player, GUEST)))
        if isinstance(event, Joined) and event.player.id == player
        else event
        for event in events
    )


def _forget_in_match(session: Session, match_code: str, player: str, now: int) -> None:
    """Replace the player's name in a match by a guest's.

    The player leaves a running match, and declines a reserved seat.
    """
    version, state, started = 0, None, None
    for row, events in _read_log_rows(session, match_code):
        started = row.at if started is None else started
        hidden = hide_name(events, player)
        if hidden != events:
            key = (log.c.match == match_code) & (log.c.version == row.version)
            change = sa.update(log).where(key).values(events=encode_events(hidden))
            session.connection.execute(change)
        version, state = row.version, fold(hidden, state, row.elapsed_since(started))
    if state is None:
        return
    awaited = state.phase is Phase.GATHERING and state.opened.reserved == player
    if state.seat_of(player) is None and not awaited:
        return
    if state.phase is not Phase.FINISHED:
        version += 1
        command = Decline() if awaited else LeaveMatch()
        state = _end_match(session, match_code, version, state, player, command, now)
    if not awaited:
        _replace_name_by_guest(session, match_code, state, player)
    session.notices.append(LogReplaced(match_code))


def _end_match(
    session: Session,
    match_code: str,
    version: int,
    state: Match,
    player: str,
    command: Decline | LeaveMatch,
    now: int,
) -> Match:
    """Append the log row `version`, with the player's command. Return the state after this row."""
    left = decide(state, command, player, Moment(state.at))
    if isinstance(left, Refused):
        raise left
    if not ends_rated_match(left):
        row = LogRow(match_code, version, now, encode_events(left.events), player)
        append(session, [row], [make_projection(match_code, left.after, version, now)])
        return left.after
    # The opponent keeps what it wins. The rows of the player are deleted with its other ratings.
    ids = [each.id for each in state.players]
    last = read_last_ratings(session, state.rules.name, ids)
    luck = worker_functions.measure_luck(state.rules, list_rated_turns(left.after))
    ending = make_rated_ending(match_code, left, now, last, luck)
    row = LogRow(match_code, version, now, encode_events(ending.decision.events), player)
    projection = make_projection(match_code, ending.decision.after, version, now)
    append_rated(session, [row], [projection], ending.rows, ending.claims)
    return ending.decision.after


def _replace_name_by_guest(session: Session, match_code: str, state: Match, player: str) -> None:
    """Replace the player's name by a guest's name in public lists and in the opponent's archive."""
    seat = state.seat_of(player)
    guest = make_stored_name(player, GUEST)
    column = matches.c.maker if seat is Seat.MAKER else matches.c.breaker
    named = (matches.c.match == match_code) & column.is_not(None)
    session.connection.execute(sa.update(matches).where(named).values({column: guest}))
    if opponent := state.opponent_of(player):
        theirs = (archive.c.player == opponent.id) & (archive.c.match == match_code)
        session.connection.execute(sa.update(archive).where(theirs).values(opponent=guest))


def _fetch_rows(session: Session, query: sa.Select[Any]) -> list[dict[str, Any]]:
    return [dict(row) for row in session.connection.execute(query).mappings()]


def _list_matches(session: Session, player: str) -> list[str]:
    """Return the codes of the matches in which the player has acted or has a reserved seat.

    `player` is the player's id.
    """
    acted = sa.select(log.c.match).where(log.c.player == player)
    waiting = sa.select(running.c.match).where(running.c.player == player)
    return sorted(session.connection.scalars(acted.union(waiting)))


def _read_log_rows(
    session: Session, match_code: str
) -> Iterator[tuple[LogRow, tuple[AnyEvent, ...]]]:
    for row in read_log(session, match_code, 0, None):
        try:
            yield row, decode_events(row.events)
        except MessageError as error:
            raise DatabaseUnusable(f"row {row.version} of match {match_code} is damaged") from error


def _export_row(row: LogRow, events: tuple[AnyEvent, ...], player: str) -> dict[str, Any]:
    shown = msgspec.to_builtins(show(events, player), builtin_types=(bytes,))
    return {"version": row.version, "at": row.at, "events": shown}
