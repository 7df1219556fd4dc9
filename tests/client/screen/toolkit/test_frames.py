from hypothesis import given
from hypothesis import strategies as st

from kit.strategies import brief
from mastermind_client.screen.theme.look import UNICODE
from mastermind_client.screen.toolkit.frames import draw_edge
from mastermind_client.screen.toolkit.lines import text, width


@given(st.text("ab ", max_size=30), st.text("cd ", max_size=12), st.integers(20, 60), st.booleans())
@brief
def test_an_edge_keeps_the_width_of_its_frame(left, right, columns, bottom):
    ending = text(right) if right else ()
    line = draw_edge(columns, UNICODE, left=text(left), right=ending, bottom=bottom)
    assert width(line) == columns
    assert right in "".join(fragment[1] for fragment in line)
