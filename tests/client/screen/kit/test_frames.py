from hypothesis import given
from hypothesis import strategies as st

from client.screen.looks import show
from kit.strategies import brief
from mastermind_client.screen.kit.frames import draw_edge, draw_framed, draw_rule
from mastermind_client.screen.kit.lines import text, width
from mastermind_client.screen.look.glyphs import UNICODE


def test_a_frame_has_its_title_above_and_its_ending_below():
    assert show(draw_framed([text("abcd"), text("x")], 12, UNICODE, title=text("T"))) == [
        "╭─ T ──────╮",
        "│ abcd     │",
        "│ x        │",
        "╰──────────╯",
    ]
    assert show([draw_edge(12, UNICODE, left=text("a"), right=text("b"), bottom=True)]) == [
        "╰─ a ─── b ─╯"[:5] + "── b ─╯"
    ]


def test_a_rule_crosses_a_frame_or_stands_alone():
    assert show([draw_rule(5, UNICODE), draw_rule(5, UNICODE, ("├", "┤"))]) == ["─────", "├───┤"]


@given(st.text("ab ", max_size=30), st.text("cd ", max_size=12), st.integers(20, 60), st.booleans())
@brief
def test_an_edge_is_as_wide_as_its_frame_whatever_is_written_in_it(left, right, columns, bottom):
    ending = text(right) if right else ()
    line = draw_edge(columns, UNICODE, left=text(left), right=ending, bottom=bottom)

    assert width(line) == columns
    assert right in "".join(fragment[1] for fragment in line)
