"""SECURITY.md: every promise in it has a test, and every kind of people has promises."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
WHO = (
    "stranger", "player", "opponent", "spectator", "operator", "somebody on the line",
    "somebody with the disk",
)  # fmt: skip
TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
COLUMNS = ["who", "may", "may not", "what stops it", "shown by"]


def read_rows() -> list[list[str]]:
    """Return the cells of the table, row by row."""
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    lines = [line for line in text.splitlines() if line.startswith("|")]
    header, _rule, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert header == COLUMNS
    return rows


def list_tests(path: str) -> set[str]:
    """Return the names of the tests that a file has."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in tree.body if isinstance(node, functions)}


def test_no_promise_is_without_a_test_that_exists():
    for row in read_rows():
        assert len(row) == len(COLUMNS), row
        assert all(row), row
        found = TEST.findall(row[-1])
        assert found, row
        assert TEST.sub("", row[-1]).strip(", ") == "", row
        for path, name in found:
            assert name in list_tests(path), f"{path} has no {name}"


def test_everybody_of_the_threat_model_has_rows_in_order():
    assert tuple(dict.fromkeys(who for who, *_ in read_rows())) == WHO


def test_no_promise_is_made_twice():
    promises = [tuple(row[:3]) for row in read_rows()]
    assert len(set(promises)) == len(promises)
