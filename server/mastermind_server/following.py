"""Which matches are followed from each address: for as long they are in memory, and bots play."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Protocol

from mastermind_protocol.errors import Reason
from mastermind_protocol.match import Phase
from mastermind_server.tuning import FOLLOWED_COUNTED

if TYPE_CHECKING:
    from mastermind_protocol.match import Match
    from mastermind_server.limits import Limiter


class Followed(Protocol):
    """The log of a match: so many rows, and the state that they make."""

    state: Match

    @property
    def version(self) -> int:
        """The number of rows."""
        ...


class Following:
    """Counts what connections with this node follow, each match once for an address."""

    def __init__(self) -> None:
        self._shares: dict[str, _Share] = {}

    def add(self, address: str, log: Followed) -> None:
        """Count a connection from an address that follows a match."""
        self._shares.setdefault(address, _Share()).add(log)

    def remove(self, address: str, log: Followed) -> None:
        """Count it no more."""
        share = self._shares[address]
        share.remove(log)
        if not share.logs:
            del self._shares[address]

    def check(self, address: str, limiter: Limiter, log: Followed | None = None) -> None:
        """Let somebody follow one more match, which may be known already. Raises Refused."""
        share = self._shares.get(address) or _Share()
        if log not in share.logs:
            share.count()
            limiter.check("rows_followed_of_address", share.rows, Reason.ADDRESS_FOLLOWS_MUCH)
            if log is not None and _is_show(log):
                limiter.check("shows_of_address", share.shows, Reason.ADDRESS_HAS_SHOWS)

    def check_show(self, address: str, limiter: Limiter) -> None:
        """Let a match begin in which two bots play for somebody. Raises Refused."""
        share = self._shares.get(address) or _Share()
        share.count()
        limiter.check("shows_of_address", share.shows, Reason.ADDRESS_HAS_SHOWS)


class _Share:
    """What is followed from one address: by so many connections each, and in all.

    Logs grow and shows end while they are followed, so all are counted again now and then; in
    between, what is followed no more counts still.
    """

    __slots__ = ("_checks", "logs", "rows", "shows")

    def __init__(self) -> None:
        self.logs: Counter[Followed] = Counter()
        self.rows = self.shows = self._checks = 0

    def add(self, log: Followed) -> None:
        if log not in self.logs:
            self.rows += log.version
            self.shows += _is_show(log)
        self.logs[log] += 1

    def remove(self, log: Followed) -> None:
        self.logs[log] -= 1
        if not self.logs[log]:
            del self.logs[log]

    def count(self) -> None:
        """Count again, or only at every so manieth call if they are many."""
        self._checks += 1
        if self._checks * FOLLOWED_COUNTED >= len(self.logs):
            self._checks = 0
            self.rows = sum(log.version for log in self.logs)
            self.shows = sum(map(_is_show, self.logs))


def _is_show(log: Followed) -> bool:
    return log.state.phase is not Phase.FINISHED and log.state.is_bots_only
