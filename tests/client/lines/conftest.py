from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mastermind_client.lines import app

if TYPE_CHECKING:
    from collections.abc import Callable

    from kit.desk import Desk

    NewDesk = Callable[..., Desk]


@pytest.fixture
async def desk(new_desk: NewDesk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The desk at which the command is given; input comes by a pipe."""
    desk = new_desk()
    monkeypatch.setattr(app, "open_terminal", lambda: desk.terminal)
    return desk


@pytest.fixture
async def interactive(new_desk: NewDesk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The desk at which a person gives the command."""
    desk = new_desk(person=True)
    monkeypatch.setattr(app, "open_terminal", lambda: desk.terminal)
    return desk


@pytest.fixture
async def piped(new_desk: NewDesk) -> Desk:
    """Bob's desk, where lines come by a pipe."""
    return new_desk()
