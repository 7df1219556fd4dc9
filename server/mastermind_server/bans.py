"""Whom the operator lets in no more, as this server knows it: players, and networks."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING, NamedTuple

from mastermind_protocol.errors import MastermindError, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

IPV6_PREFIX = 64  # bits of an address that are one subscriber's: the rest it chooses by itself


class Ban(NamedTuple):
    """A ban of a `subject`, which is a player's id or a network.

    `until` is in milliseconds since 1970, None for ever; `why` is told.
    """

    subject: str
    until: int | None
    why: str


class Bans:
    """The bans there are. `sockets` counts those that were refused by their address."""

    __slots__ = ("_bans", "sockets")

    def __init__(self) -> None:
        self._bans: dict[str, Ban] = {}
        self.sockets = 0

    def __len__(self) -> int:
        return len(self._bans)

    def replace(self, bans: Iterable[Ban]) -> set[str]:
        """Let these be all that there are; return the subjects of those that are new."""
        before, self._bans = self._bans, {ban.subject: ban for ban in bans}
        return self._bans.keys() - before.keys()

    def find(self, subject: str, now: int) -> Ban | None:
        """Return the ban of a player, or of a network, if there is one at a time."""
        ban = self._bans.get(subject)
        return ban if ban is not None and (ban.until is None or ban.until > now) else None

    def find_address(self, address: str, now: int) -> Ban | None:
        """Return the ban of the network in which an address is, if there is one at a time."""
        if not self._bans or (network := find_network(address)) is None:
            return None
        return self.find(network, now)


def find_network(address: str) -> str | None:
    """Return the network that an address is banned with: of IPv6 its /64; None if it is none."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is None:
            return str(ip_network((found, IPV6_PREFIX), strict=False))
        found = found.ipv4_mapped
    return str(found)


def explain_ban(ban: Ban, now: int) -> MastermindError:
    """Return what somebody is told who is banned."""
    if ban.until is None:
        return MastermindError(Reason.BANNED, why=ban.why)
    return MastermindError(
        Reason.BANNED_UNTIL, why=ban.why, retry_after=max(0, ban.until - now) // 1000 + 1.0
    )
