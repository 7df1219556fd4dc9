"""The flag that a node drains: it takes no new clients before it stops."""

from __future__ import annotations

from mastermind_protocol.errors import Reason, Refused
from mastermind_server.tuning import RETURN_SECONDS


class Readiness:
    """Whether a node drains. Other nodes then get the new clients."""

    __slots__ = ("draining",)

    def __init__(self) -> None:
        self.draining = False

    def check(self) -> None:
        """Raise Refused with `retry_after` if the node drains."""
        if self.draining:
            raise Refused(Reason.RESTARTING, retry_after=RETURN_SECONDS)
