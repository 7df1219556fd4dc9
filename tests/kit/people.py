"""Users of client sessions."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import TypeVar

import pytest

from kit.clock import ManualClock
from kit.matches import pegs
from kit.players import identities
from kit.proxy import RelayProxy
from kit.server import GameServer
from mastermind_client.context import DEFAULT_NETWORK, Network
from mastermind_client.messages.failures import explain_failure
from mastermind_client.network.connection.keepalive import ANSWER_SECONDS, QUIET_SECONDS
from mastermind_client.network.failures import ServerUnreachable
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.session import Session
from mastermind_client.network.updates import Moved, SessionEnded, Update
from mastermind_protocol.commands import ResignRound
from mastermind_protocol.events import AnyEvent, RoundEnded

PATIENCE = 10.0  # seconds for any wait, far more than any needs
_E = TypeVar("_E")
_U = TypeVar("_U", bound=Update)


@contextmanager
def unreachable(words: str) -> Iterator[None]:
    """Expect ServerUnreachable within the block, with an explanation that matches `words`."""
    with pytest.raises(ServerUnreachable) as raised:
        yield
    assert re.search(words, explain_failure(raised.value))


def end_session(error: Exception) -> None:
    """End the session of a subscriber with an unexpected exception."""
    raise error


class SessionClient:
    """The user and subscriber of a session. `updates` are the updates read so far."""

    def __init__(self, session: Session, identity: Identity) -> None:
        self.session, self.identity = session, identity
        self.updates: list[Update] = []
        self._unread: deque[Update] = deque()
        self._arrived = asyncio.Event()
        session.updates.subscribe(self._receive, end_session)

    def _receive(self, update: Update) -> None:
        if not isinstance(update, SessionEnded):
            self._unread.append(update)
        self._arrived.set()

    @property
    def id(self) -> str:
        return self.session.player.id

    @property
    def moves(self) -> list[Moved]:
        """The received moves, in order."""
        return [update for update in self.updates if isinstance(update, Moved)]

    @property
    def events(self) -> list[AnyEvent]:
        """The received events, in order."""
        return [event for move in self.moves for event in move.events]

    async def wait_for_update(
        self, kind: type[_U], fits: Callable[[_U], bool] = lambda _: True
    ) -> _U:
        """Return the next update of a type that `fits`; record the earlier ones as well."""
        async with asyncio.timeout(PATIENCE):
            while True:
                while not self._unread:
                    if self.session.updates.connection.ended is not None:
                        raise self.session.updates.connection.ended
                    self._arrived.clear()
                    await self._arrived.wait()
                update = self._unread.popleft()
                self.updates.append(update)
                if isinstance(update, kind) and fits(update):
                    return update

    async def wait_for_event(self, kind: type[_E]) -> _E:
        """Wait for the next row with an event of a type; return that event."""
        moved = await self.wait_for_update(
            Moved, lambda move: any(isinstance(event, kind) for event in move.events)
        )
        return next(event for event in moved.events if isinstance(event, kind))

    async def wait_for_version(self, mirror: Mirror, version: int) -> None:
        """Wait until all rows of a match up to a version have been received."""
        while sum(move.mirror is mirror for move in self.moves) < version:
            await self.wait_for_update(Moved)

    def drain(self) -> list[AnyEvent]:
        """Read all received updates; return all events read so far."""
        self.updates += self._unread
        self._unread.clear()
        return self.events

    async def wait_for_turn(self, mirror: Mirror) -> None:
        """Wait for this player's turn."""
        while (mover := mirror.state.to_move) is None or mover.id != self.id:
            await self.wait_for_update(Moved)

    async def set(self, mirror: Mirror, typed: str) -> None:
        """Wait for this player's turn and set the secret."""
        await self.wait_for_turn(mirror)
        await self.session.set_secret(mirror, pegs(typed))

    async def guess(self, mirror: Mirror, typed: str) -> None:
        """Wait for this player's turn and guess."""
        await self.wait_for_turn(mirror)
        await self.session.guess(mirror, pegs(typed))


class People:
    """The sessions and relays of a test, until `close_all`."""

    def __init__(self, server: GameServer) -> None:
        self._server = server
        self._stack = AsyncExitStack()

    async def meet(
        self,
        name: str | None = None,
        address: str = "",
        identity: Identity | None = None,
        network: Network = DEFAULT_NETWORK,
    ) -> SessionClient:
        """Return a user connected to `address`, by default the server's."""
        identity = identity or Identity()
        server = address or self._server.address
        connecting = Session.connect(server, identity, name, network=network)
        async with asyncio.timeout(PATIENCE):
            return SessionClient(await self._stack.enter_async_context(connecting), identity)

    async def win_here(self, maker: SessionClient) -> None:
        """Break a code of `maker` in two guesses, as this computer's player Bob on the server."""
        with identities().claim(self._server.address) as identity:
            bob = await self.meet("Bob", identity=identity)
            ours, theirs = await sit_down(maker, bob)
            await maker.set(ours, "1234")
            await bob.guess(theirs, "1122")
            await bob.guess(theirs, "1234")

    async def connect_program(self, name: str, identity: Identity | None = None) -> SessionClient:
        """Return a user's own bot, connected to the server."""
        identity = identity or Identity()
        connecting = Session.connect(self._server.address, identity, name, program=True)
        async with asyncio.timeout(PATIENCE):
            return SessionClient(await self._stack.enter_async_context(connecting), identity)

    async def relay(self) -> RelayProxy:
        """Start a relay to the server."""
        return await self._stack.enter_async_context(RelayProxy.to(self._server.address))

    async def close_all(self) -> None:
        """Close all sessions and relays, the newest first."""
        await self._stack.aclose()


async def skip_until_suspected(clock: ManualClock) -> None:
    """Wait until a session's line is urgent, then skip the time until it is suspected."""
    await clock.until(lambda timer: timer.seconds == QUIET_SECONDS)
    clock.skip(QUIET_SECONDS)
    clock.skip(2 * ANSWER_SECONDS)


async def sit_down(
    maker: SessionClient, breaker: SessionClient, rules: str = "classic", *, rounds: int = 1
) -> tuple[Mirror, Mirror]:
    """Open a match of two players; return the mirrors of `maker` and of `breaker`."""
    ours = await maker.session.open(rules, maker="me", breaker="open", rounds=rounds)
    return ours, await breaker.session.join(ours.code)


async def offer_rematch(host: SessionClient, guest: SessionClient) -> Mirror:
    """Play a match by mini, and let `host` offer a rematch. Return the mirror of the rematch."""
    ours, theirs = await sit_down(host, guest, "mini")
    await host.set(ours, "1111")
    await guest.wait_for_turn(theirs)
    await guest.session.perform(theirs, ResignRound())
    await host.wait_for_event(RoundEnded)
    return await host.session.rematch(ours)
