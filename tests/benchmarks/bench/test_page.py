from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from bench import page
from bench.machine import Circumstances, Machine
from bench.page import Record
from bench.processes import ROOM, SERVER
from bench.report import summarise
from bench.rows import ROWS
from bench.rows.row import Measure, Plot
from peers.__main__ import NAMES

if TYPE_CHECKING:
    from pathlib import Path

MACHINE = Machine("Some CPU", 2, "Linux 6", "3.11.7", "3.45", {"websockets": "17.4"}, 0.002)
RECORD = Record(
    row="move",
    circumstances=Circumstances(MACHINE, "abc1234", "2026-11-22 14:00"),
    runs=2,
    lines=tuple(
        summarise(
            "move",
            [Measure("few", "us", ratio=1.5), Measure("many", "us", ratio=1.2, beside="few")],
            {
                (ROOM.name, "few"): [100, 200],
                (SERVER.name, "few"): [120, 320],
                (SERVER.name, "many"): [150, 400],
            },
        )
    ),
    notes=("the driver was late",),
)
PAGE = """# A page
<!-- bench: move -->
old
<!-- end -->
words
<!-- bench: other -->
<!-- end -->
"""


def test_a_table_is_written_between_its_marks_and_nothing_else_is_changed() -> None:
    written = page.write(PAGE, [RECORD])
    assert written.startswith("# A page\n<!-- bench: move -->\n|  | bare | server | ratio |")
    assert "| few, us | 150 (100..200) | 220 (120..320) | **1.40** (1.20..1.60) |" in written
    assert "old" not in written
    assert "the driver was late." in written
    assert "at commit abc1234. 2 cores of Some CPU" in written.replace("\n", " ")
    assert written.endswith("<!-- end -->\nwords\n<!-- bench: other -->\n<!-- end -->\n")
    assert page.write(written, [RECORD]) == written


def test_a_row_without_a_place_on_the_page_is_refused() -> None:
    with pytest.raises(ValueError, match="no place for move"):
        page.write("# A page\n", [RECORD])


def test_a_record_is_read_as_it_was_kept(tmp_path: Path) -> None:
    page.keep(RECORD, tmp_path / "performance")
    assert page.find("move", tmp_path / "performance") == RECORD


def test_a_plot_of_a_record_has_a_line_for_each_that_was_measured() -> None:
    plot = Plot("file", "Cost", "matches", [(1, "few"), (10, "many")])
    root = ElementTree.fromstring(page.draw_plot(plot, RECORD))  # noqa: S314 - our own
    names = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert names[-2:] == [ROOM.name, SERVER.name]


def test_the_page_has_a_place_for_every_row_and_shows_every_plot() -> None:
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.list_rows(text) == [*ROWS, *NAMES.values()]
    for row in ROWS.values():
        for plot in row.plots:
            assert f"(performance/{plot.file}.svg)" in text


@pytest.mark.parametrize("row", ROWS)
def test_each_table_of_the_page_is_of_the_runs_beside_it(row: str) -> None:
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.write(text, [page.find(row)]) == text
    for plot in ROWS[row].plots:
        drawn = (page.FOLDER / f"{plot.file}.svg").read_text(encoding="utf-8")
        assert drawn == page.draw_plot(plot, page.find(row))
        ElementTree.fromstring(drawn)  # noqa: S314 - our own


@pytest.mark.parametrize("row", ROWS)
def test_measures_and_plots_name_each_other(row: str) -> None:
    names = [measure.name for measure in ROWS[row].measures]
    assert len(set(names)) == len(names)
    assert {measure.beside for measure in ROWS[row].measures} <= {None, *names}
    assert {name for plot in ROWS[row].plots for _, name in plot.points} <= set(names)
