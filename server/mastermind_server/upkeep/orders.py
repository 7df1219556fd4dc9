"""What an operator orders, written where every node finds it, also while servers have the store."""

from __future__ import annotations

import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from mastermind_protocol.messages import MAX_ANNOUNCEMENT
from mastermind_protocol.text import is_displayable
from mastermind_server.bans import Ban
from mastermind_server.health.usage import is_hash
from mastermind_server.network.sockets.address import find_network
from mastermind_server.storage.database import DatabaseUnusable
from mastermind_server.storage.sqlite import open_beside
from mastermind_server.storage.statements.admin import add_ban, add_order, lift_ban
from mastermind_server.storage.statements.matches import is_running
from mastermind_server.tuning import MAX_BANS
from mastermind_server.upkeep.personal_data import find_player
from mastermind_server.upkeep.session import open_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_server.storage.database import Session

MAX_WHY = 100  # characters: a line


def ban(place: Path | str, called: str, why: str, seconds: float | None) -> Ban:
    """Ban a player by its id or name, or the network of an address, for so long or for ever.

    The address by itself, or by the hash by which a node's metrics tell of it.
    Raises ValueError for a text that cannot be told, and DatabaseUnusable, also unless it is clear
    who is meant.
    """
    _check_text(why, MAX_WHY)
    now = _tell_time()
    until = None if seconds is None else now + int(1000 * seconds)
    with _open(place) as session:
        banned = Ban(_find_subject(session, called), until, why)
        if not add_ban(session, banned, now):
            raise DatabaseUnusable(f"there are {MAX_BANS} bans: lift some, or use a firewall")
    return banned


def unban(place: Path | str, called: str) -> str:
    """Ban somebody no more; return whom. Raises DatabaseUnusable, also if it is not banned."""
    with _open(place) as session:
        subject = _find_subject(session, called)
        if not lift_ban(session, subject, _tell_time()):
            raise DatabaseUnusable(f"{subject} is not banned")
    return subject


def end(place: Path | str, match: str, why: str) -> None:
    """Let nodes end a match. Raises ValueError and DatabaseUnusable, also if it is none or over."""
    _check_text(why, MAX_ANNOUNCEMENT)
    with _open(place) as session:
        if not is_running(session, match):
            raise DatabaseUnusable(f"there is no match {match}, or it is over")
        add_order(session, match, why, _tell_time())


def announce(place: Path | str, text: str) -> None:
    """Let nodes tell a text to all who are there. Raises ValueError and DatabaseUnusable."""
    _check_text(text, MAX_ANNOUNCEMENT)
    with _open(place) as session:
        add_order(session, None, text, _tell_time())


def _find_subject(session: Session, called: str) -> str:
    if is_hash(called):  # whatever players call themselves
        return called
    return find_network(called) or find_player(session, called)


@contextmanager
def _open(place: Path | str) -> Iterator[Session]:
    with open_beside(place) if isinstance(place, Path) else open_session(place) as session:
        yield session


def _check_text(text: str, most: int) -> None:
    if not (is_displayable(text) and text.strip() and len(text) <= most):
        raise ValueError(f"say 1 to {most} characters that can be shown, on one line")


def _tell_time() -> int:
    return int(time.time() * 1000)
