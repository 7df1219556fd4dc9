# mypy: allow-untyped-defs, allow-untyped-calls
import subprocess

import pytest

from tools.coverage_map import CoverageMap, is_current, make_map, write_tree
from tools.mutants import Copies, Outcome, draw, list_modules, try_faults
from tools.near import choose

MODULE = "protocol/mastermind_protocol/sizes.py"
SOURCE = """\
def larger(one, other):
    return one if one > other else other


def half(number):
    return number // 2
"""
TESTS = """\
from mastermind_protocol.sizes import half, larger


def test_larger():
    assert (larger(1, 2), larger(2, 1)) == (2, 2)


def test_half():
    assert half(4) == 2
"""


@pytest.fixture
def project(tmp_path):
    """A project of two functions, each with its test, in a repository of its own."""
    root = tmp_path / "project"
    for name, text in (
        (MODULE, SOURCE),
        ("protocol/mastermind_protocol/__init__.py", ""),
        ("tests/test_sizes.py", TESTS),
        ("pyproject.toml", '[tool.pytest.ini_options]\nmarkers = ["trees: none"]\n'),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subprocess.run(["git", "init", "--quiet", root], check=True)
    return root


def test_a_changed_line_chooses_its_tests_and_a_fault_is_found_by_them(project, tmp_path):
    made = tmp_path / "map"
    make_map(project, made, write_tree(project), ["tests/test_sizes.py"])
    known = CoverageMap(made)
    larger, half = (f"tests/test_sizes.py::test_{name}" for name in ("larger", "half"))
    assert known.tests_by_line(MODULE) == {2: {larger}, 6: {half}}
    assert not is_current(made, project)  # it is a part, and not to be taken for all tests

    faults = draw(project, list_modules(project, []), seed=0, count=60)
    tried = [fault for fault in faults if ">" in fault.new]
    outcomes = try_faults(Copies(project, tmp_path / "copies"), known, tried, [])
    assert len(faults) == 5
    assert {fault.new: outcome for fault, outcome in outcomes.items()} == {
        "(other if one > other else one)": Outcome.FOUND,
        "(one >= other)": Outcome.SURVIVES,
    }
    assert (project / MODULE).read_text() == SOURCE

    (project / MODULE).write_text(SOURCE.replace("number // 2", "number >> 1"))
    assert choose(project, known).tests == {half}
    (project / MODULE).write_text(f"LIMIT = 5\n{SOURCE}")
    assert choose(project, known).tests == {half, larger}
    (project / MODULE).write_text(f"# Two functions.\n{SOURCE}")
    assert choose(project, known).tests == set()
