"""Whether the tests bite: plant faults, one at a time, and name those that no test finds.

    python benchmarks/mutants.py [SEED [FILE...]]    such as 7 writer.py session.py

Each fault is a small change of one place of the source: a comparison, a number, a condition turned
round, a value that is not returned, a call left out. Which places, is drawn from the seed, so that
a run can be repeated and another seed tries others. A survivor shows a test that is missing, or
code that need not be there. All happens in copies: the checkout is never touched.
"""

from __future__ import annotations

import ast
import contextlib
import itertools
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
FAULTS_PER_FILE = 20
MINUTES = 9.0  # after which no more faults are planted
PATIENCE = 30.0  # seconds for the tests of one file: a fault that hangs them is found, and named
CORE, SERVER, CLIENT = (
    "protocol/mastermind_protocol",
    "server/mastermind_server",
    "client/mastermind_client",
)
TESTS = {
    f"{CORE}/chat.py": "tests/protocol/test_chat.py",
    f"{CORE}/code.py": "tests/protocol/test_code.py",
    f"{CORE}/codec.py": "tests/protocol/test_codec.py",
    f"{CORE}/commands.py": "tests/protocol/test_match*.py",
    f"{CORE}/commitment.py": "tests/protocol/test_commitment.py",
    f"{CORE}/feedback.py": "tests/protocol/test_feedback.py",
    f"{CORE}/match.py": "tests/protocol/test_match*.py",
    f"{CORE}/rules.py": "tests/protocol/test_rules.py",
    f"{CORE}/text.py": "tests/protocol/test_text.py",
    f"{SERVER}/network/pace.py": "tests/server/network/test_pace.py",
    f"{SERVER}/matches/tables/views.py": "tests/server/matches/tables/test_views.py",
    f"{SERVER}/storage/store.py": "tests/server/storage/test_store.py "
    "tests/server/storage/test_records.py tests/server/matches/tables/test_chat.py "
    "tests/server/network/test_identity.py tests/server/matches/lobby/test_lobby.py",
    f"{SERVER}/storage/records.py": "tests/server/storage/test_records.py",
    f"{SERVER}/storage/writer.py": "tests/server/storage/test_writer.py "
    "tests/server/storage/statements/test_inserts.py",
    f"{SERVER}/storage/connection_thread.py": "tests/server/storage/test_writer.py "
    "tests/server/storage/test_reader.py",
    f"{SERVER}/storage/reader.py": "tests/server/storage/test_reader.py",
    f"{SERVER}/storage/statements/inserts.py": "tests/server/storage/statements/test_inserts.py "
    "tests/server/storage/test_store.py tests/server/storage/test_records.py",
    f"{SERVER}/storage/statements/queries.py": "tests/server/storage/statements/test_queries.py "
    "tests/server/storage/test_store.py tests/server/storage/test_records.py "
    "tests/server/storage/test_running.py",
    f"{CLIENT}/session.py": "tests/client/test_session*.py",
}
_OTHERS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


class Fault(NamedTuple):
    """A piece of a file, by the bytes where it begins and ends, and what is there in its place."""

    file: str
    line: int
    start: int
    end: int
    new: str

    def plant(self, source: bytes) -> bytes:
        """Return the file with the fault in it."""
        return source[: self.start] + self.new.encode() + source[self.end :]

    def tell(self, source: bytes) -> str:
        """Say what is where."""
        old = " ".join(source[self.start : self.end].decode().split())
        return f"{self.file}:{self.line}: {old}  ->  {self.new}"


def change(node: ast.AST) -> Iterator[str]:
    """Give what could stand in the place of a piece of the program."""
    match node:
        case ast.Compare(left=left, ops=[one], comparators=[right]) if type(one) in _OTHERS:
            yield f"({ast.unparse(ast.Compare(left, [_OTHERS[type(one)]()], [right]))})"
        case ast.BoolOp(op=ast.And(), values=values):
            yield f"({ast.unparse(ast.BoolOp(ast.Or(), values))})"
        case ast.BoolOp(op=ast.Or(), values=values):
            yield f"({ast.unparse(ast.BoolOp(ast.And(), values))})"
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield f"({ast.unparse(ast.BinOp(left, ast.Sub(), right))})"
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            yield f"({ast.unparse(ast.BinOp(left, ast.Add(), right))})"
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
            pass  # a type checker's, and not a test's
        case ast.Expr(value=ast.Call() | ast.Await()):
            yield "pass"


def find_faults(file: str) -> list[Fault]:
    """Return all that could be planted into the functions of a file."""
    source = (ROOT / file).read_bytes()
    starts = list(itertools.accumulate((len(line) for line in source.splitlines(True)), initial=0))
    found: dict[tuple[int, int, str], Fault] = {}
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for node in itertools.chain.from_iterable(map(ast.walk, function.body)):
            if isinstance(node, ast.expr | ast.stmt) and node.end_lineno is not None:
                start = starts[node.lineno - 1] + node.col_offset
                end = starts[node.end_lineno - 1] + (node.end_col_offset or 0)
                for new in change(node):
                    found[start, end, new] = Fault(file, node.lineno, start, end, new)
    return sorted(found.values())


def copy_tree(folder: Path) -> Path:
    """Copy what git has of the project."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


class Outcome(Enum):
    """What the tests make of a fault."""

    FOUND = "found"
    HANGS = "found by hanging"
    SURVIVES = "survives"
    NOT_TRIED = "not tried"


def test(folder: Path, file: str) -> Outcome:
    """Run the tests of a file in a copy."""
    tests = [
        str(path.relative_to(folder))
        for pattern in TESTS[file].split()
        for path in sorted(folder.glob(pattern))
    ]
    command = [sys.executable, "-m", "pytest", "-qx", "--hypothesis-seed=0", "--tb=no", *tests]
    try:
        done = subprocess.run(
            command, cwd=folder, timeout=PATIENCE, capture_output=True, check=False
        )
    except subprocess.TimeoutExpired:
        return Outcome.HANGS
    return Outcome.FOUND if done.returncode else Outcome.SURVIVES


class Trial:
    """Copies of the tree, one a core, in which faults are tried at the same time."""

    def __init__(self, folder: Path, copies: int) -> None:
        self._deadline = time.monotonic() + 60 * MINUTES
        self._dates = itertools.count(1_000_000_000)  # another for each change: bytecode goes by it
        self._free: queue.Queue[Path] = queue.Queue()
        for number in range(copies):
            self._free.put(copy_tree(folder / f"{number}"))

    def check(self, file: str) -> bool:
        """Tell whether the tests of a file pass as it is."""
        with self._copy() as folder:
            return test(folder, file) is Outcome.SURVIVES

    def plant(self, fault: Fault) -> Outcome:
        """Try a fault, if there is time left."""
        with self._copy() as folder:
            if time.monotonic() > self._deadline:
                return Outcome.NOT_TRIED
            path = folder / fault.file
            source = path.read_bytes()
            self._write(path, fault.plant(source))
            try:
                return test(folder, fault.file)
            finally:
                self._write(path, source)

    def _write(self, path: Path, source: bytes) -> None:
        path.write_bytes(source)
        date = next(self._dates)
        os.utime(path, (date, date))

    @contextlib.contextmanager
    def _copy(self) -> Iterator[Path]:
        folder = self._free.get()
        try:
            yield folder
        finally:
            self._free.put(folder)


def main(seed: int, *names: str) -> int:
    """Try the faults that are drawn, in all files or in those named; returns 1 if some survive."""
    files = [file for file in TESTS if not names or Path(file).name in names]
    chance = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
    drawn: list[Fault] = []
    for file in files:
        faults = find_faults(file)
        drawn += sorted(chance.sample(faults, min(FAULTS_PER_FILE, len(faults))))
    cores = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(cores) as workers:
        trial = Trial(Path(folder), cores)
        for file, sound in zip(files, workers.map(trial.check, files), strict=True):
            if not sound:
                print(
                    f"{file}: its tests fail, or take more than {PATIENCE:.0f} s, without a fault"
                )
                return 2
        chance.shuffle(drawn)
        outcomes = list(zip(drawn, workers.map(trial.plant, drawn), strict=True))
    for fault, outcome in sorted(outcomes, key=lambda pair: pair[0]):
        if outcome in (Outcome.SURVIVES, Outcome.HANGS):
            print(f"{outcome.value}: {fault.tell((ROOT / fault.file).read_bytes())}")
    counts = Counter(outcome for _, outcome in outcomes)
    print(
        f"of {len(drawn)} faults", *(f"{counts[kind]} {kind.value}" for kind in Outcome), sep=", "
    )
    return int(counts[Outcome.SURVIVES] > 0)


if __name__ == "__main__":
    sys.exit(main(int((sys.argv[1:2] or ["0"])[0]), *sys.argv[2:]))
