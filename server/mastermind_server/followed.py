"""The matches followed from each address: they are in memory, and their bots play."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Protocol

from mastermind_protocol.errors import Reason
from mastermind_protocol.match import Phase
from mastermind_server.tuning import FOLLOWED_COUNTED

if TYPE_CHECKING:
    from mastermind_protocol.match import Match
    from mastermind_server.limits import Limiter


class FollowedLog(Protocol):
    """The log of a match and its current state."""

    state: Match

    @property
    def version(self) -> int:
        """The number of rows."""
        ...


class FollowedMatches:
    """Limits the matches that clients of one address follow on this node.

    A match counts once for an address. A show is a match between two bots.
    """

    def __init__(self) -> None:
        self._shares: dict[str, _Share] = {}  # by address

    def add(self, address: str, log: FollowedLog) -> None:
        """Count a connection from an address that follows a match."""
        self._shares.setdefault(address, _Share()).add(log)

    def remove(self, address: str, log: FollowedLog) -> None:
        """Stop counting a connection."""
        share = self._shares[address]
        share.remove(log)
        if not share.logs:
            del self._shares[address]

    def check(self, address: str, limiter: Limiter, log: FollowedLog | None = None) -> None:
        """Raise Refused if an address may not follow one more match.

        `log` is its log, or None if it is not loaded.
        """
        share = self._shares.get(address) or _Share()
        if log not in share.logs:
            share.count()
            limiter.check("rows_followed_of_address", share.rows, Reason.ADDRESS_FOLLOWS_MUCH)
            if log is not None and _is_show(log):
                limiter.check("shows_of_address", share.shows, Reason.ADDRESS_HAS_SHOWS)

    def check_show(self, address: str, limiter: Limiter) -> None:
        """Raise Refused if an address may not start another show: a match of two bots."""
        share = self._shares.get(address) or _Share()
        share.count()
        limiter.check("shows_of_address", share.shows, Reason.ADDRESS_HAS_SHOWS)


class _Share:
    """The matches of one address, with the number of connections that follow each.

    Logs grow and shows end while they are followed, so the totals are recounted from time to time.
    Until then, the totals include matches that have been removed.
    """

    __slots__ = ("_checks", "logs", "rows", "shows")

    def __init__(self) -> None:
        self.logs: Counter[FollowedLog] = Counter()
        self.rows = self.shows = self._checks = 0

    def add(self, log: FollowedLog) -> None:
        if log not in self.logs:
            self.rows += log.version
            self.shows += _is_show(log)
        self.logs[log] += 1

    def remove(self, log: FollowedLog) -> None:
        self.logs[log] -= 1
        if not self.logs[log]:
            del self.logs[log]

    def count(self) -> None:
        """Recount the totals: on every call if there are few matches, else on every nth call."""
        self._checks += 1
        if self._checks * FOLLOWED_COUNTED >= len(self.logs):
            self._checks = 0
            self.rows = sum(log.version for log in self.logs)
            self.shows = sum(map(_is_show, self.logs))


def _is_show(log: FollowedLog) -> bool:
    return log.state.phase is not Phase.FINISHED and log.state.is_bots_only
