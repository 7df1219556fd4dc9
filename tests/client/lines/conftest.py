import pytest

from mastermind_client.lines import app


@pytest.fixture
async def desk(new_desk, monkeypatch):
    """The desk at which the command is given; input comes by a pipe."""
    desk = new_desk()
    monkeypatch.setattr(app, "open_terminal", lambda: desk.terminal)
    return desk


@pytest.fixture
async def interactive(new_desk, monkeypatch):
    """The desk at which a person gives the command."""
    desk = new_desk(person=True)
    monkeypatch.setattr(app, "open_terminal", lambda: desk.terminal)
    return desk


@pytest.fixture
async def piped(new_desk):
    """Bob's desk, where lines come by a pipe."""
    return new_desk()
