import pytest
from prompt_toolkit.output import ColorDepth

from client.screen.looks import LOOK as PLAIN
from client.screen.looks import show
from mastermind_client.screen.motion.animation import CONFETTI_SECONDS
from mastermind_client.screen.motion.confetti import (
    HALVES_PER_ROW,
    RESTING_CONFETTI_ROWS,
    draw_confetti,
    make_pieces,
)
from mastermind_client.screen.theme import Look
from mastermind_client.screen.theme.look import UNICODE
from mastermind_client.screen.toolkit.lines import Extent, Line, text, width

LOOK = Look(UNICODE, "default", ColorDepth.DEPTH_24_BIT)
SIDE = Extent(23, 12)
COLOURS = ("red", "green", "blue")
CODE = "K7M2QX"
EMPTY: list[Line] = [[] for _row in range(SIDE.rows)]
MOMENTS = [number * CONFETTI_SECONDS / 20 for number in range(21)]


def fall(lines: list[Line], seconds: float | None, look: Look = LOOK) -> list[Line]:
    return draw_confetti(lines, SIDE, look, COLOURS, CODE, seconds)


def find_rows(seconds: float | None) -> set[int]:
    return {row for row, line in enumerate(show(fall(EMPTY, seconds))) if line}


def test_confetti_falls_through_all_rows_and_rests_in_the_first_ones():
    assert find_rows(0) == set()
    assert 0 in find_rows(0.1)
    assert max(find_rows(0.1)) < SIDE.rows / 2
    assert any(SIDE.rows - 1 in find_rows(seconds) for seconds in MOMENTS)
    resting = set(range(RESTING_CONFETTI_ROWS))
    assert find_rows(CONFETTI_SECONDS) == find_rows(None) == resting


def test_a_piece_only_falls():
    for piece in make_pieces(CODE, SIDE, COLOURS):
        halves = [half for moment in MOMENTS if (half := piece.find_half_row(moment)) is not None]
        assert halves == sorted(halves)
        assert piece.find_half_row(CONFETTI_SECONDS + 1) == piece.rest or piece.rest is None
        if piece.rest is None:
            assert halves[-1] >= HALVES_PER_ROW * SIDE.rows


@pytest.mark.parametrize("seconds", [*MOMENTS, None])
def test_confetti_leaves_words_readable(seconds):
    words = "well done 你好"
    lines = [text(words) for _row in range(SIDE.rows)]
    for line in fall(lines, seconds):
        after = "".join(fragment[1] for fragment in line).removeprefix(words)
        assert after[:1] in ("", " ")
        assert width(line) <= SIDE.columns


def test_confetti_leaves_text_clickable():
    clicked: list[str] = []
    lines: list[Line] = [[("", "word", lambda: clicked.append("word"))], *EMPTY]
    for fragment in fall(lines, None)[0]:
        if len(fragment) == 3:
            fragment[2]()
    assert clicked == ["word"] * 4


def test_the_match_code_decides_the_confetti():
    assert fall(EMPTY, 0.7) == fall(EMPTY, 0.7)
    assert fall(EMPTY, None) != draw_confetti(EMPTY, SIDE, LOOK, COLOURS, "W4T9BN", None)


def test_confetti_has_the_colours_of_the_rules():
    styles = {fragment[0] for line in fall(EMPTY, None) for fragment in line if fragment[1].strip()}
    assert styles == {f"class:ink.{colour}" for colour in COLOURS}


def test_ascii_has_no_confetti():
    assert show(fall(EMPTY, 0.7, PLAIN)) == [""] * SIDE.rows
