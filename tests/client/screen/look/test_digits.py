from prompt_toolkit.output import ColorDepth

from client.screen.looks import LOOK as PLAIN
from client.screen.looks import show
from mastermind_client.screen.look import Look
from mastermind_client.screen.look.digits import DIGITS, ROWS, draw_digits
from mastermind_client.screen.look.glyphs import UNICODE

LOOK = Look(UNICODE, "default", ColorDepth.DEPTH_24_BIT)


def test_a_time_is_three_rows_of_half_blocks():
    assert show(draw_digits("04:12", LOOK)) == [
        "█▀█ █ █ ▄ ▀█  ▀▀█",
        "█ █ ▀▀█ ▄  █  █▀▀",
        "▀▀▀   ▀   ▀▀▀ ▀▀▀",
    ]


def test_every_digit_is_unique():
    assert set(DIGITS) == {*"0123456789:"}
    assert len(set(DIGITS.values())) == len(DIGITS)
    for rows in DIGITS.values():
        assert len(rows) == ROWS
        assert len({len(row) for row in rows}) == 1


def test_ascii_digits_are_plain():
    assert show(draw_digits("4:0", PLAIN)) == ["", "4:0", ""]
