from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.output import ColorDepth

from client.screen.looks import LOOK as PLAIN
from client.screen.looks import assert_fits, show
from kit.matches import ADA, BOB, NONCE, do, game, leave, play, sit
from kit.strategies import brief
from mastermind_client.figures import Record
from mastermind_client.screen.match.ending import draw_ending, draw_ending_below
from mastermind_client.screen.motion.animation import Moment
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.scene.feed import Note, NoteKind
from mastermind_client.screen.scene.scene import Scene
from mastermind_client.screen.theme import Look
from mastermind_client.screen.theme.look import UNICODE
from mastermind_client.screen.toolkit.lines import Extent
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


def test_a_note_with_the_sentence_of_the_end_is_not_drawn_below_it():
    left = leave(BETWEEN, BOB)
    notes = [
        Note(NoteKind.ACTION, "Bob left."),
        Note(NoteKind.CHAT, "Bye", name="Bob", words="Bye"),
    ]
    told = "\n".join(show(draw_ending(replace(see(left, ADA.id), notes=notes), WIDE, LOOK)))
    assert "Bye" in told
    assert told.count("Bob left.") == 1


def test_spectators_read_the_result_in_the_third_person():
    told = "\n".join(show(draw_ending(see(BETWEEN, "EVE"), SIDE, LOOK)))
    assert "Bob cracked it in 4:" in told
    assert "Now Bob hides a code." in told
    assert "you" not in told.lower()


@pytest.mark.parametrize("me", ["ADA", "EVE"])
def test_only_the_winner_gets_confetti_and_only_the_codebreaker_bars(me):
    told = show(draw_ending(see(WON, me), SIDE, LOOK))
    assert told[:3] == ["", "", ""]
    assert told[3].strip() == "Bob cracked it."
    assert not any("▆" in line for line in told)
    assert " Mastermind 4x6 · 4/12" in told


def test_a_loss_has_its_own_bar():
    told = show(draw_ending(see(LOST, "BOB"), SIDE, LOOK))
    assert "► - ▆▆ 1" in told
    assert [line.strip() for line in told if "guess" in line] == [
        "12 guesses.",
        "Vary your guesses.",
    ]
    assert " Mastermind 4x6 · X/12" in told


def test_a_long_heading_of_the_shared_text_is_wrapped():
    told = show(draw_ending(see(LOST, "BOB"), Extent(20, 40), LOOK))
    assert told[told.index(" Mastermind 4x6 ·") + 1] == " X/12"


def test_few_rows_drop_the_shared_text_first_and_then_the_bars():
    def read(rows: int) -> str:
        return "\n".join(show(draw_ending(see(WON, "BOB"), Extent(23, rows), LOOK)))

    assert "Mastermind 4x6" in read(15)
    assert "Mastermind 4x6" not in read(13)
    assert "▆" in read(13)
    assert "▆" not in read(9)
    assert "Brilliant!" in read(2)


def test_below_the_guesses_the_result_is_centred_with_a_plain_score():
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
        "     1.3 better than your average of 5.3 here",
        "",
        " Mastermind 4x6 · 4/12",
        " ···· ●●○· ●●●· ●●●●",
    ]


def test_falling_confetti_does_not_move_the_words():
    still = show(draw_ending(see(WON, "BOB"), SIDE, LOOK))
    falling = show(draw_ending(see(WON, "BOB", Moment(fallen_seconds=0.6)), SIDE, LOOK))
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
def test_the_result_fits_every_extent(match, me, columns, rows, look):
    extent = Extent(columns, rows)
    for draw in (draw_ending, draw_ending_below):
        lines = draw(see(match, me), extent, look)
        assert_fits(lines, extent)
        assert any(line.strip() for line in show(lines))
    if look is PLAIN:
        assert "".join(show(draw_ending(see(match, me), extent, look))).isascii()
