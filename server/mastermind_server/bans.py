"""Whom the operator lets in no more, as this server knows it: players, and networks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mastermind_protocol.errors import MastermindError, Reason
from mastermind_server.health.usage import is_hash

if TYPE_CHECKING:
    from collections.abc import Iterable


class Ban(NamedTuple):
    """A ban of a `subject`: a player's id, what an address counts as, or, for now, its hash.

    `until` is in milliseconds since 1970, None for ever; `why` is told.
    """

    subject: str
    until: int | None
    why: str

    def holds(self, now: int) -> bool:
        """Tell whether it has not ended at a time."""
        return self.until is None or self.until > now


class Bans:
    """The bans there are.

    `hashes` are those of which nobody has found the address yet. `sockets` counts those that were
    refused by their address.
    """

    __slots__ = ("_bans", "hashes", "sockets")

    def __init__(self) -> None:
        self._bans: dict[str, Ban] = {}
        self.hashes: frozenset[str] = frozenset()
        self.sockets = 0

    def count(self, now: int) -> int:
        """Return how many there are at a time."""
        return sum(ban.holds(now) for ban in self._bans.values())

    def replace(self, bans: Iterable[Ban]) -> set[str]:
        """Let these be all that there are; return the subjects of those that were not."""
        before, self._bans = self._bans, {ban.subject: ban for ban in bans}
        self.hashes = frozenset(filter(is_hash, self._bans))
        return {subject for subject, ban in self._bans.items() if before.get(subject) != ban}

    def find(self, subject: str, now: int) -> Ban | None:
        """Return the ban of a player, or of a network, if there is one at a time."""
        ban = self._bans.get(subject)
        return ban if ban is not None and ban.holds(now) else None


def explain_ban(ban: Ban, now: int) -> MastermindError:
    """Return what somebody is told who is banned."""
    if ban.until is None:
        return MastermindError(Reason.BANNED, why=ban.why)
    return MastermindError(
        Reason.BANNED_UNTIL, why=ban.why, retry_after=max(0, ban.until - now) // 1000 + 1.0
    )
