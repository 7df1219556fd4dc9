"""The log of one match in memory: what was asked for is found without going through it again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, SupportsIndex

import pytest

from kit.matches import pegs
from mastermind_protocol.codec import decode_events, decode_message, encode, encode_events
from mastermind_protocol.commitment import commit
from mastermind_protocol.events import AnyEvent, Guessed, Joined, Opened, Player, Seat, SecretSet
from mastermind_protocol.messages import Log, Row
from mastermind_protocol.transitions import fold
from mastermind_server.matches.tables import match_log
from mastermind_server.matches.tables.match_log import MatchLog
from mastermind_server.matches.tables.views import show
from mastermind_server.storage.requests import ReusedId, Stamp
from mastermind_server.storage.store import LogRow

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


def guess(version: int) -> LogRow:
    """Return the row of a guess of Bob; its request id is its version."""
    events = (Guessed(code=pegs("5555"), black=0, white=0),)
    return LogRow("ABCDEF", version, 0, encode_events(events), BOB.id, version, b"guess")


@pytest.fixture
def rows():
    """The rows of a match with many guesses."""
    code, nonce = pegs("1234"), bytes(16)
    opened: tuple[AnyEvent, ...] = (
        Opened(rules="knuth", rounds=1),
        Joined(player=ADA, seat=Seat.MAKER),
        Joined(player=BOB, seat=Seat.BREAKER),
    )
    secret = (SecretSet(by=ADA.id, commitment=commit(nonce, code), code=code, nonce=nonce),)
    first = [
        LogRow("ABCDEF", 1, 0, encode_events(opened), ADA.id, 1, b"open"),
        LogRow("ABCDEF", 2, 0, encode_events(secret), ADA.id, 9, b"secret"),
    ]
    return Counted([*first, *map(guess, range(3, GUESSES + 3))])


@pytest.fixture
def log(rows):
    """The log with these rows."""
    state = None
    for row in rows:
        state = fold(decode_events(row.events), state)
    assert state is not None
    rows.seen = 0
    return MatchLog("ABCDEF", rows, state)


def test_a_row_is_found_by_whose_request_it_was(log, rows):
    assert log.find_request(BOB.id, Stamp(9, b"guess")) is rows[8]
    assert log.find_request(ADA.id, Stamp(9, b"secret")) is rows[1]
    assert log.find_request(ADA.id, Stamp(8, b"guess")) is None
    assert log.find_request(BOB.id, None) is None
    with pytest.raises(ReusedId):
        log.find_request(BOB.id, Stamp(9, b"other"))


def test_however_often_is_asked_a_row_is_looked_at_once(log, rows):
    for request in range(1000, 1010):
        assert log.find_request(BOB.id, Stamp(request, b"")) is None
    assert rows.seen == len(rows)
    log.append(guess(GUESSES + 3), log.state)
    assert log.find_request(BOB.id, Stamp(GUESSES + 3, b"guess")) is not None
    assert rows.seen == len(rows)


@pytest.mark.parametrize("viewer", [ADA.id, BOB.id, "EVE", None])
def test_everybody_is_shown_the_rows_that_it_may_see(log, viewer):
    shown = log.show_rows(1, 9, viewer)
    assert decode_message(encode(Log(id=1, match=log.code, rows=shown))) == Log(
        id=1,
        match=log.code,
        rows=tuple(
            Row(row.version, show(decode_events(row.events), viewer)) for row in log.rows[1:10]
        ),
    )


def test_a_row_is_written_once_for_all_who_look_on(log):
    first, second = (log.show_rows(0, GUESSES, viewer) for viewer in ("EVE", None))
    assert list(map(id, first)) == list(map(id, second))


async def test_what_was_seen_long_ago_is_not_made_again_from_the_first_row_on(
    log, rows, monkeypatch
):
    monkeypatch.setattr(match_log, "SEEN_KEPT_EVERY", 10)
    now = await log.seen_by(BOB.id)
    assert rows.seen == len(rows)
    rows.seen = 0
    for version in (42, 41, 39, 10, 9):
        seen = await log.seen_by(BOB.id, version)
        assert seen.current is not None
        assert len(seen.current.turns) == version - 2
        assert seen.current.secret is None
    assert rows.seen == 2 + 1 + 9 + 0 + 9
    rows.seen = 0
    assert await log.seen_by(BOB.id) is now
    assert rows.seen == 0
