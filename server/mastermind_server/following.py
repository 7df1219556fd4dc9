"""Which matches are followed from each address: for as long they are in memory, and bots play."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Protocol

from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.match import Phase

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
    """Counts what connections with this node follow, each match once for an address.

    A log grows while it is followed, so its rows are counted when somebody is to follow one more:
    a millisecond for those at whose address thousands are followed, nothing for others.
    """

    def __init__(self) -> None:
        self._followed: dict[str, Counter[Followed]] = {}

    def add(self, address: str, log: Followed) -> None:
        """Count a connection from an address that follows a match."""
        self._followed.setdefault(address, Counter())[log] += 1

    def remove(self, address: str, log: Followed) -> None:
        """Count it no more."""
        followed = self._followed[address]
        followed[log] -= 1
        if not followed[log]:
            del followed[log]
        if not followed:
            del self._followed[address]

    def check(self, address: str, limiter: Limiter, log: Followed | None = None) -> None:
        """Let somebody follow one more match, which may be known already. Raises Refused."""
        followed = self._followed.get(address, _NOTHING)
        if log not in followed:
            rows = sum(other.version for other in followed)
            most = limiter.limits.rows_followed_of_address
            _check("rows_followed_of_address", rows, most, limiter, Reason.ADDRESS_FOLLOWS_MUCH)
        if log is not None and _is_show(log):
            self.check_show(address, limiter, log)

    def check_show(self, address: str, limiter: Limiter, log: Followed | None = None) -> None:
        """Let two bots play for somebody, in a match that is to begin if none is given.

        Raises Refused.
        """
        followed = self._followed.get(address, _NOTHING)
        if log not in followed:
            shows = sum(map(_is_show, followed))
            most = limiter.limits.shows_of_address
            _check("shows_of_address", shows, most, limiter, Reason.ADDRESS_HAS_SHOWS)


_NOTHING: Counter[Followed] = Counter()


def _is_show(log: Followed) -> bool:
    return log.state.is_bots_only and log.state.phase is not Phase.FINISHED


def _check(name: str, count: int, most: int, limiter: Limiter, reason: Reason) -> None:
    if count >= most:
        limiter.met[name] += 1
        raise Refused(reason, limit=most)
