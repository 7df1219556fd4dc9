from __future__ import annotations

from bench.figures import Spread
from bench.processes import ROOM, SERVER
from bench.report import Runs, lay_out, summarise, tabulate, write_figure
from bench.rows.row import Measure

COST = Measure("cost", "us", ratio=1.5)
WAIT = Measure("wait", "ms", most=10)
GROWN = Measure("cost later", "us", ratio=1.2, beside="cost")
RUNS: Runs = {
    (ROOM.name, "cost"): [100, 200],
    ("old", "cost"): [400, 600],
    (SERVER.name, "cost"): [120, 320],
    (SERVER.name, "wait"): [9, 12],
    (SERVER.name, "cost later"): [132, 480],
}


def test_a_line_has_the_ratio_to_what_is_bare_in_the_same_run() -> None:
    bare, old, server = summarise("move", [COST], RUNS)
    assert (bare.subject, bare.ratio) == (ROOM.name, None)
    assert old.ratio == Spread(3.5, 3, 4)
    assert server.ratio == Spread(1.4, 1.2, 1.6)


def test_a_measure_may_have_another_of_the_same_server_as_its_reference() -> None:
    (line,) = summarise("growth", [GROWN], RUNS)
    assert line.ratio is not None
    assert (line.ratio.least, line.ratio.most) == (1.1, 1.5)


def test_only_this_trees_server_has_targets_and_the_median_keeps_them_or_not() -> None:
    kept = {
        (line.measure, line.subject): line.kept
        for line in summarise("move", [COST, WAIT, GROWN], RUNS)
    }
    assert kept == {
        ("cost", ROOM.name): None,
        ("cost", "old"): None,
        ("cost", SERVER.name): True,
        ("wait", SERVER.name): False,
        ("cost later", SERVER.name): False,
    }


def test_the_table_has_a_row_for_each_line_and_says_what_was_missed() -> None:
    head, *rows = tabulate(summarise("move", [COST, WAIT], RUNS))
    assert len(rows) == 4
    assert {len(row) for row in rows} == {len(head)}
    assert rows[-1][-2:] == ("10.0 ms", "MISSED")
    assert len(lay_out([head, *rows]).splitlines()) == 5


def test_figures_have_three_digits_that_count() -> None:
    assert [write_figure(value) for value in (0.1234, 5.678, 56.78, 567.8, 56780)] == [
        *("0.12", "5.68", "56.8", "568", "56,780")
    ]
