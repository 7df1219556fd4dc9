"""Where all tests run: in English, on a plain terminal, in nobody's home."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from kit.processes import PATIENCE
from mastermind_client import context
from mastermind_client.language import SOURCE_LANGUAGE, is_current_language, use_language

pytest_plugins = ["kit.fixtures"]

# Nothing is judged by time: the first text of a fresh checkout takes seconds on a busy machine, for
# Hypothesis makes its tables of characters then.
settings.register_profile("thorough", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("suite", settings.get_profile("thorough"), max_examples=40)
settings.load_profile("suite")  # make coverage takes the other

# What a shell starts in the background ignores Ctrl-C, and so would all that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Run one test more than there are cores at a time: many of them wait for a while."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Collect no garbage meanwhile: there is none, and thousands of tests to go through."""
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Let no collection go through the tests again: they stay to the end."""
    gc.freeze()
    gc.enable()


_SURROUNDINGS = {
    "LANGUAGE": SOURCE_LANGUAGE,
    "LC_ALL": "C.UTF-8",
    "TERM": "xterm-256color",
    "COLUMNS": "80",
}
_UNSET = ("NO_COLOR", "COLORTERM", "SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT")


@pytest.fixture(autouse=True, scope="session")
def _neutral_surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What a program finds around it, and hands on to those that it starts."""
    folder = tmp_path_factory.mktemp("home")
    inactive = [each for each in os.get_exec_path() if Path(each) != Path(sys.executable).parent]
    path = os.pathsep.join(inactive)  # of a shell in which no virtual environment is activated
    folders = {f"XDG_{kind}_HOME": folder / kind.lower() for kind in ("CONFIG", "DATA", "STATE")}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**_SURROUNDINGS, "PATH": path, **folders}.items():
            patch.setenv(name, str(value))
        for name in _UNSET:
            patch.delenv(name, raising=False)
        # A busy machine must not add a line about a slow connection to what a test compares.
        patch.setattr(context, "ANNOUNCE_SECONDS", PATIENCE)
        yield


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    """The language is the process's: one test's choice is not another's."""
    yield
    if not is_current_language(SOURCE_LANGUAGE):
        use_language(SOURCE_LANGUAGE)
