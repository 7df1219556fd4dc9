import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kit.entries import SECRET, list_try_rows
from kit.matches import NONCE
from mastermind_client.network.failures import ServerUnreachable
from mastermind_client.network.match_messages import take_log, take_presence, take_proof, take_row
from mastermind_client.network.mirror import MAX_CHAT_KEPT, Mirror
from mastermind_client.network.updates import (
    CodeRevealed,
    MatchRestored,
    Moved,
    PresenceChanged,
    Update,
)
from mastermind_protocol.chat import MAX_CHAT_LINES_SHOWN, ChatLine, Room
from mastermind_protocol.clock import MINUTE, SECOND
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
from mastermind_protocol.glicko import INITIAL_RATING
from mastermind_protocol.messages import Log, Row
from mastermind_protocol.proof import ChangedCode, find_fraud
from mastermind_protocol.transitions import fold

ADA, BOB = Player(id="ADA", name="Ada"), Player(id="BOB", name="Bob")
ROWS = [
    Row(1, (Opened(rules="classic", rounds=1), Joined(player=ADA, seat=Seat.MAKER))),
    Row(2, (Joined(player=BOB, seat=Seat.BREAKER),)),
    Row(3, (SecretSet(by="ADA", commitment=bytes(32)),)),
    *(Row(v, (Guessed(code=(0, 0, 0, v - 4), black=v - 4, white=0),)) for v in range(4, 8)),
]


def test_an_impossible_row_is_an_error_and_changes_nothing():
    mirror = _mirror(2)
    before = mirror.state
    with pytest.raises(ValueError, match="cannot follow"):
        mirror.apply(Row(3, ROWS[3].events))
    assert (mirror.version, mirror.state) == (2, before)


@given(st.lists(st.integers(0, len(ROWS) - 1), max_size=30))
def test_each_row_counts_once_and_a_gap_is_an_error(order):
    mirror, version = Mirror("ABCDEF"), 0
    for index in order:
        if index > version:
            with pytest.raises(ValueError, match=f"version {index + 1} does not follow {version}"):
                mirror.apply(ROWS[index])
        else:
            assert mirror.apply(ROWS[index]) is (index == version)
            version = max(version, index + 1)
        assert mirror.version == version
        if version:
            assert mirror.state == fold(event for row in ROWS[:version] for event in row.events)
    if not version:
        with pytest.raises(ValueError, match="match ABCDEF has no state yet"):
            assert mirror.state


def test_a_try_takes_its_proof_once_and_keeps_it_when_its_rows_are_read_again():
    mirror = _mirror_of_try(ended=True)
    assert mirror.state.played[-1].awaits_proof
    (revealed,) = take_proof(mirror, SECRET, NONCE)
    assert revealed == CodeRevealed(mirror, mirror.state)
    assert find_fraud(mirror.state.played[-1], mirror.state.rules) is None
    assert mirror.state.played[-1].secret == SECRET
    assert not list(take_proof(mirror, SECRET, NONCE))
    shown = list(mirror.states)
    mirror.restart()
    assert not any(mirror.apply(row) for row in list(mirror.rows))  # each leads to the known state
    assert mirror.states == shown


def test_a_proof_that_precedes_the_end_of_a_try_is_kept_for_it():
    mirror = _mirror_of_try(ended=False)
    before = mirror.state
    assert not list(take_proof(mirror, SECRET, NONCE))
    assert mirror.state == before
    mirror.apply(list_try_rows("1234")[-1])
    assert mirror.state.played[-1].secret == SECRET


def test_another_code_than_the_locked_one_is_found():
    mirror = _mirror_of_try(ended=True)
    assert list(take_proof(mirror, (0, 0, 0, 0), NONCE))
    assert find_fraud(mirror.state.played[-1], mirror.state.rules) == ChangedCode()


def test_each_change_of_presence_is_news_once():
    mirror = _mirror(2)
    assert not list(take_presence(mirror, "BOB", None))
    assert list(take_presence(mirror, "BOB", 5.0))
    assert not list(take_presence(mirror, "BOB", 5.0))
    assert mirror.away == {"BOB": 5.0}
    assert list(take_presence(mirror, "ADA", 7.5))
    assert list(take_presence(mirror, "BOB", None))
    assert mirror.away == {"ADA": 7.5}


def test_the_last_time_of_absence_counts():
    mirror = _mirror(2)
    assert list(take_presence(mirror, "BOB", 5.0))
    assert not list(take_presence(mirror, "BOB", 60.0))  # Bob was connected while we were not
    assert mirror.away == {"BOB": 60.0}


def test_a_player_who_has_left_is_not_reported_absent():
    mirror = _mirror(2)
    left = (Left(player="BOB"), Finished(how=MatchEnd.LEFT, winner="ADA"))
    mirror.apply(Row(3, left))
    assert not list(take_presence(mirror, "BOB", 5.0))
    assert list(take_presence(mirror, "ADA", 5.0))
    assert mirror.away == {"ADA": 5.0}


def test_each_line_of_chat_is_kept_once_in_order():
    mirror = Mirror("ABCDEF")
    first, other, late = _line(3), _line(3, "spectators"), _line(1)
    assert [mirror.add_chat(line) for line in (first, other, late)] == [True] * 3
    assert [mirror.add_chat(line) for line in (late, first, other)] == [False] * 3
    assert mirror.chat == [first, other, late]


def test_only_the_last_lines_of_each_room_are_kept():
    mirror = Mirror("ABCDEF")
    quiet = _line(1)
    mirror.add_chat(quiet)
    for n in range(1, MAX_CHAT_KEPT + 3):
        mirror.add_chat(_line(n, "spectators"))
    assert mirror.chat == [quiet, *(_line(n, "spectators") for n in range(3, MAX_CHAT_KEPT + 3))]
    again = [
        _line(n, "spectators") for n in range(MAX_CHAT_KEPT - MAX_CHAT_LINES_SHOWN, MAX_CHAT_KEPT)
    ]
    assert not any(mirror.add_chat(line) for line in again)  # sent again


def test_another_line_with_a_known_number_is_of_another_epoch():
    mirror = Mirror("ABCDEF")
    lost = _line(1)
    said = replace(lost, phrase=2)
    timed = replace(lost, v=2, at=100)  # from a newer node, which sends the place of a line
    assert [mirror.add_chat(line) for line in (lost, said, said, lost, timed)] == [
        True,
        True,
        False,
        False,
        False,
    ]


def _line(n: int, room: Room = "players") -> ChatLine:
    return ChatLine(room=room, n=n, by="ADA", name="Ada", phrase=1)


def _mirror(version: int) -> Mirror:
    mirror = Mirror("ABCDEF")
    for row in ROWS[:version]:
        mirror.apply(row)
    return mirror


def test_the_state_after_each_version_is_kept():
    mirror = _mirror(7)
    assert len(mirror.states) == mirror.version == 7
    assert mirror.states[2] == fold(event for row in ROWS[:3] for event in row.events)


OTHER_GUESS = (Guessed(code=(1, 1, 1, 1), black=0, white=0),)


@pytest.mark.parametrize(
    ("rows", "reported", "version"),
    [
        (ROWS, [], 7),
        (ROWS[:4], [4], 4),
        ([*ROWS[:4], Row(5, OTHER_GUESS)], [4, OTHER_GUESS], 5),
        ([*ROWS[:6], Row(7, OTHER_GUESS)], [6, OTHER_GUESS], 7),
        ([*ROWS, Row(8, OTHER_GUESS)], [OTHER_GUESS], 8),
    ],
    ids=["equal", "missing", "missing and other", "other", "equal and more"],
)
@pytest.mark.parametrize("size", [1, 3, 8])
def test_rows_of_another_epoch_are_compared_with_those_before(rows, reported, version, size):
    mirror, before = _mirror(7), _mirror(7).states
    mirror.set_epoch("second")
    updates: list[Update] = []
    for start in range(0, len(rows), size):
        assert mirror.confirmed == start
        part, more = tuple(rows[start : start + size]), start + size < len(rows)
        assert mirror.version >= 4  # the last known state is displayed meanwhile
        log = Log(id=1, match="ABCDEF", rows=part, present=("BOB",), more=more, epoch="second")
        updates += take_log(mirror, log, ADA.id)
    found = [
        update.version if isinstance(update, MatchRestored) else update.events
        for update in updates
        if isinstance(update, MatchRestored | Moved)
    ]
    assert found == reported
    assert mirror.confirmed == mirror.version == version
    assert mirror.state == fold(event for row in rows for event in row.events)
    assert mirror.states[:4] == before[:4]


def test_states_that_are_confirmed_stay_the_same_objects():  # so nothing is drawn again
    mirror = _mirror(7)
    before = [*mirror.states]
    mirror.restart()
    assert not any(map(mirror.apply, ROWS))
    assert all(state is known for state, known in zip(mirror.states, before, strict=True))


def test_the_epoch_of_an_old_server_is_unknown_and_changes_nothing():
    mirror = _mirror(2)
    assert mirror.set_epoch("first")
    assert not mirror.set_epoch("second")  # no row of the first is confirmed
    mirror = _mirror(2)
    assert not mirror.set_epoch(None)
    assert mirror.confirmed == 2


def test_another_match_with_the_same_code_is_an_error():
    mirror = _mirror(2)
    mirror.restart()
    other = Row(1, (Opened(rules="mini", rounds=1), Joined(player=ADA, seat=Seat.MAKER)))
    with pytest.raises(ServerUnreachable):
        assert list(take_row(mirror, other))


def test_a_player_whose_joining_is_undone_is_forgotten():
    mirror = Mirror("ABCDEF")
    opened = Opened(rules="classic", rounds=2, clock="5+3", rated=True)
    first = Row(1, (opened, Joined(player=ADA, seat=Seat.MAKER)))
    joined = Joined(player=BOB, seat=Seat.BREAKER, rating=INITIAL_RATING)
    assert mirror.apply(first)
    assert mirror.apply(Row(2, (joined,)))
    assert list(take_presence(mirror, "BOB", 5.0, after_reconnect=True))
    mirror.restart()
    log = Log(id=1, match="ABCDEF", rows=(first,))
    assert [type(update) for update in take_log(mirror, log, ADA.id)] == [MatchRestored]
    assert (mirror.away, mirror.cut_off, mirror.ratings) == ({}, set(), {})


SEATED = (Joined(player=ADA, seat=Seat.MAKER), Joined(player=BOB, seat=Seat.BREAKER))


def follow(*presents: tuple[str, ...]) -> tuple[Mirror, list[PresenceChanged]]:
    """Receive a log once per tuple of present players; return Ada's updates about presence."""
    mirror, row = Mirror("ABCDEF"), Row(1, (Opened(rules="classic", rounds=1), *SEATED))
    updates = [
        update
        for present in presents
        for update in take_log(
            mirror, Log(id=1, match="ABCDEF", rows=(row,), present=present), ADA.id
        )
    ]
    return mirror, [update for update in updates if isinstance(update, PresenceChanged)]


def test_a_player_missing_at_first_is_away():
    mirror, told = follow(("ADA",))
    assert "BOB" in mirror.away
    assert [(news.connected, news.after_reconnect) for news in told] == [(False, False)]


def test_a_player_disconnected_with_us_is_marked_so():
    mirror, told = follow(("ADA", "BOB"), ("ADA",), ("ADA", "BOB"))
    assert not mirror.away
    assert [(news.connected, news.after_reconnect) for news in told] == [
        (False, True),
        (True, True),
    ]


def test_a_later_disconnection_is_not_marked():
    mirror, _ = follow(("ADA", "BOB"), ("ADA",), ("ADA", "BOB"))
    told = [*take_presence(mirror, "BOB", 1.0), *take_presence(mirror, "BOB", None)]
    assert [news.after_reconnect for news in told if isinstance(news, PresenceChanged)] == [
        False,
        False,
    ]


TIMED = [
    Row(1, (Opened(rules="classic", rounds=1, clock="5+3"), Joined(player=ADA, seat=Seat.MAKER))),
    Row(2, (Joined(player=BOB, seat=Seat.BREAKER),), 4 * SECOND),
    Row(3, (SecretSet(by="ADA", commitment=bytes(32)),), 10 * SECOND),
    Row(4, (Guessed(code=(0, 0, 0, 0), black=0, white=0),), 40 * SECOND),
]


class Watch:
    """A clock whose time the test sets, in seconds."""

    def __init__(self) -> None:
        self.seconds = 500.0

    def __call__(self) -> float:
        return self.seconds


def time_match(rows: list[Row]) -> tuple[Mirror, Watch]:
    """Return a mirror that receives each row at once, and its clock."""
    watch = Watch()
    mirror = Mirror("ABCDEF", now=watch)
    for row in rows:
        watch.seconds = 500 + row.at / SECOND
        mirror.apply(row)
    return mirror, watch


def test_no_time_is_left_to_anybody_without_a_clock_or_a_player_to_move():
    assert _mirror(3).time_left is None
    mirror, _watch = time_match(TIMED[:1])
    assert mirror.time_left is None


def test_the_time_of_the_player_to_move_passes_and_is_never_negative():
    mirror, watch = time_match(TIMED[:3])
    assert mirror.time_left == 5 * MINUTE
    watch.seconds += 12.5
    assert mirror.time_left == 5 * MINUTE - 12_500
    watch.seconds += 500
    assert mirror.time_left == 0


def test_a_guess_stops_its_time_and_brings_the_increment():
    mirror, _watch = time_match(TIMED)
    assert mirror.time_left == 4 * MINUTE + 33 * SECOND


def test_the_time_follows_the_fastest_message():
    mirror, watch = time_match(TIMED[:3])
    watch.seconds += 30 + 2  # two seconds late
    mirror.apply(TIMED[3])
    assert mirror.time_left == 4 * MINUTE + 31 * SECOND
    mirror.update_time_offset(43 * SECOND)  # one second early: the first messages were late
    assert mirror.time_left == 4 * MINUTE + 30 * SECOND


def test_a_log_says_how_much_time_has_passed_since_its_last_row():
    watch = Watch()
    mirror = Mirror("ABCDEF", now=watch)
    log = Log(id=1, match="ABCDEF", rows=tuple(TIMED), present=("ADA", "BOB"), now=50 * SECOND)
    assert list(take_log(mirror, log, ADA.id))
    assert mirror.time_left == 4 * MINUTE + 23 * SECOND


def test_the_ratings_before_a_rated_match_are_kept():
    mirror = Mirror("ABCDEF")
    mirror.apply(Row(1, (
        Opened(rules="classic", rounds=2, clock="5+3", rated=True),
        Joined(player=ADA, seat=Seat.MAKER, rating=INITIAL_RATING),
        Joined(player=BOB, seat=Seat.BREAKER),
    )))  # fmt: skip
    assert mirror.ratings == {"ADA": INITIAL_RATING}


def _mirror_of_try(*, ended: bool) -> Mirror:
    """Return Bob's mirror of a try at the code of a day."""
    mirror = Mirror("ABCDEF")
    for row in list_try_rows(*(["1234"] if ended else [])):
        mirror.apply(row)
    return mirror
