"""Copies of finished matches from other servers."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from pathlib import Path

import pytest

from kit.matches import ADA, BOB, NONCE, pegs
from mastermind_protocol import events
from mastermind_protocol.commands import Command, GuessCode, SetSecret
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import AnyEvent, Joined, Opened, Seat
from mastermind_protocol.messages import Row
from mastermind_protocol.transitions import decide, fold
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.statements.copies import PLAYER_ID_FIELDS, copy_match
from mastermind_server.storage.statements.log import read_log
from mastermind_server.storage.statements.matches import list_archive
from mastermind_server.storage.store import open_database

COMMANDS = ((ADA.id, SetSecret(pegs("1122"), NONCE)), (BOB.id, GuessCode(pegs("1122"))))
ENDED = 1_800_000_000_000


def play(*commands: tuple[str, Command]) -> tuple[Row, ...]:
    """Return the log of a match in which Ada sets a secret for Bob."""
    seats: tuple[AnyEvent, ...] = (
        Opened(rules="mini", rounds=1),
        Joined(player=ADA, seat=Seat.MAKER),
        Joined(player=BOB, seat=Seat.BREAKER),
    )
    rows = [Row(1, seats)]
    state = fold(seats)
    for version, (by, command) in enumerate(commands, start=2):
        decision = decide(state, command, by)
        assert not isinstance(decision, Refused)
        rows.append(Row(version, decision.events))
        state = decision.after
    return tuple(rows)


LOG = play(*COMMANDS)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    database = open_database(tmp_path / "games.db")
    session = database.connect()
    yield session
    session.close()
    database.close()


def test_a_copy_is_in_the_archive_of_the_player_only_and_is_stored_once(session):
    for _time in range(2):
        copy_match(session, "ABCDEF", LOG, ENDED, BOB.id, "ME")
    (row,) = list_archive(session, "ME", limit=9) or []
    assert (row.opponent, row.won, row.at, row.tries) == ("Ada", True, ENDED, [1])
    assert list_archive(session, ADA.id, limit=9) == []
    assert [row.at for row in read_log(session, "ABCDEF")] == [ENDED] * len(LOG)


def test_the_other_player_of_a_stored_match_adds_no_copy(session):
    copy_match(session, "ABCDEF", LOG, ENDED, BOB.id, "ME")
    copy_match(session, "ABCDEF", LOG, ENDED, ADA.id, "ME")
    assert len(list_archive(session, "ME", limit=9) or []) == 1


@pytest.mark.parametrize(
    ("rows", "theirs", "why"),
    [
        (LOG[:-1], BOB.id, "incomplete"),
        ((*LOG[:-1], Row(9, LOG[-1].events)), BOB.id, "incomplete"),
        ((), BOB.id, "incomplete"),
        (LOG, "CID", "no seat"),
        ((LOG[0], *LOG[2:]), BOB.id, None),  # a guess without a secret
    ],
)
def test_another_log_is_rejected_and_nothing_is_stored(session, rows, theirs, why):
    with pytest.raises(ValueError, match=why):
        copy_match(session, "ABCDEF", rows, ENDED, theirs, "ME")
    assert read_log(session, "ABCDEF") == []


def test_a_code_of_another_match_is_rejected(session):
    copy_match(session, "ABCDEF", LOG, ENDED, BOB.id, "ME")
    other = play((ADA.id, SetSecret(pegs("2211"), NONCE)), (BOB.id, GuessCode(pegs("2211"))))
    with pytest.raises(ValueError, match="another match is stored as ABCDEF"):
        copy_match(session, "ABCDEF", other, ENDED, BOB.id, "ME")


def test_all_player_ids_of_events_are_known():
    kinds = [*typing.get_args(AnyEvent), events.Player, events.RatedPlayer]
    fields = {
        field
        for kind in kinds
        for field, hint in kind.__annotations__.items()
        if "PlayerId" in hint
    }
    assert fields == PLAYER_ID_FIELDS
