"""Run the tests that execute the lines that changed since the coverage map, fastest first.

    make near [ARGS="[--seconds N] [--list]"]

Changed test files run whole. Inserted lines count as the neighbouring lines of the same function;
lines that only an import executes choose the tests that execute or import the module. Any other
changed file chooses the test files that contain its name.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tools.coverage_map import (
    FOLDER,
    ROOT,
    CoverageMap,
    choosing,
    environment,
    git,
    make_map,
    write_tree,
)
from tools.recorder import PACKAGES

BUDGET = 20.0  # processor seconds of tests: the slowest beyond it are left out
ONE_PROCESS = 8.0  # processor seconds beyond which workers save time
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


class Function(NamedTuple):
    """A function's dotted name and its lines, decorators included."""

    name: str
    first: int
    last: int


def find_functions(source: str) -> list[Function]:
    """Return the functions of a source, outer before inner."""
    found: list[Function] = []

    def visit(node: ast.AST, name: str) -> None:
        for child in ast.iter_child_nodes(node):
            below = f"{name}.{child.name}" if hasattr(child, "name") and child.name else name
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([child.lineno, *(one.lineno for one in child.decorator_list)])
                found.append(Function(below, first, child.end_lineno or first))
            visit(child, below)

    visit(ast.parse(source), "")
    return found


def innermost(functions: list[Function], line: int) -> Function | None:
    """Return the function that a line belongs to, if any."""
    around = [one for one in functions if one.first <= line <= one.last]
    return around[-1] if around else None


def choose_by_lines(by_line: dict[int, set[str]], old: str, new: str, diff: str) -> set[str] | None:
    """Return the tests that execute the lines of a diff; None if only an import executes some.

    `by_line` has the tests of the old lines. Where no test executes a changed line, such as that of
    a default value, all tests of its function are taken.
    """
    before, after = find_functions(old), find_functions(new)
    lines: set[int] = set()
    imported = False
    for hunk in _HUNK.findall(diff):
        start, removed, place, _added = (int(number or 1) for number in hunk)
        if removed and hunk[1] != "0":
            touched = list(range(start, start + removed))
        else:
            here = innermost(after, place)
            imported |= here is None
            touched = [
                line
                for line in (start, start + 1)
                if here and (beside := innermost(before, line)) and beside.name == here.name
            ]
        for line in touched:
            around = innermost(before, line)
            if by_line.get(line) or around is None:
                lines.add(line)
                imported |= around is None and not by_line.get(line)
            else:
                lines.update(range(around.first, around.last + 1))
    return None if imported else set().union(*(by_line.get(line, set()) for line in lines))


class Choice:
    """Chooses the tests that changed files need: whole files, and single tests of other files."""

    def __init__(self, root: Path, known: CoverageMap) -> None:
        self.files: set[str] = set()
        self.tests: set[str] = set()
        self.unknown: list[str] = []
        self._root = root
        self._known = known
        self._texts = {
            path.relative_to(root).as_posix(): path.read_text("utf-8")
            for path in sorted((root / "tests").rglob("*.py"))
        }

    def add(self, file: str, tree: str) -> None:
        """Choose the tests of a file that differs from the mapped tree in this tree."""
        path = Path(file)
        chosen: set[str] = set()
        if is_test_file(file):
            self.files |= {file} & self._texts.keys()
            return
        if path.name == "conftest.py":
            chosen = {name for name in self._texts if Path(name).is_relative_to(path.parent)}
        elif file.startswith(PACKAGES) and path.suffix == ".py":
            if not self._add_lines(file, tree):
                return
            chosen = self._find_importers(file)
        elif path.suffix == ".py":
            chosen = self._find_importers(file)
        else:
            for part in (path.name, path.parent.name):
                chosen = chosen or {name for name, text in self._texts.items() if part in text}
        if not self._add_test_files(chosen):
            self.unknown.append(file)

    def _add_lines(self, file: str, tree: str) -> bool:
        """Add the tests of the changed lines; return whether only an import executes one."""
        diff = git(self._root, "diff", "--unified=0", self._known.tree, tree, "--", file)
        old, new = (
            git(self._root, "show", f"{one}:{file}") if self._has(one, file) else ""
            for one in (self._known.tree, tree)
        )
        if same_program(old, new):
            return False
        by_line = self._known.tests_by_line(file)
        tests = choose_by_lines(by_line, old, new, diff)
        if tests is None:
            self.tests |= set().union(*by_line.values())
            return True
        self.tests |= tests
        return False

    def _has(self, tree: str, file: str) -> bool:
        return bool(git(self._root, "ls-tree", "--name-only", tree, "--", file))

    def _find_importers(self, file: str) -> set[str]:
        """Return the files under tests that import a module, by its text."""
        parts = Path(file).with_suffix("").parts
        roots = PACKAGES if file.startswith(PACKAGES) else ("tests/", "benchmarks/", "examples/")
        depth = 1 if file.startswith((*PACKAGES, *roots)) else 0
        *package, name = [part for part in parts[depth:] if part != "__init__"] or [parts[0]]
        dotted = re.escape(".".join([*package, name]))
        imported = rf"^\s*(?:from|import) {dotted}\b"
        if package:
            imported += rf"|^\s*from {re.escape('.'.join(package))} import (?:\([^)]*|.*)\b{name}\b"
        pattern = re.compile(imported, re.MULTILINE)
        return {test for test, text in self._texts.items() if pattern.search(text)}

    def _add_test_files(self, chosen: set[str]) -> bool:
        """Add all tests of the files and of importers of helper modules; return False if none."""
        seen: set[str] = set()
        while waiting := chosen - seen:
            file = waiting.pop()
            seen.add(file)
            if not is_test_file(file):
                chosen = chosen | self._find_importers(file)
        files = {file for file in chosen if is_test_file(file)}
        self.tests |= {test for test in self._known.seconds if test.partition("::")[0] in files}
        return bool(files)


def is_test_file(file: str) -> bool:
    """Return whether pytest finds tests in a file."""
    return file.startswith("tests/") and Path(file).match("test_*.py")


def same_program(old: str, new: str) -> bool:
    """Return whether two sources differ at most in comments and layout."""
    return ast.dump(ast.parse(old)) == ast.dump(ast.parse(new))


def find_map(root: Path) -> CoverageMap:
    """Return the map of the checkout; make it first if it is missing or git lost its tree."""
    folder = root / FOLDER
    if (folder / "about.json").exists():
        known = CoverageMap(folder)
        kept = ["git", "cat-file", "-e", known.tree]
        if subprocess.run(kept, cwd=root, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return known
    print("There is no coverage map yet: making it, about four minutes ...", file=sys.stderr)
    make_map(root, folder, write_tree(root), [])
    return CoverageMap(folder)


def choose(root: Path, known: CoverageMap) -> Choice:
    """Return the tests for all differences between the mapped tree and the files of today."""
    tree = write_tree(root)
    choice = Choice(root, known)
    for file in git(root, "diff", "--name-only", "-z", known.tree, tree).split("\0"):
        if file:
            choice.add(file, tree)
    choice.tests = {
        test
        for test in choice.tests
        if (root / (file := test.partition("::")[0])).exists() and file not in choice.files
    }
    return choice


def main() -> int:
    """Run the chosen tests; returns pytest's status, or 0 without tests."""
    parser = argparse.ArgumentParser(prog="near", description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=BUDGET, help=f"budget: {BUDGET:.0f}")
    parser.add_argument("--list", action="store_true", help="print the tests, and run none")
    options = parser.parse_args()
    known = find_map(ROOT)
    choice = choose(ROOT, known)
    chosen, spent, left = sorted(choice.files), 0.0, 0
    for test in sorted(choice.tests, key=lambda test: (known.seconds[test], test)):
        if spent + known.seconds[test] > options.seconds:
            left += 1
        else:
            chosen.append(test)
            spent += known.seconds[test]
    if known.paths:
        print(f"The map only has the tests of {' '.join(known.paths)}.")
    for file in choice.unknown:
        print(f"No test is known for {file}.")
    print(
        f"{len(chosen) - len(choice.files)} tests of {spent:.1f} processor seconds, after "
        f"{len(choice.files)} changed test files; {left} slower tests are left out."
    )
    if options.list or not chosen:
        print(*chosen, sep="\n")
        return 0
    with tempfile.TemporaryDirectory() as lists:
        workers = "auto" if spent > ONE_PROCESS else "0"
        usual = ["-m", "not trees", "--numprocesses", workers, "--dist", "worksteal"]
        _, command = choosing(Path(lists), chosen, *usual)
        return subprocess.call(command, cwd=ROOT, env=environment(ROOT))


if __name__ == "__main__":
    sys.exit(main())
