import pytest

from mastermind_client.lines import app


@pytest.fixture
async def desk(new_desk, monkeypatch):
    """A desk with a pipe, where commands run."""
    desk = new_desk()
    monkeypatch.setattr(app, "open_terminal", lambda _context: desk.terminal)
    return desk


@pytest.fixture
async def interactive(new_desk, monkeypatch):
    """A desk with a terminal, where commands run."""
    desk = new_desk(person=True)
    monkeypatch.setattr(app, "open_terminal", lambda _context: desk.terminal)
    return desk
