"""The handlers of requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

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
from mastermind_server.matches.contests.lists import DayLists
from mastermind_server.matches.lobby.entrance import Entrance
from mastermind_server.matches.lobby.lists import MatchLists
from mastermind_server.matches.lobby.people import PeopleLists
from mastermind_server.matches.standings import Standings
from mastermind_server.matches.tables.row_charges import count_prepaid_rows
from mastermind_server.matches.tables.views import make_snapshot
from mastermind_server.network.identity import Identities, make_digest
from mastermind_server.network.rate_limits import PeerLimit
from mastermind_server.storage.statements.accounts import revoke_tokens
from mastermind_server.storage.statements.challenges import allow_challenges
from mastermind_server.storage.threads import StorageFailed

if TYPE_CHECKING:
    from mastermind_server.matches.bot_driver import BotDriver
    from mastermind_server.matches.contests.entries import Entries
    from mastermind_server.matches.lobby.challenges import Challenges
    from mastermind_server.matches.lobby.lobby import Lobby
    from mastermind_server.matches.nodes.presence import Presence
    from mastermind_server.matches.tables.call import Call
    from mastermind_server.matches.tables.followers import Peer
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.network.sessions import Sessions
    from mastermind_server.services import Services

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


class Handlers:
    """The handlers of requests. Each pushes the answer to the peer, or raises MastermindError.

    `limits` are the rate limits of PEER_LIMITS, by name. `page` is the URL of the web page, and
    `host` the name of the player whose program runs the server; both may be None.
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
        entries: Entries,
        page: str | None = None,
        host: str | None = None,
    ) -> None:
        self._services, self._tables, self._bots = services, tables, bots
        self._presence = presence
        self.lobby, self.sessions = lobby, sessions
        self.analysis = Analysis(tables, services, entries)
        self.lists = MatchLists(tables, presence, services, lobby.index)
        self.day_lists = DayLists(services, entries.days)
        self.people = PeopleLists(presence, services, sessions.find_peers)
        self.standings, self._challenges = Standings(services), challenges
        self._entries = entries
        self._entrance = Entrance(lobby, entries.days, services)
        limiter, now = services.limiter, services.clock.now
        self.limits = {
            name: PeerLimit(limiter, name, now, reason) for name, reason in PEER_LIMITS.items()
        }
        self.identities = Identities(
            services.store, services.clock, services.limiter, services.bans
        )
        self._terms = make_terms(
            services.limiter.limits,
            page,
            host,
            has_days=entries.days.enabled,
            match_addresses=services.store.shared,
        )

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

    async def enter(self, call: Call[requests.EnterDay]) -> None:
        """Begin or continue the try at the code of today."""
        if await self._entrance.enter(call):
            self._charge_rows(call, count_prepaid_rows(rounds=1))

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
            await self._entries.admit_viewer(table, call.player.id)
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
                if table.log.state.opened.contest is not None:  # a property would be a call
                    await self._entries.check_move(table, call)
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
            if table.log.state.is_entry:
                await self._entries.check_move(table, call)
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
