"""Whom the operator lets in no more, as this server knows it: players, and networks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mastermind_protocol.errors import MastermindError, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable


class Ban(NamedTuple):
    """A ban of a `subject`, which is a player's id, or what an address counts as.

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


def explain_ban(ban: Ban, now: int) -> MastermindError:
    """Return what somebody is told who is banned."""
    if ban.until is None:
        return MastermindError(Reason.BANNED, why=ban.why)
    return MastermindError(
        Reason.BANNED_UNTIL, why=ban.why, retry_after=max(0, ban.until - now) // 1000 + 1.0
    )
