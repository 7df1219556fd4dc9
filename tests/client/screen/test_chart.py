from prompt_toolkit.output import ColorDepth

from client.screen.looks import LOOK as PLAIN
from client.screen.looks import show
from mastermind_client.screen.chart import draw_chart
from mastermind_client.screen.kit.lines import width
from mastermind_client.screen.look import Look
from mastermind_client.screen.look.glyphs import UNICODE
from mastermind_client.statistics import Record

LOOK = Look(UNICODE, "default", ColorDepth.DEPTH_24_BIT)
RECORD = Record().add([3, *[4] * 5, *[5] * 9, *[6] * 5, *[7] * 3, 8])


def test_the_longest_bar_leaves_room_for_its_number_and_this_game_is_marked():
    chart = draw_chart(RECORD, 23, LOOK, marked=4)
    assert show(chart) == [
        "  3 ▆▆ 1",
        "► 4 ▆▆▆▆▆▆▆▆ 5",
        "  5 ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆ 9",
        "  6 ▆▆▆▆▆▆▆▆ 5",
        "  7 ▆▆▆▆▆ 3",
        "  8 ▆▆ 1",
    ]
    styles = [line[0][0] for line in chart]
    assert styles == ["class:dim", "class:strong", *["class:dim"] * 4]


def test_a_game_whose_code_stood_has_the_last_bar():
    chart = show(draw_chart(Record().add([5, 0, 0]), 23, LOOK, marked=0))
    assert chart == ["  5 ▆▆▆▆▆▆▆▆ 1", "► - ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆ 2"]


def test_bars_of_several_lengths_are_marked_too_and_stay_within_their_columns():
    record = Record().add(range(1, 30)).add([1000] * 900)
    chart = draw_chart(record, 20, LOOK, marked=29, most=3)
    assert len(chart) == 3
    assert [line for line in show(chart) if line.startswith("►")]
    assert max(map(width, chart)) <= 20


def test_in_ascii_bars_are_drawn_by_other_signs():
    assert show(draw_chart(Record().add([4]), 10, PLAIN, marked=4)) == ["> 4 ## 1"]


def test_who_has_not_played_has_no_bars():
    assert draw_chart(Record(), 23, LOOK) == []
