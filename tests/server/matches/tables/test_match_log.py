"""The log of one match in memory: what was asked for is found without going through it again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, SupportsIndex

import pytest

from mastermind_protocol.codec import decode_events, decode_message, encode
from mastermind_protocol.events import Player
from mastermind_protocol.messages import Log, Row
from mastermind_protocol.transitions import fold
from mastermind_server.matches.tables import match_log
from mastermind_server.matches.tables.match_log import MatchLog
from mastermind_server.matches.tables.views import show
from mastermind_server.storage.idempotency import RequestKey, ReusedId
from mastermind_server.storage.rows import LogRow
from server.matches.tables.logs import long_log

ADA, BOB = Player("ADA", "Ada"), Player("BOB", "Bob")
GUESSES = 50


class Counted(list[LogRow]):
    """Rows that count their reads."""

    seen = 0

    def __iter__(self) -> Iterator[LogRow]:
        for row in super().__iter__():
            self.seen += 1
            yield row

    def __reversed__(self) -> Iterator[LogRow]:
        for row in super().__reversed__():
            self.seen += 1
            yield row

    def __getitem__(self, at: SupportsIndex | slice) -> Any:
        found = super().__getitem__(at)
        self.seen += len(found) if isinstance(at, slice) else 1
        return found


@pytest.fixture
def rows():
    """The rows of a match with many guesses of Bob; their request ids are the versions."""
    opened, secret, *guesses = long_log("ABCDEF", GUESSES + 2, ADA, BOB)
    return Counted(
        [
            opened._replace(player=ADA.id, request=1, digest=b"open"),
            secret._replace(player=ADA.id, request=9, digest=b"secret"),
            *(row._replace(player=BOB.id, request=row.version, digest=b"guess") for row in guesses),
        ]
    )


@pytest.fixture
def log(rows):
    """The log with these rows."""
    state = None
    for row in rows:
        state = fold(decode_events(row.events), state)
    assert state is not None
    rows.seen = 0
    return MatchLog("ABCDEF", rows, state)


def test_a_row_is_found_by_its_player_and_request(log, rows):
    assert log.find_request(BOB.id, RequestKey(9, b"guess")) is rows[8]
    assert log.find_request(ADA.id, RequestKey(9, b"secret")) is rows[1]
    assert log.find_request(ADA.id, RequestKey(8, b"guess")) is None
    assert log.find_request(BOB.id, None) is None
    with pytest.raises(ReusedId):
        log.find_request(BOB.id, RequestKey(9, b"other"))


@pytest.mark.promise("long-refusals")
def test_finding_requests_reads_each_row_once(log, rows):
    for request in range(1000, 1010):
        assert log.find_request(BOB.id, RequestKey(request, b"")) is None
    assert rows.seen == len(rows)
    log.append(rows[-1]._replace(version=GUESSES + 3, request=GUESSES + 3), log.state)
    rows.seen -= 1
    assert log.find_request(BOB.id, RequestKey(GUESSES + 3, b"guess")) is not None
    assert rows.seen == len(rows)


@pytest.mark.parametrize("viewer", [ADA.id, BOB.id, "EVE", None])
def test_a_viewer_is_shown_the_visible_parts_of_rows(log, viewer):
    shown = log.show_rows(1, 9, viewer)
    assert decode_message(encode(Log(id=1, match=log.code, rows=shown))) == Log(
        id=1,
        match=log.code,
        rows=tuple(
            Row(row.version, show(decode_events(row.events), viewer)) for row in log.rows[1:10]
        ),
    )


def test_a_row_is_encoded_once_for_all_spectators(log):
    first, second = (log.show_rows(0, GUESSES, viewer) for viewer in ("EVE", None))
    assert list(map(id, first)) == list(map(id, second))


async def test_an_old_view_is_made_from_the_nearest_kept_one(log, rows, monkeypatch):
    monkeypatch.setattr(match_log, "ROWS_PER_SNAPSHOT", 10)
    now = await log.view_of(BOB.id)
    assert rows.seen == len(rows)
    rows.seen = 0
    for version in (42, 41, 39, 10, 9):
        seen = await log.view_of(BOB.id, version)
        assert seen.current is not None
        assert len(seen.current.turns) == version - 2
        assert seen.current.secret is None
    assert rows.seen == 2 + 1 + 9 + 0 + 9
    rows.seen = 0
    assert await log.view_of(BOB.id) is now
    assert rows.seen == 0
