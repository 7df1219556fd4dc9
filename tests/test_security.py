"""Each promise of SECURITY.md has a test with its mark, and each mark names a promise."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROMISES = re.findall(r"^\| `([\w-]+)` \|", (ROOT / "SECURITY.md").read_text("utf-8"), re.MULTILINE)


def list_marks() -> set[str]:
    """Return the names of the promises that tests are marked with."""
    found = set()
    texts = (path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    for text in (text for text in texts if "promise" in text):  # to parse all takes seconds
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for mark in node.decorator_list:
                    if isinstance(mark, ast.Call) and ast.unparse(mark.func).endswith("promise"):
                        found |= {ast.literal_eval(name) for name in mark.args}
    return found


def test_each_promise_has_a_test_and_each_mark_names_a_promise():
    assert len(PROMISES) > 60
    assert len(set(PROMISES)) == len(PROMISES)
    assert list_marks() == set(PROMISES)
