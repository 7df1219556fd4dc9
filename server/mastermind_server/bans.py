"""Bans of players and networks by the operator, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mastermind_protocol.errors import MastermindError, Reason
from mastermind_server.health.usage import is_hash

if TYPE_CHECKING:
    from collections.abc import Iterable


class Ban(NamedTuple):
    """A ban of a `subject`: a player id, a network, or the hash of an address not yet known.

    `until` is in milliseconds since 1970, or None for a permanent ban. Clients receive `why`.
    """

    subject: str
    until: int | None
    why: str

    def holds(self, now: int) -> bool:
        """Return whether the ban is active at a time."""
        return self.until is None or self.until > now


class Bans:
    """All bans.

    `hashes` are the bans of addresses that are known by their hash alone. `sockets` counts the
    connections that were rejected by their address.
    """

    __slots__ = ("_bans", "hashes", "sockets")

    def __init__(self) -> None:
        self._bans: dict[str, Ban] = {}
        self.hashes: frozenset[str] = frozenset()
        self.sockets = 0

    def count(self, now: int) -> int:
        """Return the number of active bans at a time."""
        return sum(ban.holds(now) for ban in self._bans.values())

    def replace(self, bans: Iterable[Ban]) -> set[str]:
        """Replace the ban list. Return the subjects of new and changed bans."""
        before, self._bans = self._bans, {ban.subject: ban for ban in bans}
        self.hashes = frozenset(filter(is_hash, self._bans))
        return {subject for subject, ban in self._bans.items() if before.get(subject) != ban}

    def find(self, subject: str, now: int) -> Ban | None:
        """Return the active ban of a player or network at a time, if any."""
        ban = self._bans.get(subject)
        return ban if ban is not None and ban.holds(now) else None


def explain_ban(ban: Ban, now: int) -> MastermindError:
    """Return the error for a banned client."""
    if ban.until is None:
        return MastermindError(Reason.BANNED, why=ban.why)
    return MastermindError(
        Reason.BANNED_UNTIL, why=ban.why, retry_after=max(0, ban.until - now) // 1000 + 1.0
    )
