"""The handlers of requests, with the cost and the limits of each request."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, assert_never

import msgspec

from mastermind_protocol import commands as game
from mastermind_protocol import messages as wire
from mastermind_protocol import requests
from mastermind_protocol.codec import encode
from mastermind_protocol.commitment import NONCE_BYTES
from mastermind_protocol.errors import MastermindError, Reason, Refused
from mastermind_server.bots import describe_bots
from mastermind_server.limits import make_terms
from mastermind_server.matches.analysis import Analysis
from mastermind_server.matches.bot_driver import has_adaptive_codemaker
from mastermind_server.matches.lobby.lists import MatchLists
from mastermind_server.matches.standings import Standings
from mastermind_server.matches.tables.row_charges import count_prepaid_rows
from mastermind_server.matches.tables.views import make_snapshot
from mastermind_server.monitoring.overload import Level, Queue
from mastermind_server.network.identity import Identities, make_digest
from mastermind_server.network.rate_limits import PeerLimit
from mastermind_server.storage.statements.accounts import revoke_tokens
from mastermind_server.storage.statements.challenges import allow_challenges
from mastermind_server.storage.threads import StorageFailed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from mastermind_server.matches.bot_driver import BotDriver
    from mastermind_server.matches.lobby.challenges import Challenges
    from mastermind_server.matches.lobby.lobby import Lobby
    from mastermind_server.matches.nodes.presence import Presence
    from mastermind_server.matches.tables.call import Call
    from mastermind_server.matches.tables.followers import Peer
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.network.sessions import Sessions
    from mastermind_server.services import Services

LOG_COST = 4  # of an answer with a log, at most 64 rows: 1.6 ms; a snapshot may load a log
LIST_COST = 8  # of a search through the lists: 3 ms

# The limits that a route can name, with the reasons for their refusals.
PEER_LIMITS = {
    "advice": Reason.TOO_MUCH_ADVICE,
    "challenges": Reason.TOO_MANY_CHALLENGES,
    "chat": Reason.TOO_MANY_LINES,
    "openings": Reason.TOO_MANY_OPENINGS,
    "reviews": Reason.TOO_MANY_REVIEWS,
    "rows": Reason.TOO_MANY_ROWS,
    "analysis_ms": Reason.TOO_MUCH_THOUGHT,
    "query_ms": Reason.TOO_MANY_REQUESTS,
    "transfers": Reason.TOO_MANY_TRANSFERS,
}


# The queues that requests need.
_MATCH_QUEUES = (Queue.LOOKUPS, Queue.MOVES)
_OPENING_QUEUES = (*_MATCH_QUEUES, Queue.LOCKING_WRITES)
_WRITE_QUEUES = (Queue.LOOKUPS, Queue.WRITES)
_QUERY_QUEUES = (Queue.LOOKUPS, Queue.READS)


class Route(NamedTuple):
    """The handler of a request, its cost in moves, and the checks before the handler.

    If the event loop or one of `queues` has the load level `shed_level` or above, the request is
    refused; None means never. `charged_limits` and `checked_limits` contain names of limits in
    PEER_LIMITS. Before the handler runs, each of `charged_limits` loses one token. Each of
    `checked_limits` only needs a token; the handler charges it later, when the cost is known.

    `begins_match`: the request can open a match, or begin one by taking a seat. A draining node
    refuses it, unless the player joins a match in which it has a seat. The dispatcher also
    checks whether another node has marked the player as a program, because the event of taking a
    seat contains this mark. `binds_id`: the player cannot use the id of the request for another
    request. `runs_queries`: the request uses `Store.read`, and its time there is limited.
    """

    handle: Callable[[Handlers, Call[Any]], Awaitable[None]]
    cost: int = 1
    shed_level: Level | None = None
    checked_limits: tuple[str, ...] = ()
    charged_limits: tuple[str, ...] = ()
    begins_match: bool = False
    binds_id: bool = True
    queues: tuple[Queue, ...] = _MATCH_QUEUES
    runs_queries: bool = False


class Handlers:
    """The handlers of requests. Each pushes the answer to the peer, or raises MastermindError.

    `limits` are the rate limits of PEER_LIMITS, by name. `page` is the URL of the web page, or None
    without one.
    """

    def __init__(
        self,
        services: Services,
        tables: Tables,
        lobby: Lobby,
        presence: Presence,
        bots: BotDriver,
        sessions: Sessions,
        challenges: Challenges,
        page: str | None = None,
    ) -> None:
        self._services, self._tables, self._bots = services, tables, bots
        self._presence = presence
        self.lobby, self.sessions, self.analysis = lobby, sessions, Analysis(tables, services)
        self.lists = MatchLists(tables, presence, services, lobby.index)
        self.standings, self._challenges = Standings(services), challenges
        limiter, now = services.limiter, services.clock.now
        self.limits = {
            name: PeerLimit(limiter, name, now, reason) for name, reason in PEER_LIMITS.items()
        }
        self.identities = Identities(
            services.store, services.clock, services.limiter, services.bans
        )
        self._terms = make_terms(services.limiter.limits, page)

    async def hello(self, peer: Peer, request: requests.Hello) -> None:
        """Authenticate the player of a connection, and answer with the welcome message."""
        checks = self.sessions.token_checks
        player, token = await self.identities.identify_player(peer.address, request)
        self.identities.check_ban(player)  # a ban may have been added during the query
        if self.sessions.is_program(player.id):
            player = msgspec.structs.replace(player, program=True)
        self.sessions.add(peer, player, make_digest(token))
        if checks != self.sessions.token_checks:  # a token may have been revoked during the query
            await self.sessions.check_player_tokens(player.id)
        given = None if token == request.token else token
        epoch = self._services.store.epoch
        welcome = wire.Welcome(request.id, player, given, self._terms, epoch)
        peer.push(encode(welcome))
        if request.token is not None or request.transfer is not None:
            self._challenges.send_waiting(peer, player.id)

    async def refuse_second_hello(self, _: Call[requests.Hello]) -> None:
        """Refuse a second hello on a connection."""
        raise Refused(Reason.HELLO_TWICE, field="op")

    async def open(self, call: Call[requests.Open]) -> None:
        """Open a match."""
        await self.lobby.open(call)
        self._charge_rows(call, count_prepaid_rows(call.request.rounds))

    async def seek(self, call: Call[requests.Seek]) -> None:
        """Join the lobby of a waiting player, or open a lobby."""
        await self.lobby.seek(call)
        self._charge_rows(call, count_prepaid_rows(call.request.rounds))

    async def rematch(self, call: Call[requests.Rematch]) -> None:
        """Offer or accept a rematch."""
        rounds = await self.lobby.rematch(call)
        self._charge_rows(call, count_prepaid_rows(rounds))

    async def challenge(self, call: Call[requests.Challenge]) -> None:
        """Open a match for another player, and notify that player."""
        await self._challenges.challenge(call)
        self._charge_rows(call, count_prepaid_rows(call.request.rounds))

    async def decline(self, call: Call[requests.Decline]) -> None:
        """Close the match of a challenge."""
        peer, player, request, key, at = call
        async with self._tables.use(request.match) as table:
            await table.perform(game.Decline(), player.id, key=key, requester=peer, at=at)

    async def allow_challenges(self, call: Call[requests.AllowChallenges]) -> None:
        """Store whether others may challenge the player."""
        await self._services.store.write(
            allow_challenges, call.player.id, allowed=call.request.allowed
        )
        call.peer.push(encode(wire.Done(id=call.request.id)))

    async def join(self, call: Call[requests.Join]) -> None:
        """Take the free seat of a match."""
        await self.lobby.join(call, call.request.match)

    async def resumes(self, call: Call[Any]) -> bool:
        """Return whether a call is a `join` by a player with a seat in the match."""
        if not isinstance(call.request, requests.Join):
            return False
        async with self._tables.use(call.request.match) as table:
            return table.log.state.seat_of(call.player.id) is not None

    async def show_snapshot(self, call: Call[requests.ShowSnapshot]) -> None:
        """Answer with a snapshot of a match."""
        match_code = call.request.match
        async with self._tables.use(match_code) as table:
            snapshot = make_snapshot(call.request.id, match_code, table.log.state)
        call.peer.push(encode(snapshot))

    async def unfollow(self, call: Call[requests.Unfollow]) -> None:
        """Unsubscribe from a match."""
        self.lobby.unfollow(call.peer, call.request.match)
        call.peer.push(encode(wire.Done(id=call.request.id)))

    async def move(
        self, call: Call[requests.Guess] | Call[requests.Secret] | Call[requests.Resign]
    ) -> None:
        """Carry out a guess, the setting of the secret, or the resignation of a round."""
        peer, player, request, key, at = call
        try:
            async with self._tables.use(request.match, request.v) as table:
                rows = table.admit_move(peer, player)
                if rows:
                    self.limits["rows"].check_bucket(peer, player)
                if table.log.state.clock is not None:
                    await self._presence.wait_until_written(request.match)
                command: game.Command
                match request:
                    case requests.Guess():
                        command = game.GuessCode(request.code)
                        if has_adaptive_codemaker(table.log.state):
                            self.limits["analysis_ms"].check_bucket(peer, player)
                            command = await self._bots.rechoose_code(
                                table, command, player.id, request.v, key
                            )
                    case requests.Secret():
                        nonce = self._services.random.randbytes(NONCE_BYTES)
                        command = game.SetSecret(request.code, nonce)
                    case requests.Resign():
                        command = game.ResignRound()
                    case _:
                        assert_never(request)
                await table.perform(
                    command, player.id, key=key, version=request.v, requester=peer, at=at
                )
                if rows:
                    self._charge_rows(call, rows)
        except StorageFailed as error:
            self._services.pauses.add_failure(error, at)
            raise

    async def leave(self, call: Call[requests.Leave]) -> None:
        """Give up the seat in a match, and unsubscribe from the match."""
        peer, player, request, key, at = call
        async with self._tables.use(request.match) as table:
            leave = game.LeaveMatch(request.why)
            await table.perform(leave, player.id, key=key, requester=peer, at=at)
        self.lobby.unfollow(peer, request.match)

    async def say(self, call: Call[requests.Say]) -> None:
        """Store a chat line, and send it to the followers who can read it."""
        async with self._tables.use(call.request.match) as table:
            await table.say(call)
        self._charge_rows(call, 1)

    async def list_bots(self, call: Call[requests.ListBots]) -> None:
        """Answer with the bots of this server."""
        call.peer.push(encode(wire.Bots(id=call.request.id, bots=describe_bots())))

    async def offer_transfer(self, call: Call[requests.Transfer]) -> None:
        """Answer with a transfer code for another computer."""
        digest = self.sessions.find_token_digest(call.peer, call.player)
        transfer_code, seconds = await self.identities.replace_transfer_code(call.player, digest)
        call.peer.push(
            encode(wire.Transferable(id=call.request.id, code=transfer_code, seconds=seconds))
        )

    async def log_out(self, call: Call[requests.Logout]) -> None:
        """Revoke the token of this connection, or all other tokens of the player."""
        peer, player, request, _, _ = call
        digest = self.sessions.find_token_digest(peer, player)
        if not await self._services.store.write(
            revoke_tokens, player.id, digest, others=request.others
        ):
            raise MastermindError(Reason.LOGGED_OUT)
        peer.push(encode(wire.Done(id=request.id)))
        await self.sessions.check_tokens(player.id)

    async def ping(self, call: Call[requests.Ping]) -> None:
        """Answer a ping."""
        call.peer.push(encode(wire.Done(id=call.request.id)))

    def _charge_rows(self, call: Call[Any], rows: int) -> None:
        """Charge `rows` stored rows to the player and the address of a call."""
        self.limits["rows"].reserve(call.peer, call.player, rows)


_OPEN_ROUTE = Route(
    Handlers.open,
    LOG_COST,
    Level.BUSY,
    ("rows",),
    ("openings",),
    begins_match=True,
    queues=_OPENING_QUEUES,
)
_MOVE_ROUTE = Route(Handlers.move)
_LIST_ROUTE = Route(
    lambda self, call: self.lists.list_matches(call),
    LIST_COST,
    Level.BUSY,
    queues=_QUERY_QUEUES,
    runs_queries=True,
)
_ADVISE_ROUTE = Route(
    lambda self, call: self.analysis.advise(call), 1, Level.BUSY, ("analysis_ms",), ("advice",)
)
_REVIEW_ROUTE = _ADVISE_ROUTE._replace(
    handle=lambda self, call: self.analysis.review(call), charged_limits=("reviews",)
)
ROUTES: Mapping[type[requests.Request], Route] = MappingProxyType(
    {
        requests.Hello: Route(
            Handlers.refuse_second_hello,
            shed_level=Level.OVERLOADED,
            binds_id=False,
            queues=(Queue.LOOKUPS, Queue.NEW_PLAYERS),
        ),
        requests.Open: _OPEN_ROUTE,
        requests.Seek: _OPEN_ROUTE._replace(
            handle=Handlers.seek, cost=LIST_COST, queues=(*_OPENING_QUEUES, Queue.READS)
        ),
        requests.Rematch: _OPEN_ROUTE._replace(handle=Handlers.rematch),
        requests.Challenge: _OPEN_ROUTE._replace(
            handle=Handlers.challenge,
            charged_limits=("openings", "challenges"),
            queues=(*_OPENING_QUEUES, Queue.READS),
        ),
        requests.Decline: Route(Handlers.decline, LOG_COST, Level.OVERLOADED),
        requests.AllowChallenges: Route(
            Handlers.allow_challenges, 1, Level.OVERLOADED, queues=_WRITE_QUEUES
        ),
        requests.Join: Route(Handlers.join, LOG_COST, Level.OVERLOADED, begins_match=True),
        requests.Follow: Route(
            lambda self, call: self.lobby.follow(call), LOG_COST, Level.OVERLOADED
        ),
        requests.ShowSnapshot: Route(Handlers.show_snapshot, LOG_COST, Level.BUSY),
        requests.Unfollow: Route(Handlers.unfollow),
        requests.Guess: _MOVE_ROUTE,
        requests.Secret: _MOVE_ROUTE,
        requests.Resign: _MOVE_ROUTE,
        requests.Leave: Route(Handlers.leave),
        requests.Say: Route(
            Handlers.say, 1, Level.OVERLOADED, ("rows",), ("chat",), queues=_WRITE_QUEUES
        ),
        requests.Advise: _ADVISE_ROUTE,
        requests.Review: _REVIEW_ROUTE,
        requests.ListMatches: _LIST_ROUTE,
        requests.Archive: _LIST_ROUTE._replace(
            handle=lambda self, call: self.lists.list_archive(call)
        ),
        requests.ListOwn: _LIST_ROUTE._replace(handle=lambda self, call: self.lists.list_own(call)),
        requests.ShowLeaderboard: _LIST_ROUTE._replace(
            handle=lambda self, call: self.standings.show_leaderboard(call)
        ),
        requests.ShowProfile: _LIST_ROUTE._replace(
            handle=lambda self, call: self.standings.show_profile(call)
        ),
        requests.ShowStatistics: _LIST_ROUTE._replace(
            handle=lambda self, call: self.standings.show_statistics(call)
        ),
        requests.ListBots: Route(Handlers.list_bots),
        requests.Transfer: Route(
            Handlers.offer_transfer, 1, Level.BUSY, (), ("transfers",), queues=_WRITE_QUEUES
        ),
        requests.Logout: Route(Handlers.log_out),
        requests.Ping: Route(Handlers.ping),
    }
)
"""The route of each request of the protocol, by the type of the request."""
