"""The board and its surroundings during animations, and at the end of a round or a match."""

import pytest
from msgspec.structs import replace
from prompt_toolkit.output import ColorDepth

from client.screen.looks import show
from kit.entries import SECRET, play_try
from kit.matches import ADA, NONCE, do, game, pegs, play, sit
from mastermind_client.figures import Record
from mastermind_client.screen.match.board import NO_CLICKS
from mastermind_client.screen.match.view import draw_match, plan_layout
from mastermind_client.screen.motion.animation import AT_REST, Moment
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.scene.scene import Scene
from mastermind_client.screen.theme import Look
from mastermind_client.screen.theme.look import UNICODE
from mastermind_client.screen.toolkit.lines import Extent
from mastermind_protocol.commands import SetSecret
from mastermind_protocol.match import Match
from mastermind_protocol.transitions import reveal

LOOK = Look(UNICODE, "default", ColorDepth.DEPTH_24_BIT)
WON = play(game("2534", "1122", "2534"))
SEALED = do(sit(), ADA.id, SetSecret(pegs("2534"), NONCE))
USUAL, SMALL = Extent(80, 23), Extent(60, 19)


def see(match: Match, me: str = "BOB", moment: Moment = AT_REST, room: Extent = USUAL) -> list[str]:
    scene = Scene(
        "9ZH68X", match, me, entry=Entry.empty(match.rules), intermission=True,
        record=Record(), moment=moment,
    )  # fmt: skip
    return show(draw_match(scene, plan_layout(scene, room), LOOK, NO_CLICKS))


def find(lines: list[str], words: str) -> str:
    return next(line for line in lines if words in line)


def test_an_appearing_answer_hides_its_words_and_the_result():
    lines = see(WON, moment=Moment(shown_key_pegs=2, opened_tiles=0))
    assert find(lines, "► 2").split("►")[1].split("│")[0].split() == ["2", "G", "O", "B", "Y", "●●"]
    told = "\n".join(lines)
    assert "░░?░░ ░░?░░ ░░?░░ ░░?░░  locked" in told
    assert "Ada" in lines[1]
    for words in ("You win", "broken in", "Cracked"):
        assert words not in told


def test_the_code_opens_tile_by_tile_and_then_its_proof_appears():
    lines = see(WON, moment=Moment(opened_tiles=2))
    assert "  G     O   ░░?░░ ░░?░░  locked" in lines[2]
    assert "Cracked" in "\n".join(lines)
    lines = see(WON)
    assert "  G     O     B     Y    unchanged ✓" in lines[2]


def test_the_code_of_a_try_stays_locked_until_it_is_revealed():
    stands = play_try(*["1122"] * 12)
    assert "░░?░░ ░░?░░ ░░?░░ ░░?░░  locked" in see(stands)[2]
    ended = play_try("1122", "1234")
    assert "checked at the close" in see(ended)[2]
    assert "unchanged ✓" in see(reveal(ended, SECRET, NONCE))[2]
    assert "changed ✗" in see(reveal(ended, SECRET, bytes(15)))[2]


def test_the_winning_row_lifts_one_tile():
    lines = see(WON, moment=Moment(lifted_tile=1))
    below = lines[lines.index(find(lines, "► 2")) + 1]
    assert "▀▀▀▀▀       ▀▀▀▀▀ ▀▀▀▀▀" in below


@pytest.mark.parametrize(
    ("me", "code", "floor"),
    [
        ("ADA", "G     O     B     Y", "▀▀▀▀▀"),
        ("BOB", "░░?░░", "▔▔▔▔▔ ▔▔▔▔▔ ▔▔▔▔▔ ▔▔▔▔▔"),
    ],
)
def test_a_new_code_is_sealed_from_left_to_right(me, code, floor):
    lines = see(SEALED, me, Moment(sealed_tiles=1))
    assert lines[2].split("│")[1].strip() == code
    assert lines[3].split("│")[1].strip() == floor


def test_a_code_that_breaks_the_commitment_replaces_the_title():
    (played,) = WON.played
    lied = replace(WON, played=(replace(played, secret=pegs("2533")),))
    lines = see(lied)
    assert lines[0] == "  ✗ This was not the locked code."
    assert "changed ✗" in lines[2]
    assert "Mastermind" in see(lied, moment=Moment(opened_tiles=3))[0]


def test_the_smallest_window_shows_the_result_below_flat_guesses():
    lines = see(WON, room=SMALL)
    assert "▆▆G▆▆ ▆▆O▆▆ ▆▆B▆▆ ▆▆Y▆▆  ●●●●" in find(lines, "► 2")
    assert lines.index(find(lines, "Cracked it!")) > lines.index(find(lines, "► 2"))
    assert "▀▀▀▀▀" in "\n".join(see(WON, room=SMALL, moment=Moment(shown_key_pegs=1)))


def test_the_last_of_many_guesses_stay_visible_above_the_result():
    lines = see(play(game("2534", *["1111"] * 12)), room=SMALL)
    assert "↑" in "\n".join(lines)
    assert "►12" in "\n".join(lines)
    assert "The code stands." in "\n".join(lines)


def test_the_turn_line_hides_the_result_until_the_answer_is_shown():
    assert " Guess 2" in see(WON, moment=Moment(shown_key_pegs=1))[-1 - 1]
