from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mastermind_client.cli import command, crash_log
from mastermind_client.cli.command import EXIT_OK, main
from mastermind_client.config.settings import Settings
from mastermind_client.context import ClientContext
from mastermind_client.lines import app, player_data
from mastermind_client.screen import fullscreen

Interfaces = Callable[..., object]
Screens = Callable[..., tuple[Any, Settings, tuple[str, ...]]]


@pytest.fixture
def paces() -> list[float]:
    """The paces of the line interface, one per start."""
    return []


@pytest.fixture
def asked_for(monkeypatch: pytest.MonkeyPatch, paces: list[float]) -> Interfaces:
    """Run a command line; return the options of the line interface."""
    started: list[object] = []

    async def start(_context: ClientContext, options: object, pace: float = 0.0) -> None:
        started.append(options)
        paces.append(pace)

    for name in ("play", "join", "challenge", "resume", "watch", "review", "list_bots"):
        monkeypatch.setattr(app, name, start)
    monkeypatch.setattr(player_data, "print_statistics", start)
    for name in ("print_leaderboard", "print_profile"):
        monkeypatch.setattr(player_data, name, start)

    def ask(*arguments: str) -> object:
        assert main(arguments) == EXIT_OK
        return started.pop()

    return ask


@pytest.fixture
def contexts() -> list[ClientContext]:
    """The contexts of the full-screen interface, one per start."""
    return []


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make standard input and output a terminal."""
    monkeypatch.setattr(command, "_is_terminal", lambda _: True)


@pytest.fixture
def opened(
    monkeypatch: pytest.MonkeyPatch,
    screen: None,  # noqa: ARG001 - it is there
    contexts: list[ClientContext],
) -> Screens:
    """Run a command line on a terminal; return the full screen's options and settings."""
    started: list[tuple[Any, Settings, tuple[str, ...]]] = []

    async def run(
        context: ClientContext, options: object, settings: Settings, problems: tuple[str, ...]
    ) -> None:
        contexts.append(context)
        started.append((options, settings, problems))

    monkeypatch.setattr(fullscreen, "run", run)
    monkeypatch.setattr(crash_log, "log_to_file", lambda: None)

    def ask(*arguments: str) -> tuple[Any, Settings, tuple[str, ...]]:
        assert main(arguments) == EXIT_OK
        return started.pop()

    return ask
