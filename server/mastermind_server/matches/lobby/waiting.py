"""The public matches that wait for anybody, and whose player is here: where seekers find one.

Only what is followed by way of this node is known, and what it is about to open.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase
from mastermind_server.storage.statements.lobby import Found, Terms, Wanted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_protocol.match import Match


class WaitingMatch:
    """A match with one seat taken, since a time in milliseconds since 1970.

    `begun` is set as soon as it can be joined, or it is known that it never can.
    """

    __slots__ = ("begun", "code", "followed", "player", "seat", "since", "terms")

    def __init__(self, code: str, since: int, match: Match) -> None:
        (player,) = match.players
        self.code, self.since, self.player = code, since, player.id
        self.seat = Seat.MAKER if match.maker else Seat.BREAKER
        opened = match.opened
        self.terms = Terms(match.rules.name, opened.rounds, opened.rated, player.is_bot)
        self.begun = asyncio.Event()
        self.followed = False

    def suits(self, player: str, seat: Seat | None) -> bool:
        """Tell whether the player would sit where it wants to; None is anywhere."""
        return seat in (None, self.seat if player == self.player else self.seat.other)


class Waiting:
    """An index of the matches that wait, by the terms of those who seek.

    Each is tried by one seeker of this node at a time: however many seek at once, two and two meet,
    and nobody goes through what others have found.
    """

    def __init__(self) -> None:
        self._matches: dict[str, WaitingMatch] = {}
        self._on_terms: dict[Terms, dict[str, WaitingMatch]] = {}
        self.claimed: set[str] = set()

    def add(self, code: str, since: int, match: Match) -> None:
        """Take up a match that its player follows, if it waits for anybody."""
        if not _waits_for_anybody(match):
            return
        waiting = self._matches.get(code) or self._add(WaitingMatch(code, since, match))
        waiting.followed = True
        waiting.begun.set()

    def remove(self, code: str) -> None:
        """Take out a match that waits no more, or whose player is gone."""
        if waiting := self._matches.pop(code, None):
            on_terms = self._on_terms[waiting.terms]
            del on_terms[code]
            if not on_terms:
                del self._on_terms[waiting.terms]

    @contextmanager
    def opening(self, code: str, since: int, match: Match) -> Iterator[None]:
        """Let a match be found that is being opened within the block, and followed at its end."""
        if not _waits_for_anybody(match):
            yield
            return
        waiting = self._add(WaitingMatch(code, since, match))
        try:
            yield
        finally:
            if not waiting.followed:
                self.remove(code)
            waiting.begun.set()

    def find(self, wanted: Wanted, player: str, elsewhere: Found | None) -> str | None:
        """Return the code of the longest waiting that suits a player and that nobody tries now.

        It may be one that was found to wait at another node.
        """
        found: list[WaitingMatch | Found] = [
            waiting
            for waiting in self._on_terms.get(wanted.terms, {}).values()
            if waiting.suits(player, wanted.seat)
        ]
        if elsewhere is not None:
            found.append(elsewhere)
        taken = self.claimed.union(wanted.but)
        free = (match for match in found if match.code not in taken)
        longest = min(free, key=lambda match: match.since, default=None)
        return longest.code if longest else None

    async def is_there(self, code: str) -> bool:
        """Wait until a match that is being opened can be joined. False if it never can."""
        if waiting := self._matches.get(code):
            await waiting.begun.wait()
            return code in self._matches
        return True  # at another node

    @contextmanager
    def claim(self, code: str) -> Iterator[None]:
        """Let no other seeker of this node try a match within the block."""
        self.claimed.add(code)
        try:
            yield
        finally:
            self.claimed.remove(code)

    def _add(self, waiting: WaitingMatch) -> WaitingMatch:
        self._matches[waiting.code] = waiting
        self._on_terms.setdefault(waiting.terms, {})[waiting.code] = waiting
        return waiting


def _waits_for_anybody(match: Match) -> bool:
    opened = match.opened
    return match.phase is Phase.GATHERING and opened.public and opened.reserved is None
