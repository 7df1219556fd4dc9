"""A store whose reads and writes a test can delay, count or fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mastermind_server.storage.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable


class WatchedStore(Store):
    """Awaits `before` and `after` around each statement; subclasses override these."""

    async def before(self, statement: Callable[..., object], args: tuple[Any, ...]) -> None:
        """Run before a statement; what it raises fails the statement."""

    async def after(self, statement: Callable[..., object], result: Any) -> None:
        """Run when a statement has its result."""

    async def read(self, query: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Return the result of a query."""
        await self.before(query, args)
        result = await super().read(query, *args, **options)
        await self.after(query, result)
        return result

    async def look_up(self, query: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Return the result of a lookup."""
        await self.before(query, args)
        result = await super().look_up(query, *args, **options)
        await self.after(query, result)
        return result

    async def write_locking(self, work: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Return the result of a write."""
        await self.before(work, args)
        result = await super().write_locking(work, *args, **options)
        await self.after(work, result)
        return result
