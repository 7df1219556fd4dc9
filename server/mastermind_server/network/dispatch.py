"""Dispatching a request: load level, idempotency, limits, handler, and one place for errors."""

from __future__ import annotations

import logging
from collections import Counter
from contextlib import ExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import msgspec
from websockets.frames import CloseCode

from mastermind_protocol import requests
from mastermind_protocol.codec import encode
from mastermind_protocol.errors import TRANSIENT, ErrorCode, MastermindError, Reason, Refused
from mastermind_protocol.messages import Error
from mastermind_server.bots.runner import spent
from mastermind_server.health.usage import RequestTimes
from mastermind_server.logs import about
from mastermind_server.matches.tables.call import Call
from mastermind_server.network.handlers import ROUTES, Handlers, Route
from mastermind_server.network.rate_limits import AddressLimit, RateLimit
from mastermind_server.network.sessions import BANNED
from mastermind_server.storage.idempotency import RecentRequests, RequestKey, ReusedId
from mastermind_server.storage.statements.log import has_moved
from mastermind_server.tuning import OVERLOADED_RETRY_SECONDS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mastermind_protocol.events import Player
    from mastermind_server.health.overload import Level
    from mastermind_server.matches.tables.followers import Peer
    from mastermind_server.services import Services

_LOG = logging.getLogger(__name__)


class Dispatcher:
    """Handles the requests of peers and answers each once.

    `refusals` counts the reasons of refusals; `times` holds the time of requests.
    """

    def __init__(self, services: Services, handlers: Handlers) -> None:
        self._services, self._handlers = services, handlers
        limiter, now = services.limiter, services.clock.now
        self._wrong_codes = RateLimit(limiter, "wrong_codes", now, Reason.WRONG_CODES)
        self._wrong_codes_of_address = AddressLimit(
            limiter, "wrong_codes_of_address", now, Reason.WRONG_CODES
        )
        self._recent = RecentRequests()
        self._now = now
        self.times = RequestTimes(now)
        self.refusals: Counter[Reason | None] = Counter()

    async def handle(self, peer: Peer, request: requests.AnyRequest) -> None:
        """Handle a request and push its answer. Never raises: an error is an answer too."""
        began = self._now()
        try:
            await self._handle(peer, request)
        except MastermindError as error:
            self.refusals[error.reason] += 1
            peer.push(encode(Error.of(error, request.id)))
            if error.code == ErrorCode.BANNED:
                peer.end(CloseCode.POLICY_VIOLATION, BANNED)
        except Exception:
            self.refusals[Reason.INTERNAL] += 1
            log = about(_LOG, connection=peer.number, match=getattr(request, "match", None))
            log.exception("a request of type %s failed", type(request).__name__)
            failed = MastermindError(Reason.INTERNAL)
            peer.push(encode(Error.of(failed, request.id)))
        finally:
            self.times.add(request, self._now() - began, peer.number)

    async def disconnect(self, peer: Peer) -> None:
        """Remove a peer after its connection has ended."""
        self._handlers.sessions.leave(peer)
        await self._handlers.lobby.unfollow_all(peer)

    async def _handle(self, peer: Peer, request: requests.AnyRequest) -> None:
        """Handle a request once; a repeated request that was refused is refused again."""
        route = ROUTES[type(request)]
        if self._services.load.level and route.shed is not None:
            await self._check_load(peer, request, route.shed)
        player = peer.player
        if player is None:
            if not isinstance(request, requests.Hello):
                raise Refused(Reason.HELLO_FIRST, field="op")
            await self._handlers.greet(peer, request)
            return
        key = RequestKey.of(request)
        if route.binds and (refusal := self._recent.bind(player.id, key)):
            peer.push(refusal)
            return
        try:
            code = getattr(request, "match", None)
            if code is None or code in peer.followed:
                await self._serve(route, Call(peer, player, request, key))
            else:
                async with self._trying_code(peer, player, code):
                    await self._serve(route, Call(peer, player, request, key))
        except ReusedId:
            self._recent.release(player.id, key)
            raise
        except MastermindError as error:
            if error.code not in TRANSIENT:
                self._recent.refuse(player.id, key, encode(Error.of(error, request.id)))
            raise

    async def _serve(self, route: Route, call: Call[Any]) -> None:
        """Check the limits of a route and await its handler."""
        peer, player = call.peer, call.player
        if route.seats and await self._handlers.identities.is_program(player):
            player = msgspec.structs.replace(player, program=True)
            self._handlers.sessions.rename(player)
            call = call._replace(player=player)
        if route.begins:
            self._services.readiness.check()
        for name in route.checks:
            self._handlers.limits[name].check(peer, player)
        for name in route.takes:
            self._handlers.limits[name].take(peer, player)
        before = spent.get()
        try:
            await route.handle(self._handlers, call)
        finally:
            after = spent.get()
            if after != before and (thought := round(1000 * (after - before))):
                self._handlers.limits["thought"].reserve(peer, player, thought)

    async def _check_load(self, peer: Peer, request: requests.AnyRequest, shed: Level) -> None:
        """Refuse a request that is shed now, unless it brings a player back to a match.

        A client can claim any version, so whether a follow does so is read from the store.
        """
        if self._services.load.level < shed:
            return
        if isinstance(request, requests.Hello) and request.token is not None:
            return
        if (
            isinstance(request, requests.Follow)
            and peer.player is not None
            and await self._services.store.read(has_moved, peer.player.id, request.match)
        ):
            return
        raise Refused(Reason.OVERLOADED, retry_after=OVERLOADED_RETRY_SECONDS)

    @asynccontextmanager
    async def _trying_code(self, peer: Peer, player: Player, code: str) -> AsyncIterator[None]:
        """Limit guessing of match codes by a player and by an address. Raises Refused.

        The tokens are taken first, because many requests may run at once, and refunded unless the
        match is unknown. A player can always return to a match in which it has moved; a player who
        has ever moved is not affected by others at its address.
        """
        with ExitStack() as refunds:
            for limit, key, match in (
                (self._wrong_codes, player.id, code),
                (self._wrong_codes_of_address, peer.address, None),
            ):
                try:
                    limit.take(key)
                except Refused:
                    if not await self._services.store.read(has_moved, player.id, match):
                        raise
                else:
                    refunds.callback(limit.refund, key)
            try:
                yield
            except MastermindError as error:
                if error.code == ErrorCode.UNKNOWN_MATCH:
                    refunds.pop_all()
                raise
