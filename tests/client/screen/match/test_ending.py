from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.output import ColorDepth

from client.screen.looks import LOOK as PLAIN
from client.screen.looks import assert_fits, show
from kit.played import ADA, BOB, NONCE, do, game, leave, play, sit
from kit.strategies import brief
from mastermind_client.screen.kit.lines import Extent, Line
from mastermind_client.screen.look import Look
from mastermind_client.screen.look.glyphs import UNICODE
from mastermind_client.screen.match.ending import draw_ending, draw_ending_below
from mastermind_client.screen.motion.motion import Moment
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.scene.scene import Scene
from mastermind_client.statistics import Record
from mastermind_protocol.commands import GuessCode, SetSecret
from mastermind_protocol.match import Match

LOOK = Look(UNICODE, "default", ColorDepth.DEPTH_24_BIT)
SIDE, WIDE = Extent(23, 20), Extent(36, 36)
GAME = game("2534", "1111", "2344", "2536", "2534")
WON = play(GAME)
BETWEEN = do(
    do(sit(rounds=2), ADA.id, SetSecret(GAME.secret, NONCE)),
    BOB.id,
    *(GuessCode(guess) for guess in GAME.guesses),
)
LOST = play(game("2534", *["1111"] * 12))
TWO = play(GAME, game("1234", "1122", "1234"))
RECORD = Record().add([3, *[4] * 4, *[5] * 9, *[6] * 5, *[7] * 3, 8])


def see(match: Match, me: str, moment: Moment | None = None) -> Scene:
    record = None if me == "EVE" else RECORD
    scene = Scene(
        "9ZH68X", match, me, entry=Entry.empty(match.rules), record=record, intermission=True
    )
    return replace(scene, moment=moment or scene.moment)


def find_style(lines: list[Line], words: str) -> str:
    return next(
        fragment[0] for line in lines for fragment in line if words in fragment[1]
    )  # fmt: skip


def test_between_rounds_it_is_told_what_happened_how_it_stands_and_what_is_next():
    assert show(draw_ending(see(BETWEEN, "BOB"), SIDE, LOOK)) == [
        " Round 1 is over",
        "",
        " You cracked it in 4:",
        " 4 points for Ada.",
        "",
        "───────────────────────",
        "",
        "     █ █   ▄   █▀█",
        "     ▀▀█   ▄   █ █",
        "       ▀       ▀▀▀",
        "",
        "     Ada       Bob",
        "",
        "───────────────────────",
        "",
        " Now you hide a code.",
        " If Ada needs more",
        " than 4 guesses, you",
        " win the match.",
        "",
    ]


def test_who_has_more_is_bold_and_the_other_dim():
    lines = draw_ending(see(BETWEEN, "BOB"), SIDE, LOOK)
    assert find_style(lines, "▀▀█") == "class:strong"
    assert find_style(lines, "▀▀▀") == "class:dim"


def test_who_looks_on_is_told_the_same_of_others():
    told = "\n".join(show(draw_ending(see(BETWEEN, "EVE"), SIDE, LOOK)))
    assert "Bob cracked it in 4:" in told
    assert "Now Bob hides a code." in told
    assert "you" not in told.lower()


def test_a_win_is_told_first_then_compared_and_shown_in_bars():
    lines = draw_ending(see(WON, "BOB"), SIDE, LOOK)
    assert show(lines)[3:] == [
        "      Brilliant!",
        " Cracked in 4 guesses.",
        "",
        " 1.3 better than your",
        "    average of 5.3",
        "",
        "───────────────────────",
        " Your 24 classic games",
        "  3 ▆▆ 1",
        "► 4 ▆▆▆▆▆▆▆▆ 5",
        "  5 ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆ 9",
        "  6 ▆▆▆▆▆▆▆▆ 5",
        "  7 ▆▆▆▆▆ 3",
        "  8 ▆▆ 1",
        "───────────────────────",
        " Mastermind 4x6 · 4/12",
        " ···· ●●○· ●●●· ●●●●",
    ]
    assert set("".join(show(lines[:3]))) == {*" ▀▄"}
    assert find_style(lines, "Brilliant!") == "class:strong"


@pytest.mark.parametrize("me", ["ADA", "EVE"])
def test_who_has_not_won_has_no_confetti_and_who_broke_nothing_no_bars(me):
    told = show(draw_ending(see(WON, me), SIDE, LOOK))
    assert told[:3] == ["", "", ""]
    assert told[3].strip() == "Bob cracked it."
    assert not any("▆" in line for line in told)
    assert " Mastermind 4x6 · 4/12" in told


def test_a_loss_has_a_bar_of_its_own_and_no_word_is_alone_in_a_line():
    told = show(draw_ending(see(LOST, "BOB"), SIDE, LOOK))
    assert "► - ▆▆ 1" in told
    assert [line.strip() for line in told if "guess" in line] == ["12 guesses."]
    assert " Mastermind 4x6 · X/12" in told


def test_several_rounds_are_told_by_their_points():
    told = show(draw_ending(see(TWO, "ADA"), WIDE, LOOK))
    assert [line.strip() for line in told[6:11]] == [
        "▀▀█   ▄   █ █",
        "█▀▀   ▄   ▀▀█",
        "▀▀▀         ▀",
        "",
        "Bob       Ada",
    ]
    assert [line.strip() for line in told if line][-5:] == [
        "Mastermind 4x6", "Bob 4/12", "···· ●●○· ●●●· ●●●●", "Ada 2/12", "●○·· ●●●●",
    ]  # fmt: skip


def test_where_rows_are_short_what_may_be_shared_goes_first_and_then_the_bars():
    def read(rows: int) -> str:
        return "\n".join(show(draw_ending(see(WON, "BOB"), Extent(23, rows), LOOK)))

    assert "Mastermind 4x6" in read(15)
    assert "Mastermind 4x6" not in read(13)
    assert "▆" in read(13)
    assert "▆" not in read(9)
    assert "Brilliant!" in read(2)


def test_below_the_guesses_it_is_in_the_middle_and_the_score_in_plain_digits():
    assert show(draw_ending_below(see(BETWEEN, "BOB"), Extent(51, 8), LOOK)) == [
        "",
        "  Round 1 is over. You cracked it in 4: 4 points",
        "                     for Ada.",
        "",
        "                   Ada 4 : 0 Bob",
        "",
        "   Now you hide a code. If Ada needs more than 4",
        "            guesses, you win the match.",
    ]
    assert show(draw_ending_below(see(WON, "BOB"), Extent(51, 8), LOOK)) == [
        "",
        "                    Brilliant!",
        "               Cracked in 4 guesses.",
        "        1.3 better than your average of 5.3",
        "",
        " Mastermind 4x6 · 4/12",
        " ···· ●●○· ●●●· ●●●●",
    ]


def test_a_match_that_somebody_left_before_its_first_guess_has_a_result_too():
    told = show(draw_ending(see(leave(sit()), "ADA"), SIDE, LOOK))
    assert [line.strip() for line in told[3:] if line] == ["You win!", "Bob left."]


def test_while_confetti_falls_the_words_stay_where_they_are():
    still = show(draw_ending(see(WON, "BOB"), SIDE, LOOK))
    falling = show(draw_ending(see(WON, "BOB", Moment(fallen=0.6)), SIDE, LOOK))
    assert falling != still
    for line, moved in zip(still[3:], falling[3:], strict=True):
        assert line.strip() in moved


@brief
@given(
    match=st.sampled_from([WON, LOST, TWO, BETWEEN, leave(sit())]),
    me=st.sampled_from(["ADA", "BOB", "EVE"]),
    columns=st.integers(23, 60),
    rows=st.integers(1, 40),
    look=st.sampled_from([LOOK, PLAIN]),
)
def test_it_stays_in_its_place(match, me, columns, rows, look):
    extent = Extent(columns, rows)
    for draw in (draw_ending, draw_ending_below):
        lines = draw(see(match, me), extent, look)
        assert_fits(lines, extent)
        assert any(line.strip() for line in show(lines))
    if look is PLAIN:
        assert "".join(show(draw_ending(see(match, me), extent, look))).isascii()
