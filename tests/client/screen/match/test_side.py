from dataclasses import replace

import pytest
from msgspec.structs import replace as change

from client.screen.looks import LOOK, show
from kit.matches import ADA, BOB, NONCE, do, pegs
from mastermind_client.messages.clocks import RunningClock
from mastermind_client.screen.match.side import (
    describe_state,
    draw_middle,
    draw_plate,
    draw_time,
    draw_top_line,
)
from mastermind_client.screen.match.turn_line import draw_turn_line
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.scene.feed import Note, NoteKind
from mastermind_client.screen.scene.scene import Scene
from mastermind_client.screen.toolkit.lines import Extent
from mastermind_protocol.clock import MINUTE, SECOND
from mastermind_protocol.commands import ResignRound, SetSecret
from mastermind_protocol.events import Joined, Opened, Seat
from mastermind_protocol.glicko import INITIAL_RATING, Rating
from mastermind_protocol.match import Match
from mastermind_protocol.messages import Advice, GuessMeasures
from mastermind_protocol.transitions import fold

CODES = ("1122", "1133", "1144")
LONG = change(BOB, name="Bartholomew Featherston")


def sit(clock: str | None = "5+3", rounds: int = 2) -> Match:
    """Return a match in which Ada has set the secret."""
    match = fold(
        [
            Opened(rules="classic", rounds=rounds, clock=clock, rated=rounds == 2),
            Joined(player=ADA, seat=Seat.MAKER),
            Joined(player=LONG, seat=Seat.BREAKER),
        ]
    )
    return do(match, "ADA", SetSecret(pegs("1234"), NONCE))


def look_at(match: Match, left: int, me: str = "BOB", total: int = 5 * MINUTE) -> Scene:
    """Return the scene of a match in which Bob has `left` milliseconds."""
    live = match.clock is not None and match.clock.live
    running = RunningClock("BOB", left, total, live)
    return Scene("7KQ2MX", match, me, entry=Entry.empty(match.rules), running_clock=running)


def test_a_long_name_gives_way_to_the_rating_and_the_clock():
    scene = replace(look_at(sit(), 48 * SECOND), ratings={"BOB": Rating(1512.2, 60.0, 0.06)})
    (line,) = show([draw_top_line(scene, LONG, 23, LOOK, timed=True)])
    assert line == "Bartholome~ 1512 !00:48"


@pytest.mark.parametrize(
    ("left", "me", "style"),
    [
        (31 * SECOND, "BOB", "class:strong"),
        (30 * SECOND, "BOB", "class:alarm"),  # on a reversed plate
        (30 * SECOND, "EVE", "class:turn"),
    ],
)
def test_a_clock_near_its_end_differs_from_its_plate(left, me, style):
    scene = look_at(sit(), left, me)
    assert [piece[0] for piece in draw_time(scene, LONG)] == [style]


def test_the_plate_of_the_player_to_move_is_reversed_but_for_its_alarm():
    scene = look_at(sit(), 20 * SECOND)
    first, *_others = draw_plate(scene, Seat.BREAKER, 23, LOOK)
    assert {piece[0] for piece in first if "00:20" not in piece[1]} == {"class:turn"}
    assert [piece[0] for piece in first if "00:20" in piece[1]] == ["class:alarm"]


def test_a_player_who_waits_for_another_round_has_its_time_ahead():
    scene = look_at(sit(), 20 * SECOND)
    assert show([draw_time(scene, ADA)]) == ["05:00"]
    last = look_at(sit(rounds=1), 20 * SECOND)
    assert draw_time(last, ADA) == []


def test_days_and_matches_without_a_clock_have_no_time_ahead():
    days = look_at(sit("3d/move", rounds=1), 50 * 3600 * SECOND, total=72 * 3600 * SECOND)
    assert show([draw_time(days, LONG)]) == ["2 d 2 h"]
    assert draw_time(days, ADA) == []
    none = replace(look_at(sit(None, rounds=1), 0), running_clock=None)
    assert draw_time(none, ADA) == draw_time(none, LONG) == []


def test_below_ten_seconds_the_turn_line_counts_too():
    assert " Your turn  " in show([draw_turn_line(look_at(sit(), 10 * SECOND), 60, LOOK)])[0]
    assert " Your turn !9.9 " in show([draw_turn_line(look_at(sit(), 9_999), 60, LOOK)])[0]


def test_between_rounds_the_turn_line_has_the_clock():
    match = do(sit(), "BOB", ResignRound())
    scene = replace(look_at(match, 50 * SECOND, total=MINUTE), intermission=True)
    assert " Your turn !00:50 " in show([draw_turn_line(scene, 60, LOOK)])[0]


def test_a_match_that_does_not_count_says_why_in_the_place_of_the_prospects():
    ratings = {"ADA": INITIAL_RATING, "BOB": INITIAL_RATING}
    counts = replace(look_at(sit(), MINUTE), ratings=ratings)
    room = Extent(36, 12)
    assert "A win brings +162, a loss -162." in " ".join(
        " ".join(show(draw_middle(counts, room, LOOK, large=False))).split()
    )
    not_rated = replace(counts, match=change(counts.match, unrated=True))
    told = " ".join(" ".join(show(draw_middle(not_rated, room, LOOK, large=False))).split())
    assert told.startswith("This match does not change ratings")


def test_the_remark_at_our_own_name_gives_way_to_rating_and_clock():
    rating = {"ADA": Rating(1512.2, 60.0, 0.06)}
    scene = replace(look_at(sit(), 58 * SECOND, me="ADA"), ratings=rating)
    lines = [
        show([draw_top_line(scene, ADA, columns, LOOK, timed=True)])[0] for columns in (23, 18)
    ]
    assert [line.startswith("Ada (you)") for line in lines] == [True, False]
    assert lines[1].startswith("Ada 1512")


def test_the_last_chat_is_visible_below_advice():
    advice = Advice(
        id=1, match="7KQ2MX", guess=1, left=9,
        guesses=tuple(
            GuessMeasures(pegs(code), possible=True, worst=4, size=9.5, bits=1.0, parts=3)
            for code in CODES
        ),
    )  # fmt: skip
    said = Note(NoteKind.CHAT, "Ada: hurry up", "ADA", name="Ada", words="hurry up")
    scene = replace(look_at(sit(None, 1), 0), advice=advice, notes=(said,))
    lines = show(draw_middle(scene, Extent(24, 9), LOOK, large=False))
    assert len(lines) == 9
    assert lines[0].strip() == "9 codes fit."
    assert lines[-1].strip() == "Ada  hurry up"


def test_the_codemaker_hides_the_code_that_the_spectator_has_set():
    scene = look_at(sit(), 48 * SECOND, me="CLEO")
    for secret, words in ((None, "hides it"), (pegs("1234"), "hides your code")):
        shown = replace(scene, opened_secret=secret)
        assert describe_state(shown, Seat.MAKER, ADA, LOOK) == words
        assert describe_state(shown, Seat.BREAKER, LONG, LOOK) == "breaks it"
