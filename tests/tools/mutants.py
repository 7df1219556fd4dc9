"""Plant faults in copies of the tree, one at a time, and print the survivors.

    make mutants [ARGS="[--seed N] [--faults N] [--source PATH ...] [--tests PATH ...]"]

Each fault changes one place of a function: a comparison, a number, a condition turned round, a
value that is not returned, a call left out. The seed decides which: first a module, then a place.
The same seed draws the same faults wherever the sources are the same. Only the tests that execute
the place run, the fastest first. A survivor shows a missing test, or code that is not needed.
The checkout itself is never changed.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import itertools
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tools.coverage_map import (
    FOLDER,
    ROOT,
    CoverageMap,
    choosing,
    environment,
    git,
    is_current,
    list_files,
    make_map,
    write_tree,
)
from tools.recorder import PACKAGES

if TYPE_CHECKING:
    from collections.abc import Iterator

FAULTS = 60  # by default: ten minutes on two cores
COPIES = 2
TEST_SECONDS = 20.0  # processor time for each fault: slower tests beyond it are left out
START_SECONDS = 60.0  # until pytest has started, on a busy machine
SLOWNESS = 5.0  # times the processor seconds: a run that takes longer hangs
_PAIRS: list[tuple[type, type]] = [
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot)),
    *((ast.In, ast.NotIn), (ast.And, ast.Or), (ast.Add, ast.Sub)),
]
_OTHERS: dict[type, Any] = {**dict(_PAIRS), **{other: one for one, other in _PAIRS}}


class Fault(NamedTuple):
    """A piece of a file, by its bytes, and the text that replaces it."""

    file: str
    start: int
    end: int
    new: str
    spans: tuple[range, ...]
    """The piece's own lines, those of its statement, and those of its function."""

    def plant(self, source: bytes) -> bytes:
        """Return the source of the file with the fault."""
        return source[: self.start] + self.new.encode() + source[self.end :]

    def describe(self, root: Path) -> str:
        """Return the place, the old text and the new text."""
        old = " ".join((root / self.file).read_bytes()[self.start : self.end].decode().split())
        return f"{self.file}:{self.spans[0].start}: {old}  ->  {self.new}"


def change(node: ast.AST) -> Iterator[str]:
    """Yield the texts that can replace a node of the program."""
    match node:
        case ast.Compare(left=left, ops=[one], comparators=right) if type(one) in _OTHERS:
            yield f"({ast.unparse(ast.Compare(left, [_OTHERS[type(one)]()], right))})"
        case ast.BoolOp(op=one, values=values):
            yield f"({ast.unparse(ast.BoolOp(_OTHERS[type(one)](), values))})"
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as one, right=right):
            yield f"({ast.unparse(ast.BinOp(left, _OTHERS[type(one)](), right))})"
        case ast.Constant(value=bool(value)):
            yield repr(not value)
        case ast.Constant(value=int(number)):
            yield str(number + 1)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield f"({ast.unparse(operand)})"
        case ast.IfExp(test=test, body=body, orelse=other):
            yield f"({ast.unparse(ast.IfExp(test, other, body))})"
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield "return None"
        case ast.Expr(value=ast.Call(func=ast.Name(id="assert_never"))):
            pass  # for the type checker; no test can reach it
        case ast.Expr(value=ast.Call() | ast.Await()):
            yield "pass"


def find_faults(root: Path, file: str) -> list[Fault]:
    """Return all faults that can be planted into the functions of a file."""
    source = (root / file).read_bytes()
    starts = list(itertools.accumulate((len(line) for line in source.splitlines(True)), initial=0))
    found: dict[tuple[int, int, str], Fault] = {}

    def visit(node: ast.AST, statement: range, function: range | None) -> None:
        inner = function
        if isinstance(node, ast.expr | ast.stmt):
            last = node.end_lineno or node.lineno
            own = range(node.lineno, last + 1)
            if isinstance(node, ast.stmt):
                body = getattr(node, "body", None)
                statement = range(own.start, max(own.start + 1, body[0].lineno)) if body else own
            if function is not None:
                start = starts[node.lineno - 1] + node.col_offset
                end = starts[last - 1] + (node.end_col_offset or 0)
                for new in change(node):
                    spans = (own, statement, function)
                    found[start, end, new] = Fault(file, start, end, new, spans)
        for name, value in ast.iter_fields(node):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                inner = range(node.body[0].lineno, own.stop) if name == "body" else None
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    visit(child, statement, inner)

    visit(ast.parse(source), range(0), None)
    return [found[key] for key in sorted(found)]


def list_modules(root: Path, sources: list[str]) -> list[str]:
    """Return the modules under the given paths, or all modules."""
    wanted = [source.strip("/") for source in sources] or list(PACKAGES)
    return [
        file
        for file in list_files(root)
        if file.endswith(".py")
        and file.startswith(PACKAGES)
        and any(file == path or file.startswith(f"{path}/") for path in wanted)
    ]


def draw(root: Path, modules: list[str], seed: int, count: int) -> list[Fault]:
    """Return the drawn faults: one of each module in turn, until there are enough."""

    def rank(*of: object) -> bytes:
        return hashlib.sha256(repr((seed, *of)).encode()).digest()

    def ranked(file: str) -> Iterator[Fault]:
        faults = find_faults(root, file)
        for fault in sorted(faults, key=lambda one: rank(file, one.start, one.end, one.new)):
            try:
                ast.parse(fault.plant((root / file).read_bytes()))
            except SyntaxError:
                continue
            yield fault

    turns = [ranked(file) for file in sorted(modules, key=rank)]
    rounds = itertools.zip_longest(*turns)
    drawn = (fault for one in rounds for fault in one if fault is not None)
    return list(itertools.islice(drawn, count))


def choose_tests(known: CoverageMap, fault: Fault, paths: list[str]) -> list[str]:
    """Return the tests that execute a fault, fastest first, up to TEST_SECONDS.

    Where no test is seen to execute any line of the function, which runs at import or in another
    process, these are the tests that execute any line of the module.
    """
    by_line = {
        line: {test for test in tests if is_under(test, paths)}
        for line, tests in known.tests_by_line(fault.file).items()
    }
    own, statement, function = (
        set().union(*(tests for line, tests in by_line.items() if line in span))
        for span in fault.spans
    )
    tests = own or statement
    if not function:
        tests = set().union(*by_line.values())
    ordered = sorted(tests, key=lambda test: (known.seconds.get(test, 0.0), test))
    times = itertools.accumulate(known.seconds.get(test, 0.0) for test in ordered)
    within = [test for test, time in zip(ordered, times, strict=True) if time <= TEST_SECONDS]
    return within or ordered[:1]


def is_under(test: str, paths: list[str]) -> bool:
    """Return whether a test is in one of the files or folders, if any are given."""
    file = Path(test.partition("::")[0])
    return not paths or any(file.is_relative_to(path) for path in paths)


class Outcome(Enum):
    """How the tests judge a fault."""

    FOUND = "found"
    HANGS = "found by hanging"
    SURVIVES = "survives"
    NOT_EXECUTED = "survives: no test executes it"


class Copies:
    """Copies of the tree. Tests run in all copies at the same time."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._dates = itertools.count(
            1_000_000_000
        )  # a new one per change, or Python runs old bytecode
        self._free: queue.Queue[Path] = queue.Queue()
        files = list_files(root)
        for number in range(COPIES):
            for name in files:
                (folder / f"{number}" / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(root / name, folder / f"{number}" / name)
            for command in ("init", "--quiet"), ("add", "--all"):  # some tests ask git for files
                git(folder / f"{number}", *command)
            self._free.put(folder / f"{number}")
        self.any = folder / "0"

    def run(
        self, fault: Fault | None, tests: list[str], seconds: float
    ) -> tuple[Outcome, set[str]]:
        """Run tests, with a fault or as all is; return the outcome and the tests that failed."""
        folder = self._free.get()
        path = folder / fault.file if fault else None
        source = path.read_bytes() if path else b""
        try:
            if path and fault:
                self._write(path, fault.plant(source))
            return run_tests(folder, tests, seconds, exhaust=fault is None)
        finally:
            if path:
                self._write(path, source)
            self._free.put(folder)

    def _write(self, path: Path, source: bytes) -> None:
        path.write_bytes(source)
        date = next(self._dates)
        os.utime(path, (date, date))


def run_tests(
    folder: Path, tests: list[str], seconds: float, *, exhaust: bool
) -> tuple[Outcome, set[str]]:
    """Run tests, to the first failure or all; return the outcome and the tests that failed."""
    with tempfile.TemporaryDirectory() as lists:
        options = ["--tb=no", "-p", "no:xdist", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
        listed, command = choosing(Path(lists), tests, *options, *([] if exhaust else ["-x"]))
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            status = process.wait(START_SECONDS + SLOWNESS * seconds)
        except subprocess.TimeoutExpired:
            return Outcome.HANGS, set()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # with all processes that it left
            process.wait()
        failures = listed.with_suffix(".failed")
        failed = set(failures.read_text().splitlines()) if failures.exists() else set()
        return (Outcome.SURVIVES if status in (0, 5) else Outcome.FOUND), failed


def try_faults(
    copies: Copies, known: CoverageMap, faults: list[Fault], paths: list[str]
) -> dict[Fault, Outcome]:
    """Return the outcome of each fault. A test that also fails without a fault finds nothing."""
    outcomes: dict[Fault, Outcome] = {}
    unsound: set[str] = set()

    def attempt(fault: Fault) -> set[str]:
        tests = [test for test in choose_tests(known, fault, paths) if test not in unsound]
        seconds = sum(known.seconds.get(test, 0.0) for test in tests)
        outcomes[fault], failed = (
            copies.run(fault, tests, seconds) if tests else (Outcome.NOT_EXECUTED, set())
        )
        print(".", end="", file=sys.stderr, flush=True)
        return failed

    pending = faults
    while pending:
        with ThreadPoolExecutor(COPIES) as workers:
            failures = list(workers.map(attempt, pending))
        killers = sorted(set().union(*failures))
        seconds = sum(known.seconds.get(test, 0.0) for test in killers)
        _, wrong = copies.run(None, killers, seconds) if killers else (Outcome.SURVIVES, set())
        unsound |= wrong
        pending = [fault for fault, failed in zip(pending, failures, strict=True) if failed & wrong]
    print(file=sys.stderr)
    for test in sorted(unsound):
        print(f"fails without a fault, and is left out: {test}")
    return outcomes


def find_map(root: Path, copies: Copies, folder: Path, paths: list[str]) -> CoverageMap:
    """Return the map of the checkout as it is now; make a missing map in a copy."""
    whole = root / FOLDER
    if is_current(whole, root):
        return CoverageMap(whole)
    made = folder / "map" if paths else whole
    print(f"Making the map of {' '.join(paths) or 'all tests'} first ...", file=sys.stderr)
    make_map(copies.any, made, write_tree(root), paths)
    return CoverageMap(made)


def main() -> int:
    """Draw faults, try each and print the survivors; return 1 if a fault survives."""
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0, help="draw other faults")
    parser.add_argument("--faults", type=int, default=FAULTS, help=f"at most: {FAULTS}")
    parser.add_argument("--source", nargs="+", default=[], help="only faults in these paths")
    parser.add_argument("--tests", nargs="+", default=[], help="only the tests in these paths")
    parser.add_argument("--root", type=Path, default=ROOT, help="another checkout")
    parser.add_argument("--list", action="store_true", help="print the drawn faults, and try none")
    options = parser.parse_args()
    root: Path = options.root.resolve()
    modules = list_modules(root, options.source)
    faults = draw(root, modules, options.seed, options.faults)
    if options.list:
        print(*(fault.describe(root) for fault in faults), sep="\n")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        copies = Copies(root, Path(folder))
        known = find_map(root, copies, Path(folder), options.tests)
        outcomes = try_faults(copies, known, faults, options.tests)
    for fault in sorted(outcomes):
        if outcomes[fault] is not Outcome.FOUND:
            print(f"{outcomes[fault].value}: {fault.describe(root)}")
    counts = Counter(outcomes.values())
    print(
        f"seed {options.seed}: {len(faults)} faults in {len(modules)} modules",
        *(f"{counts[kind]} {kind.value}" for kind in Outcome),
        sep=", ",
    )
    return int(counts[Outcome.SURVIVES] + counts[Outcome.NOT_EXECUTED] > 0)


if __name__ == "__main__":
    sys.exit(main())
