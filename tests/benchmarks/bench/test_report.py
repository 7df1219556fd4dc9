"""The table of `make bench`: spreads, ratios of the same run, and limits."""

from bench.__main__ import measure
from bench.processes import BASELINE, SERVER, Subject
from bench.report import list_cells, write_table
from bench.rows.row import Measure, Row, Run

OLD = Subject("../old", None)
MEASURES = {"cost": Measure("us", ratio=1.5), "wait": Measure("ms", most=10)}
COSTS = {BASELINE: [100, 200, 100], OLD: [400, 600, 400], SERVER: [120, 320, 140]}
COST = [
    "move: cost, us",
    *("100 (100..200)", "400 (400..600)", "140 (120..320)"),
    *("1.40 (1.20..1.60)", "0.35 (0.30..0.53)", "1.5 times"),
]
WAIT = ["move: wait, ms", "", "", "10.5 (9.00..12.0)", "", "", "10 ms, missed"]
TABLE = """\
| measure | cost |
| ------- | ---: |
| of few  | 1    |"""


async def test_runs_alternate_and_the_table_compares_figures_of_the_same_run():
    order = []
    runs = {subject: iter(costs) for subject, costs in COSTS.items()}
    waits = iter([9, 12, 10.5])

    async def run(subject, _quick):
        order.append(subject)
        wait = {"wait": next(waits)} if subject is SERVER else {}
        return Run({"cost": next(runs[subject]), **wait}, ["the driver was late"])

    row = Row("move", MEASURES, run)
    result = await measure(row, [*COSTS], 3, False)
    assert order == [*COSTS, *reversed(COSTS), *COSTS]
    head, *rows = list_cells([result], {"move": MEASURES})
    assert head[1:6] == ["baseline", "../old", "server", "server / baseline", "server / ../old"]
    assert rows == [COST, WAIT]
    assert result.warnings == [
        f"move: the driver was late ({subject.name})" for subject in (BASELINE, OLD, SERVER)
    ]
    assert len(result.commit) > 4
    assert "Python" in result.machine


def test_the_table_is_aligned_markdown():
    assert write_table([["measure", "cost"], ["of few", "1"]]) == TABLE
