"""Whether this node takes new clients: until it drains, before it stops."""

from __future__ import annotations

from mastermind_protocol.errors import Reason, Refused
from mastermind_server.tuning import RETURN_SECONDS


class Readiness:
    """What one node tells whoever spreads clients over nodes."""

    __slots__ = ("_draining",)

    def __init__(self) -> None:
        self._draining = False

    @property
    def draining(self) -> bool:
        """Whether the node is about to stop, and what is new is to go to others."""
        return self._draining

    def drain(self) -> None:
        """Take no more clients; there is no way back."""
        self._draining = True

    def check(self) -> None:
        """Raise Refused, which tells when to come again, if the node drains."""
        if self._draining:
            raise Refused(Reason.RESTARTING, retry_after=RETURN_SECONDS)
