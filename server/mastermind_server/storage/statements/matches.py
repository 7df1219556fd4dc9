"""Statements that replace the projections of matches, and that read lists of matches."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from mastermind_protocol.match import Phase
from mastermind_server.storage.records import (
    CHALLENGE_MILLISECONDS,
    ArchiveRow,
    MatchRecord,
    RunningMatch,
    RunningRow,
)
from mastermind_server.storage.schema import archive, log, matches, running

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy.dialects import postgresql, sqlite

    from mastermind_server.storage.engines.database import Session
    from mastermind_server.storage.records import Projection

    Insert = sqlite.Insert | postgresql.Insert


def replace_projection(session: Session, projection: Projection) -> None:
    """Replace the public row and the running rows of a match, and add its archive rows, if any."""
    session.run(build_upsert(session.insert, matches), projection.record._asdict())
    session.run(_DELETE_RUNNING, {"match": projection.record.match})
    for row in projection.running:
        session.run(_INSERT_RUNNING, row._asdict())
    for archived in projection.archived:
        session.run(_INSERT_ARCHIVED, archived._asdict() | {"tries": json.dumps(archived.tries)})


def list_public(session: Session, phases: Sequence[Phase], limit: int) -> list[MatchRecord]:
    """Return up to `limit` public matches in `phases`, the most recently changed first."""
    query = _build_public_query(tuple(phases))
    return list(map(MatchRecord._make, session.run(query, {"limit": limit}).fetchall()))


def find_record(session: Session, match: str) -> MatchRecord | None:
    """Return the public row of a match, or None if the match is unknown."""
    row = session.run(_SELECT_RECORD, {"match": match}).fetchone()
    return MatchRecord._make(row) if row else None


def list_archive(
    session: Session, player: str, before: str | None = None, *, limit: int
) -> list[ArchiveRow] | None:
    """Return up to `limit` finished matches of the player with this id, the newest first.

    With the match code `before`, return only older matches, or None if that match is not in the
    player's archive.
    """
    query = _build_archive_query(session, player, before)
    return None if query is None else _read_archive_rows(session, query.limit(limit))


def list_public_archive(
    session: Session, player: str, before: str | None = None, *, searched: int, limit: int
) -> list[ArchiveRow] | None:
    """Return up to `limit` public matches of `list_archive`, out of its newest `searched` ones."""
    query = _build_archive_query(session, player, before)
    if query is None:
        return None
    last = query.limit(searched).subquery()
    public = sa.select(last).join(matches, matches.c.match == last.c.match)
    public = public.where(matches.c.public).order_by(last.c.at.desc(), last.c.match.desc())
    return _read_archive_rows(session, public.limit(limit))


def _build_archive_query(
    session: Session, player: str, before: str | None
) -> sa.Select[Any] | None:
    """Return a SELECT of a player's archive rows older than the match `before`, newest first.

    Return None if `before` is not in the archive.
    """
    query = sa.select(*_columns(archive, ArchiveRow)).where(archive.c.player == player)
    if before is not None:
        at = session.connection.execute(query.where(archive.c.match == before)).mappings().first()
        if at is None:
            return None
        key = sa.tuple_(archive.c.at, archive.c.match)
        query = query.where(key < sa.tuple_(sa.literal(at["at"]), sa.literal(before)))
    return query.order_by(archive.c.at.desc(), archive.c.match.desc())


def _read_archive_rows(session: Session, query: sa.Select[Any]) -> list[ArchiveRow]:
    return [ArchiveRow(*row) for row in session.connection.execute(query)]


def list_running(session: Session, player: str, *, searched: int, limit: int) -> list[RunningMatch]:
    """Return up to `limit` unfinished matches of the player with this id.

    The matches in which the player has to move precede the others. In both parts,
    the match with the newest log row is first. Only the player's newest `searched` rows of the
    table `running` are read.
    """
    mine = sa.select(*_columns(running, RunningRow)).where(running.c.player == player)
    last = mine.order_by(running.c.at.desc()).limit(searched).subquery()
    rows = log.alias()
    version = sa.select(sa.func.max(rows.c.version)).where(rows.c.match == last.c.match)
    newest = (log.c.match == last.c.match) & (log.c.version == version.scalar_subquery())
    found = last.join(log, newest).join(matches, matches.c.match == last.c.match)
    query = sa.select(last, log.c.version, log.c.at, matches.c.due).select_from(found)
    query = query.order_by(last.c.turn.desc(), log.c.at.desc(), last.c.match).limit(limit)
    return [
        RunningMatch(RunningRow(*row), version, changed, due)
        for *row, version, changed, due in session.connection.execute(query)
    ]


def list_due(session: Session, now: int, limit: int) -> list[str]:
    """Return the codes of up to `limit` matches that are due at `now`, the earliest first.

    A match is due if its due time is not after `now`, in milliseconds since 1970. Matches with a
    running clock are left out: see `list_clocks_due`.
    """
    query = sa.select(matches.c.match).where(matches.c.due <= now, ~has_running_clock)
    return list(session.connection.scalars(query.order_by(matches.c.due).limit(limit)))


def list_clocks_due(session: Session, until: int, limit: int) -> list[tuple[str, int]]:
    """Return up to `limit` matches with a running clock that may be due at `until`.

    The result has pairs of a match code and the stored due time, the earliest first. The true due
    time may be later, because guesses do not store a due time. Times are in milliseconds since
    1970.
    """
    query = sa.select(matches.c.match, matches.c.due).where(
        matches.c.due <= until, has_running_clock
    )
    found = session.connection.execute(query.order_by(matches.c.due).limit(limit))
    return [(match_code, due) for match_code, due in found]


def list_challenges(session: Session, until: int, limit: int) -> list[tuple[str, str, int]]:
    """Return up to `limit` challenges that are due at `until`, the earliest first.

    The result has tuples of a match code, the id of the challenged player, and the due time. Times
    are in milliseconds since 1970.
    """
    query = sa.select(matches.c.match, matches.c.reserved, matches.c.due)
    query = query.where(matches.c.due <= until, is_challenge)
    found = session.connection.execute(query.order_by(matches.c.due).limit(limit))
    return [(match_code, reserved, due) for match_code, reserved, due in found]


def list_offers(session: Session, player: str, limit: int) -> list[str]:
    """Return the codes of up to `limit` challenges and rematches offered to the id `player`.

    Those that are due first come first.
    """
    query = sa.select(matches.c.match).where(matches.c.reserved == player, has_reserved_seat)
    return list(session.connection.scalars(query.order_by(matches.c.due).limit(limit)))


def list_challenger_ids(session: Session, player: str) -> list[str]:
    """Return the ids of the players whose challenges to the id `player` are unanswered.

    The result has an id for each challenge, so an id can be repeated.
    """
    chosen = sa.select(matches.c.match).where(matches.c.reserved == player, is_challenge)
    query = sa.select(running.c.player).where(running.c.match.in_(chosen))
    return list(session.connection.scalars(query))


def postpone(session: Session, due_times: Mapping[str, int]) -> None:
    """Set the due times of matches to `due_times`, except where the stored time is later.

    `due_times` maps match codes to times in milliseconds since 1970.
    """
    for match, time in sorted(due_times.items()):
        session.run(_POSTPONE, {"due": time, "match": match})


def is_running(session: Session, match: str) -> bool:
    """Return whether the match exists and has not ended."""
    found = sa.exists().where(matches.c.match == match, matches.c.phase != Phase.FINISHED.value)
    return bool(session.connection.scalar(sa.select(found)))


def build_due_time_update(chosen: sa.Select[tuple[str]]) -> sa.ClauseElement:
    """Return an UPDATE that sets the due times of matches to its parameter `due`.

    `chosen` selects the match codes. The UPDATE skips locked rows: waiting for them could deadlock
    with another such UPDATE.
    """
    unlocked = chosen.with_for_update(skip_locked=True)
    return sa.update(matches).where(matches.c.match.in_(unlocked)).values(due=due_parameter)


@cache
def build_upsert(insert: Callable[[sa.Table], Insert], table: sa.Table) -> sa.ClauseElement:
    """Return an INSERT into `table` that replaces a row with the same primary key."""
    statement = insert(table)
    keys = [column.name for column in table.primary_key]
    return statement.on_conflict_do_update(index_elements=keys, set_=statement.excluded)


@cache
def _build_public_query(phases: tuple[Phase, ...]) -> sa.ClauseElement:
    chosen: list[sa.ColumnClause[str]] = [sa.literal_column(f"'{phase}'") for phase in phases]
    return (
        sa.select(*_columns(matches, MatchRecord))
        .where(matches.c.public, matches.c.phase.in_(chosen))
        .order_by(matches.c.changed.desc())
        .limit(sa.bindparam("limit"))
        .offset(sa.literal_column("0"))
    )


def _columns(
    table: sa.Table, record: type[ArchiveRow | MatchRecord | RunningRow]
) -> list[sa.Column[Any]]:
    return [table.c[name] for name in record._fields]


due_parameter: sa.BindParameter[int] = sa.bindparam("due", type_=sa.BigInteger)
has_running_clock = matches.c.clock.is_not(None) & (
    matches.c.phase.in_([Phase.SETTING.value, Phase.BREAKING.value])
)
has_reserved_seat = matches.c.reserved.is_not(None) & (
    matches.c.phase == sa.literal_column(f"'{Phase.GATHERING}'")
)
# A rematch that waits is due after days; only a public one is due earlier without its player.
is_challenge = (
    has_reserved_seat
    & ~matches.c.public
    & (matches.c.due <= matches.c.changed + sa.literal_column(str(CHALLENGE_MILLISECONDS)))
)
has_match_code = matches.c.match == sa.bindparam("match")
_POSTPONE = build_due_time_update(
    sa.select(matches.c.match).where(has_match_code, matches.c.due < due_parameter)
)
_SELECT_RECORD = sa.select(*_columns(matches, MatchRecord)).where(has_match_code)
_DELETE_RUNNING = sa.delete(running).where(running.c.match == sa.bindparam("match"))
_INSERT_RUNNING = sa.insert(running)
_INSERT_ARCHIVED = sa.insert(archive)
