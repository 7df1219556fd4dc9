"""A map of the tests: the tests that execute each source line, and the cost of each test.

    make coverage-map [ARGS="[--to FOLDER] [--workers N] [PATH...]"]

With paths only their tests are mapped, which takes little longer than these tests. The map lies in
`.coverage_map`: `lines` is a data file of coverage, with one context per test, and `about.json`
has the processor seconds of each test and the git tree that was mapped, with uncommitted changes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import coverage

from tools.recorder import PACKAGES

ROOT = Path(__file__).parents[2]
FOLDER = ".coverage_map"


class CoverageMap:
    """A map that was made before. Files have their names from the root of the project."""

    def __init__(self, folder: Path) -> None:
        about = json.loads((folder / "about.json").read_text("utf-8"))
        self.tree: str = about["tree"]
        self.paths: list[str] = about["paths"]
        self.seconds: dict[str, float] = about["seconds"]
        self._data = coverage.CoverageData(basename=str(folder / "lines"))
        self._data.read()

    def tests_by_line(self, file: str) -> dict[int, set[str]]:
        """Return the tests of each line of a source file that any test executes."""
        found = self._data.contexts_by_lineno(file)
        return {line: tests for line, names in found.items() if (tests := set(names) - {""})}


def git(root: Path, *command: str, index: Path | None = None) -> str:
    """Return the output of a git command, which may work on another index."""
    variables = {**os.environ, **({"GIT_INDEX_FILE": str(index)} if index else {})}
    done = subprocess.run(
        ["git", *command], cwd=root, env=variables, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


def list_files(root: Path) -> list[str]:
    """Return the files of the project, new ones included and ignored ones not."""
    listed = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return sorted({name for name in listed.split("\0") if name and (root / name).is_file()})


def write_tree(root: Path) -> str:
    """Return a git tree of the files as they are now; the checkout's own index stays as it is."""
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder) / "index"
        own = root / git(root, "rev-parse", "--git-path", "index").strip()
        if own.exists():
            shutil.copy(own, index)
        git(root, "add", "--all", index=index)
        return git(root, "write-tree", index=index).strip()


def is_current(folder: Path, root: Path) -> bool:
    """Return whether a map of all tests is there, and sources and tests are as they were mapped."""
    if not (folder / "about.json").exists():
        return False
    known = CoverageMap(folder)
    places = ("protocol", "server", "client", "tests", ":(exclude)tests/tools")
    compared = subprocess.run(
        ["git", "diff", "--quiet", known.tree, write_tree(root), "--", *places],
        cwd=root,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return compared.returncode == 0 and not known.paths


def environment(root: Path) -> dict[str, str]:
    """Return the variables by which commands and tests import the sources under the root."""
    folders = [root / package.partition("/")[0] for package in PACKAGES]
    path = os.pathsep.join(map(str, [*folders, Path(__file__).parent]))
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": ""}


def choosing(folder: Path, tests: list[str], *options: str) -> tuple[Path, list[str]]:
    """Return a list in a folder, and the command that runs its tests in their order."""
    listed = folder / "tests.txt"
    listed.write_text("\n".join(tests))
    files = dict.fromkeys(test.partition("::")[0] for test in tests)
    command = [sys.executable, "-m", "pytest", "--quiet", "--no-header", *options]
    return listed, [*command, "-p", "recorder", f"--chosen={listed}", *files]


def make_map(root: Path, folder: Path, tree: str, paths: list[str], workers: str = "") -> None:
    """Run the tests of the paths, or all, and write their map into the folder."""
    if not workers:
        workers = "0" if paths and all("." in Path(path).name for path in paths) else "auto"
    with tempfile.TemporaryDirectory() as made:
        command = [sys.executable, "-m", "pytest", "--quiet", "--no-header", "--tb=no"]
        command += ["-m", "not trees", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
        command += ["--numprocesses", workers, "--dist", "worksteal"]
        command += ["-p", "recorder", f"--record={made}", *paths]
        status = subprocess.call(command, cwd=root, env=environment(root), stdout=sys.stderr)
        if status > 1:  # 1: some tests failed, which are mapped all the same
            sys.exit(status)
        data = coverage.CoverageData(basename=f"{made}/lines")
        seconds: dict[str, float] = {}
        for part in sorted(Path(made).glob("seconds.*")):
            seconds |= json.loads(part.read_text("utf-8"))
            recorded = coverage.CoverageData(basename=str(part.with_name(f"lines{part.suffix}")))
            recorded.read()
            data.update(recorded)
        data.write()
        data.close()
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shutil.move(f"{made}/lines", folder / "lines")
        about = {"tree": tree, "paths": paths, "seconds": seconds}
        (folder / "about.json").write_text(json.dumps(about), "utf-8")


def main() -> int:
    """Make a map; returns the exit status."""
    parser = argparse.ArgumentParser(prog="coverage_map", description=__doc__.partition("\n")[0])
    parser.add_argument("--to", type=Path, default=ROOT / FOLDER, help="the folder of the map")
    parser.add_argument("--workers", default="", help="processes: auto, or none for files alone")
    parser.add_argument("paths", nargs="*", help="tests to map, not all")
    options = parser.parse_args()
    make_map(ROOT, options.to, write_tree(ROOT), options.paths, options.workers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
