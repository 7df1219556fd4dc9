"""The servers of a player without an app, and their updates."""

import asyncio
from collections.abc import Callable

from kit.people import PATIENCE
from mastermind_client.cli.process import make_context
from mastermind_client.network.updates import Update
from mastermind_client.screen.servers.server import Server
from mastermind_client.screen.servers.servers import Servers
from mastermind_protocol.errors import Refused


class Listener:
    """Servers, and a record of their updates and of the rejections of the home screen's player."""

    def __init__(self) -> None:
        self.told: list[tuple[Server, Update | None]] = []
        self.failures: list[BaseException] = []
        self.rejected: list[tuple[str, str]] = []
        self.servers = Servers(make_context(), self._hear, self.failures.append, self._reject)
        self._heard = asyncio.Event()

    def _hear(self, connected: Server, update: Update | None) -> None:
        self.told.append((connected, update))
        self._heard.set()

    def _reject(self, address: str, refusal: Refused) -> None:
        self.rejected.append((address, refusal.code))

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition holds after an update."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self._heard.clear()
                await self._heard.wait()

    def heard(self, kind: type[Update]) -> bool:
        return any(isinstance(update, kind) for _place, update in self.told)
