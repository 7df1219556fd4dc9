from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mastermind_client.net.mirror import MAX_CHAT_KEPT, Mirror
from mastermind_protocol.chat import MAX_CHAT_SHOWN, ChatLine, Room
from mastermind_protocol.events import (
    Finished,
    Guessed,
    Joined,
    Left,
    MatchEnd,
    Opened,
    Player,
    Seat,
    SecretSet,
)
from mastermind_protocol.messages import Row
from mastermind_protocol.transitions import fold

ADA, BOB = Player(id="ADA", name="Ada"), Player(id="BOB", name="Bob")
ROWS = [
    Row(1, (Opened(rules="classic", rounds=1), Joined(player=ADA, seat=Seat.MAKER))),
    Row(2, (Joined(player=BOB, seat=Seat.BREAKER),)),
    Row(3, (SecretSet(by="ADA", commitment=bytes(32)),)),
    *(Row(v, (Guessed(code=(0, 0, 0, v - 4), black=v - 4, white=0),)) for v in range(4, 8)),
]


def test_of_a_new_mirror_nothing_is_known():
    mirror = Mirror("ABCDEF")
    assert (mirror.code, mirror.version, mirror.away) == ("ABCDEF", 0, {})
    assert (mirror.spectators, mirror.chat) == (0, [])
    with pytest.raises(ValueError, match="nothing is known of match ABCDEF yet"):
        assert mirror.state


def test_rows_are_folded_as_the_server_folds_them():
    mirror = Mirror("ABCDEF")
    assert all(mirror.apply(row) for row in ROWS)
    assert mirror.version == 7
    assert mirror.state == fold(event for row in ROWS for event in row.events)


def test_a_row_that_is_known_changes_nothing():
    mirror = _mirror(3)
    before = mirror.state
    assert not any(mirror.apply(row) for row in ROWS[:3])
    assert (mirror.version, mirror.state) == (3, before)


def test_a_gap_is_an_error_and_changes_nothing():
    mirror = _mirror(2)
    before = mirror.state
    with pytest.raises(ValueError, match="version 4 does not follow 2"):
        mirror.apply(ROWS[3])
    assert (mirror.version, mirror.state) == (2, before)


def test_a_row_that_cannot_be_is_an_error_and_changes_nothing():
    mirror = _mirror(2)
    before = mirror.state
    with pytest.raises(ValueError, match="cannot follow"):
        mirror.apply(Row(3, ROWS[3].events))
    assert (mirror.version, mirror.state) == (2, before)


@given(st.lists(st.integers(0, len(ROWS) - 1), max_size=30))
def test_in_whatever_order_rows_come_each_counts_once(order):
    mirror, applied = Mirror("ABCDEF"), []
    for index in order:
        try:
            if mirror.apply(ROWS[index]):
                applied.append(index)
        except ValueError:
            assert index > len(applied)
    assert applied == list(range(mirror.version))


def test_it_is_news_that_somebody_goes_and_comes_back_but_only_once():
    mirror = _mirror(2)
    assert not mirror.note_presence("BOB", gone_since=None)
    assert mirror.note_presence("BOB", gone_since=5.0)
    assert not mirror.note_presence("BOB", gone_since=5.0)
    assert mirror.away == {"BOB": 5.0}
    assert mirror.note_presence("ADA", gone_since=7.5)
    assert mirror.note_presence("BOB", gone_since=None)
    assert mirror.away == {"ADA": 7.5}


def test_since_when_somebody_is_away_is_as_it_was_told_last():
    mirror = _mirror(2)
    mirror.note_presence("BOB", gone_since=5.0)
    assert not mirror.note_presence("BOB", gone_since=60.0)  # he was here while we were not
    assert mirror.away == {"BOB": 60.0}


def test_it_is_no_news_that_whoever_has_left_is_gone():
    mirror = _mirror(2)
    left = (Left(player="BOB"), Finished(how=MatchEnd.LEFT, winner="ADA"))
    mirror.apply(Row(3, left))
    assert not mirror.note_presence("BOB", gone_since=5.0)
    assert mirror.note_presence("ADA", gone_since=5.0)
    assert mirror.away == {"ADA": 5.0}


def test_what_is_said_is_taken_up_once_in_the_order_in_which_it_comes():
    mirror = Mirror("ABCDEF")
    first, other, late = _line(3), _line(3, "spectators"), _line(1)
    assert [mirror.hear(line) for line in (first, other, late)] == [True] * 3
    assert [mirror.hear(line) for line in (late, first, other)] == [False] * 3
    assert mirror.chat == [first, other, late]


def test_of_each_room_only_the_last_lines_are_kept():
    mirror = Mirror("ABCDEF")
    quiet = _line(1)
    mirror.hear(quiet)
    for n in range(1, MAX_CHAT_KEPT + 3):
        mirror.hear(_line(n, "spectators"))
    assert mirror.chat == [quiet, *(_line(n, "spectators") for n in range(3, MAX_CHAT_KEPT + 3))]
    again = [_line(n, "spectators") for n in range(MAX_CHAT_KEPT - MAX_CHAT_SHOWN, MAX_CHAT_KEPT)]
    assert not any(mirror.hear(line) for line in again)  # what a server sends again is known


def test_what_was_said_is_heard_anew_when_the_log_is_another():
    mirror = _mirror(2)
    mirror.hear(_line(1))
    mirror.restart()
    assert mirror.chat == []
    assert mirror.hear(_line(1))


def _line(n: int, room: Room = "players") -> ChatLine:
    return ChatLine(room=room, n=n, by="ADA", name="Ada", phrase=1)


def _mirror(version: int) -> Mirror:
    mirror = Mirror("ABCDEF")
    for row in ROWS[:version]:
        mirror.apply(row)
    return mirror


def test_the_match_after_each_version_is_kept_and_replaced_when_the_log_is_told_again():
    mirror = _mirror(7)
    assert len(mirror.states) == 7
    assert mirror.states[2] == fold(event for row in ROWS[:3] for event in row.events)

    mirror.restart()
    assert mirror.states[-1].current is not None
    for row in ROWS[:2]:
        mirror.apply(row)
    assert len(mirror.states) == 2
