from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mastermind_client.cli import command, crash_log
from mastermind_client.cli.command import OK, main
from mastermind_client.config.settings import Settings
from mastermind_client.lines import app, statistics
from mastermind_client.screen import fullscreen

Interfaces = Callable[..., object]
Screens = Callable[..., tuple[Any, Settings, tuple[str, ...]]]


@pytest.fixture
def paces() -> list[float]:
    """The pace with which the line interface was started, each time."""
    return []


@pytest.fixture
def asked_for(monkeypatch: pytest.MonkeyPatch, paces: list[float]) -> Interfaces:
    """What the line interface is started with for a command line."""
    started: list[object] = []

    async def start(options: object, pace: float = 0.0) -> None:
        started.append(options)
        paces.append(pace)

    for name in ("play", "join", "go_on", "look_on", "review", "list_bots"):
        monkeypatch.setattr(app, name, start)
    monkeypatch.setattr(statistics, "tell_statistics", start)

    def ask(*arguments: str) -> object:
        assert main(arguments) == OK
        return started.pop()

    return ask


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person's terminal, for standard input and output."""
    monkeypatch.setattr(command, "_is_terminal", lambda _: True)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, screen: None) -> Screens:  # noqa: ARG001 - it is there
    """What the full-screen interface is started with for a command line, on a terminal."""
    started: list[tuple[Any, Settings, tuple[str, ...]]] = []

    async def run(options: object, settings: Settings, problems: tuple[str, ...]) -> None:
        started.append((options, settings, problems))

    monkeypatch.setattr(fullscreen, "run", run)
    monkeypatch.setattr(crash_log, "keep_log", lambda: None)

    def ask(*arguments: str) -> tuple[Any, Settings, tuple[str, ...]]:
        assert main(arguments) == OK
        return started.pop()

    return ask
