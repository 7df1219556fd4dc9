"""The board and its surroundings during animations, and at the end of a round or a match."""

import pytest
from msgspec.structs import replace
from prompt_toolkit.output import ColorDepth

from client.screen.looks import show
from kit.matches import pegs
from kit.played import ADA, BOB, NONCE, do, game, play, sit
from mastermind_client.screen.kit.lines import Extent
from mastermind_client.screen.look import Look
from mastermind_client.screen.look.glyphs import UNICODE
from mastermind_client.screen.match.board import NO_CLICKS
from mastermind_client.screen.match.view import draw_match
from mastermind_client.screen.motion.motion import AT_REST, Moment
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.scene.scene import Scene
from mastermind_client.statistics import Record
from mastermind_protocol.commands import GuessCode, SetSecret
from mastermind_protocol.match import Match

LOOK = Look(UNICODE, "default", ColorDepth.DEPTH_24_BIT)
WON = play(game("2534", "1122", "2534"))
SEALED = do(sit(), ADA.id, SetSecret(pegs("2534"), NONCE))
BETWEEN = do(
    do(sit(rounds=2), ADA.id, SetSecret(pegs("2534"), NONCE)),
    BOB.id,
    GuessCode(pegs("1122")),
    GuessCode(pegs("2534")),
)
USUAL, SMALL = Extent(80, 23), Extent(60, 19)


def see(match: Match, me: str = "BOB", moment: Moment = AT_REST, room: Extent = USUAL) -> list[str]:
    scene = Scene(
        "9ZH68X", match, me, entry=Entry.empty(match.rules), intermission=True,
        record=Record(), moment=moment,
    )  # fmt: skip
    return show(draw_match(scene, room, LOOK, NO_CLICKS))


def find(lines: list[str], words: str) -> str:
    return next(line for line in lines if words in line)


def test_while_an_answer_comes_its_words_are_not_there_and_nothing_is_told_of_the_end():
    lines = see(WON, moment=Moment(answer=2, opened=0))
    assert find(lines, "► 2").split("►")[1].split("│")[0].split() == ["2", "G", "O", "B", "Y", "●●"]
    told = "\n".join(lines)
    assert "░░?░░ ░░?░░ ░░?░░ ░░?░░  sealed" in told
    assert "Ada" in lines[1]
    for words in ("You win", "broken in", "Cracked"):
        assert words not in told


def test_the_code_is_turned_over_tile_by_tile_and_proven_when_it_is_open():
    lines = see(WON, moment=Moment(opened=2))
    assert "  G     O   ░░?░░ ░░?░░  sealed" in lines[2]
    assert "Cracked" in "\n".join(lines)
    lines = see(WON)
    assert "  G     O     B     Y    as it was sealed ✓" in lines[2]


def test_a_tile_of_the_winning_row_is_lifted():
    lines = see(WON, moment=Moment(lifted=1))
    below = lines[lines.index(find(lines, "► 2")) + 1]
    assert "▀▀▀▀▀       ▀▀▀▀▀ ▀▀▀▀▀" in below


@pytest.mark.parametrize(
    ("me", "code", "floor"),
    [
        ("ADA", "G     O     B     Y", "▀▀▀▀▀"),
        ("BOB", "░░?░░", "▔▔▔▔▔ ▔▔▔▔▔ ▔▔▔▔▔ ▔▔▔▔▔"),
    ],
)
def test_a_code_is_sealed_from_left_to_right(me, code, floor):
    lines = see(SEALED, me, Moment(sealed=1))
    assert lines[2].split("│")[1].strip() == code
    assert lines[3].split("│")[1].strip() == floor


def test_a_code_that_is_not_the_sealed_one_takes_the_titles_place():
    (played,) = WON.played
    lied = replace(WON, played=(replace(played, secret=pegs("2533")),))
    lines = see(lied)
    assert lines[0] == "  ✗ This was not the sealed code."
    assert "not as it was ✗" in lines[2]
    assert "Mastermind" in see(lied, moment=Moment(opened=3))[0]


def test_in_the_smallest_window_the_board_tightens_and_the_end_is_below_the_guesses():
    lines = see(WON, room=SMALL)
    assert "▆▆G▆▆ ▆▆O▆▆ ▆▆B▆▆ ▆▆Y▆▆  ●●●●" in find(lines, "► 2")
    assert lines.index(find(lines, "Cracked it!")) > lines.index(find(lines, "► 2"))
    assert "▀▀▀▀▀" in "\n".join(see(WON, room=SMALL, moment=Moment(answer=1)))


def test_of_many_guesses_the_last_are_seen_above_the_end():
    lines = see(play(game("2534", *["1111"] * 12)), room=SMALL)
    assert "↑" in "\n".join(lines)
    assert "►12" in "\n".join(lines)
    assert "The code stands." in "\n".join(lines)


def test_while_the_last_answer_comes_the_turn_line_does_not_tell_the_end():
    assert " Guess 2" in see(WON, moment=Moment(answer=1))[-1 - 1]
