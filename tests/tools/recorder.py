"""A pytest plugin: record which lines each test executes, or run only the tests of a list.

It imports nothing of the project, so that `-p recorder` also works in an older checkout:
`PYTHONPATH=tests/tools pytest -p recorder --record=FOLDER` or `--chosen=FILE`. The `=` is needed:
pytest would read a separate path as a test and search its folder for settings.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import coverage
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGES = (
    "protocol/mastermind_protocol",
    "server/mastermind_server",
    "client/mastermind_client",
)


def _processor_seconds() -> float:
    ended = os.times()
    return time.process_time() + ended.children_user + ended.children_system


class Recorder:
    """Records the lines and the seconds of each test that this process runs.

    Processor seconds include ended child processes. Wall-clock seconds would depend on the load of
    the machine.
    """

    def __init__(self, folder: Path, root: Path, process: str) -> None:
        self._folder = folder
        self._process = process
        self._seconds: dict[str, float] = {}
        self._coverage = coverage.Coverage(
            data_file=str(folder / f"lines.{process}"),
            config_file=False,
            source=[str(root / package) for package in PACKAGES],
        )
        self._coverage.set_option("run:relative_files", value=True)
        # A run of few tests imports, and executes, only a part of the packages.
        warnings = ["no-data-collected", "module-not-measured", "module-not-imported"]
        self._coverage.set_option("run:disable_warnings", warnings)
        self._coverage.start()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Record one test, with its fixtures."""
        self._coverage.switch_context(item.nodeid)
        began = _processor_seconds()
        try:
            return (yield)
        finally:
            self._seconds[item.nodeid] = _processor_seconds() - began

    def pytest_sessionfinish(self) -> None:
        """Write what was recorded."""
        self._coverage.stop()
        self._coverage.save()
        (self._folder / f"seconds.{self._process}").write_text(json.dumps(self._seconds))


class Chooser:
    """Runs the tests of a list, in its order, and writes down which of them fail."""

    def __init__(self, listed: Path) -> None:
        self._failed = listed.with_suffix(".failed")
        self._places = {name: place for place, name in enumerate(listed.read_text().split("\n"))}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the tests that are listed, by their own name or by their file's."""
        items[:] = sorted(
            (item for item in items if self._find(item) is not None),
            key=lambda item: self._find(item) or 0,
        )

    def _find(self, item: pytest.Item) -> int | None:
        file = item.nodeid.partition("::")[0]
        return self._places.get(item.nodeid, self._places.get(file))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write down a failure."""
        if report.failed:
            with self._failed.open("a") as file:
                file.write(f"{report.nodeid}\n")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add this plugin's two options."""
    group = parser.getgroup("recorder")
    group.addoption("--record", metavar="FOLDER", help="record each test's lines and seconds here")
    group.addoption("--chosen", metavar="FILE", help="run these tests, in this order")


def pytest_configure(config: pytest.Config) -> None:
    """Register what the options ask for. A process that only controls workers runs no test."""
    controls = config.getoption("numprocesses", None) and not hasattr(config, "workerinput")
    if (folder := config.getoption("--record")) and not controls:
        process = os.environ.get("PYTEST_XDIST_WORKER", "main")
        config.pluginmanager.register(Recorder(Path(folder), config.rootpath, process))
    if listed := config.getoption("--chosen"):
        config.pluginmanager.register(Chooser(Path(listed)))
