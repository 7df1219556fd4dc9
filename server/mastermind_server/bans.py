"""The operator's bans of players and networks, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mastermind_protocol.errors import MastermindError, Reason
from mastermind_server.monitoring.usage import is_address_hash

if TYPE_CHECKING:
    from collections.abc import Iterable


class Ban(NamedTuple):
    """A ban of a `subject`: a player id, a network, or the hash of a network.

    A network is an IPv4 address or a /64 of IPv6. `until` is the end of the ban in milliseconds
    since 1970, or None if it is permanent. `why` is the reason, which clients receive.
    """

    subject: str
    until: int | None
    why: str

    def is_active(self, now: int) -> bool:
        """Return whether the ban is active at `now`, in milliseconds since 1970."""
        return self.until is None or self.until > now


class Bans:
    """The ban list.

    An operator can ban a network by the hash that the metrics show. `hashes` contains the banned
    hashes. `rejected_sockets` is the number of sockets that were rejected because their address is
    banned.
    """

    __slots__ = ("_bans", "hashes", "rejected_sockets")

    def __init__(self) -> None:
        self._bans: dict[str, Ban] = {}
        self.hashes: frozenset[str] = frozenset()
        self.rejected_sockets = 0

    def count(self, now: int) -> int:
        """Return the number of bans that are active at `now`, in milliseconds since 1970."""
        return sum(ban.is_active(now) for ban in self._bans.values())

    def replace(self, bans: Iterable[Ban]) -> set[str]:
        """Replace the ban list. Return the subjects of new and changed bans."""
        before, self._bans = self._bans, {ban.subject: ban for ban in bans}
        self.hashes = frozenset(filter(is_address_hash, self._bans))
        return {subject for subject, ban in self._bans.items() if before.get(subject) != ban}

    def find(self, subject: str, now: int) -> Ban | None:
        """Return the active ban of a player id or network, or None.

        `now` is in milliseconds since 1970.
        """
        ban = self._bans.get(subject)
        return ban if ban is not None and ban.is_active(now) else None


def make_ban_error(ban: Ban, now: int) -> MastermindError:
    """Return the error for a banned client, with `retry_after` unless the ban is permanent.

    `now` is in milliseconds since 1970.
    """
    if ban.until is None:
        return MastermindError(Reason.BANNED, why=ban.why)
    return MastermindError(
        Reason.BANNED_UNTIL, why=ban.why, retry_after=max(0, ban.until - now) // 1000 + 1.0
    )
