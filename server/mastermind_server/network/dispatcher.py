"""Decides whether a request is delayed, refused or run, and calls its handler.

Only checks that need a match are elsewhere: in the handler and the match's table.
"""

from __future__ import annotations

import logging
from collections import Counter
from contextlib import ExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import msgspec
from websockets.frames import CloseCode

from mastermind_protocol import requests
from mastermind_protocol.codec import encode
from mastermind_protocol.errors import TRANSIENT_CODES, ErrorCode, MastermindError, Reason, Refused
from mastermind_protocol.messages import Error
from mastermind_server.bots.runner import worker_cpu_seconds
from mastermind_server.matches.tables.call import Call
from mastermind_server.monitoring.logs import with_context
from mastermind_server.monitoring.overload import OVERLOADED_RETRY_SECONDS, RESTART_RETRY_SECONDS
from mastermind_server.monitoring.usage import RequestDurations
from mastermind_server.network.rate_limits import (
    AddressLimit,
    AddressTurns,
    RateLimit,
    RequestCostLimits,
)
from mastermind_server.network.routes import ROUTES, Route
from mastermind_server.network.sessions import BANNED_CLOSE_REASON
from mastermind_server.storage.idempotency import RecentRequests, RequestKey, ReusedId
from mastermind_server.storage.statements.log import has_moved
from mastermind_server.storage.store import query_seconds

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mastermind_protocol.events import Player
    from mastermind_server.clock import Clock
    from mastermind_server.matches.tables.followers import Peer
    from mastermind_server.network.handlers import Handlers
    from mastermind_server.services import Services

_LOG = logging.getLogger(__name__)


class Dispatcher:
    """Passes requests to their handlers, and sends errors as answers.

    `clock` is the clock of connections, which times the limits on costs. `costs` sums the costs of
    requests by address. `refusals` has the number of error answers by reason, and `durations` the
    durations of requests in seconds. `wrong_codes_of_address` limits how often an address names an
    unknown match, in requests and in URLs of the web page.
    """

    def __init__(self, services: Services, handlers: Handlers, clock: Clock) -> None:
        self._services, self._handlers, self._clock = services, handlers, clock
        limiter, now = services.limiter, services.clock.now
        self._cost_limits = RequestCostLimits(limiter, clock.now)
        self.costs = self._cost_limits.costs
        self._turns = AddressTurns()
        self._wrong_codes = RateLimit(limiter, "wrong_codes", now, Reason.WRONG_CODES)
        self.wrong_codes_of_address = AddressLimit(
            limiter, "wrong_codes_of_address", now, Reason.WRONG_CODES
        )
        self._recent = RecentRequests()
        services.store.epochs.watchers.append(self._recent.clear)
        self._now = now
        self.durations = RequestDurations(now)
        self.refusals: Counter[Reason | None] = Counter()

    async def handle(self, peer: Peer, request: requests.AnyRequest, at: float) -> None:
        """Handle a request and push its answer. Errors are also answers, so nothing is raised.

        The request waits while its player or address exceeds a limit on costs. `at` is the time
        when the request was read, in monotonic seconds.
        """
        route = ROUTES[type(request)]
        wait = self._cost_limits.reserve(peer, route.cost)
        if wait > 0:
            await self._clock.sleep(wait)
            if peer.ended:  # the player was banned or logged out
                return
        began = self._now()
        try:
            await self._dispatch(route, peer, request, at)
        except MastermindError as error:
            self.refusals[error.reason] += 1
            peer.push(encode(Error.of(error, request.id)))
            if error.code == ErrorCode.BANNED:
                peer.end(CloseCode.POLICY_VIOLATION, BANNED_CLOSE_REASON)
        except Exception:
            self.refusals[Reason.INTERNAL] += 1
            log = with_context(_LOG, connection=peer.number, match=getattr(request, "match", None))
            log.exception("a request of type %s failed", type(request).__name__)
            failed = MastermindError(Reason.INTERNAL)
            peer.push(encode(Error.of(failed, request.id)))
        finally:
            self.durations.add(request, self._now() - began, peer.number)

    def remove_peer(self, peer: Peer) -> None:
        """Remove a peer from the sessions and its matches, after its connection has ended."""
        self._handlers.sessions.remove(peer)
        self._handlers.lobby.unfollow_all(peer)

    async def _dispatch(
        self, route: Route, peer: Peer, request: requests.AnyRequest, at: float
    ) -> None:
        """Handle a request. If the same request was refused before, only send the refusal again.

        Raises MastermindError.
        """
        if self._services.load.highest:
            await self._check_load(route, peer, request)
        player = peer.player
        if player is None:
            if not isinstance(request, requests.Hello):
                raise Refused(Reason.HELLO_FIRST, field="op")
            await self._handlers.hello(peer, request)
            return
        key = RequestKey.of(request)
        if route.binds_id and (refusal := self._recent.bind(player.id, key)):
            peer.push(refusal)
            return
        try:
            match_code = getattr(request, "match", None)
            call = Call(peer, player, request, key, at)
            if route.runs_queries:
                await self._call_with_query_time(route, call)
            elif match_code is None or match_code in peer.followed:
                await self._call_handler(route, call)
            else:
                async with self._limit_unknown_matches(peer, player, match_code):
                    await self._call_handler(route, call)
        except ReusedId:
            self._recent.release(player.id, key)
            raise
        except MastermindError as error:
            if error.code not in TRANSIENT_CODES:
                self._recent.keep_refusal(player.id, key, encode(Error.of(error, request.id)))
            raise

    async def _call_with_query_time(self, route: Route, call: Call[Any]) -> None:
        """Await the handler of a request that runs queries, and charge for their running time.

        The requests of an address run one after another, so other addresses wait for at most one
        query of this address.
        """
        limit = self._handlers.limits["query_ms"]
        async with self._turns.enter(call.peer.address):
            limit.check_bucket(call.peer, call.player)
            before = query_seconds.get()
            try:
                await self._call_handler(route, call)
            finally:
                used = 1000 * (query_seconds.get() - before)
                limit.reserve(call.peer, call.player, used)

    async def _call_handler(self, route: Route, call: Call[Any]) -> None:
        """Check the limits of `route`, await its handler, and charge the CPU time of the solver."""
        peer, player = call.peer, call.player
        if route.begins_match:
            if self._services.readiness.draining and not await self._handlers.resumes(call):
                raise Refused(Reason.RESTARTING, retry_after=RESTART_RETRY_SECONDS)
            if await self._handlers.identities.has_become_program(player):
                player = msgspec.structs.replace(player, program=True)
                self._handlers.sessions.update_player(player)
                call = call._replace(player=player)
        for name in route.checked_limits:
            self._handlers.limits[name].check_bucket(peer, player)
        for name in route.charged_limits:
            self._handlers.limits[name].take(peer, player)
        before = worker_cpu_seconds.get()
        try:
            await route.handle(self._handlers, call)
        finally:
            after = worker_cpu_seconds.get()
            if after != before and (thought := round(1000 * (after - before))):
                self._handlers.limits["analysis_ms"].reserve(peer, player, thought)

    async def _check_load(self, route: Route, peer: Peer, request: requests.AnyRequest) -> None:
        """Raise Refused if `route` is refused at its load level, unless the player is returning.

        A player returns by a hello with a token, or by following a match in which the player has
        moved.
        """
        level = self._services.load.find_level(route.queues)
        if route.shed_level is None or level < route.shed_level:
            return
        if isinstance(request, requests.Hello) and request.token is not None:
            return
        if (
            isinstance(request, requests.Follow)
            and peer.player is not None
            and await self._services.store.look_up(has_moved, peer.player.id, request.match)
        ):
            return
        raise Refused(Reason.OVERLOADED, retry_after=OVERLOADED_RETRY_SECONDS)

    @asynccontextmanager
    async def _limit_unknown_matches(
        self, peer: Peer, player: Player, match_code: str
    ) -> AsyncIterator[None]:
        """Charge the rate limits of player and address if the block raises UNKNOWN_MATCH.

        Both tokens are taken before the block, because many requests can run at once. They are
        refunded unless the block raises UNKNOWN_MATCH. If a bucket is empty, Refused is raised
        before the block. A player who has moved in this match is exempt from the limit per player.
        A player who has moved in any match is exempt from the limit per address.
        """
        with ExitStack() as refunds:
            for limit, key, match in (
                (self._wrong_codes, player.id, match_code),
                (self.wrong_codes_of_address, peer.address, None),
            ):
                try:
                    limit.take(key)
                except Refused:
                    if not await self._services.store.look_up(has_moved, player.id, match):
                        raise
                else:
                    refunds.callback(limit.refund, key)
            try:
                yield
            except MastermindError as error:
                if error.code == ErrorCode.UNKNOWN_MATCH:
                    refunds.pop_all()
                raise
