"""The parts of tables and of presence that flags and leases use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from contextlib import AbstractAsyncContextManager

    from mastermind_server.storage.statements.presence import PresenceRow
    from mastermind_server.timekeeping.interfaces import ClockedLog
    from mastermind_server.timekeeping.match_time import MatchTime


class ClockedTable(Protocol):
    """A match in memory."""

    @property
    def log(self) -> ClockedLog:
        """The log of the match."""
        ...

    @property
    def time(self) -> MatchTime:
        """The clocks of the match."""
        ...

    async def read_outages(self) -> None:
        """Read the outages of the match from the store. Raises StorageFailed."""
        ...

    async def end_time_if_over(self) -> None:
        """Give back lost time, and end the time of the player to move if it is over.

        Raises StorageFailed, and Refused while this must wait.
        """
        ...


class ClockedTables(Protocol):
    """The matches in memory on this node."""

    def use(self, match_code: str, version: int = 0) -> AbstractAsyncContextManager[ClockedTable]:
        """Return a context manager that yields the table of a match, which it loads if needed."""
        ...

    def get_used(self, match_code: str) -> ClockedTable | None:
        """Return the table of a match if it is in use or followed on this node."""
        ...

    def list_loaded(self) -> Sequence[ClockedTable]:
        """Return all tables in memory, also those that nobody uses or follows."""
        ...

    def list_used(self) -> Sequence[ClockedTable]:
        """Return the tables that are in use or followed on this node."""
        ...


class PresenceReader(Protocol):
    """Reads which players follow a match at which node."""

    async def find(self, codes: Collection[str]) -> dict[str, PresenceRow]:
        """Return the followers of the matches `codes` at all nodes together, by match code."""
        ...

    async def read_elsewhere(self, *codes: str) -> None:
        """Read the followers at other nodes, and set them in the tables of the matches `codes`."""
        ...
