from prompt_toolkit.output import ColorDepth

from client.screen.looks import LOOK as PLAIN
from client.screen.looks import show
from mastermind_client.figures import Record
from mastermind_client.screen.chart import draw_chart
from mastermind_client.screen.theme import Look
from mastermind_client.screen.theme.look import UNICODE
from mastermind_client.screen.toolkit.lines import width

LOOK = Look(UNICODE, "default", ColorDepth.DEPTH_24_BIT)


def test_games_without_a_broken_code_have_the_last_bar():
    chart = show(draw_chart(Record().add([5, 0, 0]), 23, LOOK, marked=0))
    assert chart == ["  5 ▆▆▆▆▆▆▆▆ 1", "► - ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆ 2"]


def test_grouped_bars_are_marked_and_fit():
    record = Record().add(range(1, 30)).add([1000] * 900)
    chart = draw_chart(record, 20, LOOK, marked=29, most=3)
    assert len(chart) == 3
    assert [line for line in show(chart) if line.startswith("►")]
    assert max(map(width, chart)) <= 20


def test_the_chart_has_an_ascii_form():
    assert show(draw_chart(Record().add([4]), 10, PLAIN, marked=4)) == ["> 4 ## 1"]


def test_an_empty_record_has_no_bars():
    assert draw_chart(Record(), 23, LOOK) == []
