"""Sockets that have not said hello: so many in all and from one address, and the oldest go first.

Whoever is honest says hello at once, so that those which wait the longest are the least likely to.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mastermind_server.limits import Limiter


class Newcomer(Protocol):
    """A socket of which nobody knows yet who it is. Its address stays while it is one."""

    @property
    def address(self) -> str:
        """What it is counted by."""

    def give_way(self, limit: str) -> None:
        """Go, for there are more than this limit allows."""


class Newcomers:
    """Keeps them in their order of coming."""

    def __init__(self, limiter: Limiter) -> None:
        self._limiter = limiter
        self._all: OrderedDict[Newcomer, None] = OrderedDict()
        self._at: defaultdict[str, OrderedDict[Newcomer, None]] = defaultdict(OrderedDict)

    def enter(self, newcomer: Newcomer, *, shared: bool = False) -> None:
        """Count one, and let the oldest give way that is too many.

        A `shared` address is a proxy's, at which there may be as many as in all.
        """
        limits, here = self._limiter.limits, self._at[newcomer.address]
        self._all[newcomer] = here[newcomer] = None
        if len(here) > limits.newcomers_per_address and not shared:
            self._dismiss(next(iter(here)), "newcomers_per_address")
        if len(self._all) > limits.newcomers:
            self._dismiss(next(iter(self._all)), "newcomers")

    def leave(self, newcomer: Newcomer) -> None:
        """Count one no more, if it was counted: it has said hello, or is gone."""
        if newcomer not in self._all:
            return
        del self._all[newcomer]
        here = self._at[newcomer.address]
        del here[newcomer]
        if not here:
            del self._at[newcomer.address]

    def _dismiss(self, newcomer: Newcomer, limit: str) -> None:
        self.leave(newcomer)
        self._limiter.met[limit] += 1
        newcomer.give_way(limit)
