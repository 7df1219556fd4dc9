"""From a request to whoever does it: one closed table, and one place where errors are answered."""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING, assert_never

import msgspec
from websockets.frames import CloseCode

from mastermind_protocol import commands as game
from mastermind_protocol import messages as wire
from mastermind_protocol import requests
from mastermind_protocol.codec import encode
from mastermind_protocol.commitment import NONCE_BYTES
from mastermind_protocol.errors import PASSING, ErrorCode, MastermindError, Reason, Refused
from mastermind_server.bots import describe_bots
from mastermind_server.bots.runner import spent
from mastermind_server.health.usage import RequestTimes
from mastermind_server.logs.log_lines import about
from mastermind_server.matches.analysis import Analysis
from mastermind_server.matches.bot_driver import keeps_no_code
from mastermind_server.network.identity import Identities, check_name, make_digest
from mastermind_server.network.pace import AddressBuckets, Buckets
from mastermind_server.network.quota import Quota, price_match, price_move
from mastermind_server.network.refusals import BANNED, describe
from mastermind_server.network.terms import describe_terms
from mastermind_server.storage.requests import Requests, ReusedId, Stamp

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from mastermind_protocol.events import Player
    from mastermind_server.matches.bot_driver import BotDriver
    from mastermind_server.matches.lobby.lobby import Lobby
    from mastermind_server.matches.tables.followers import Peer
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.network.sessions import Sessions
    from mastermind_server.services import Services

_LOG = logging.getLogger(__name__)
_SEATING = (requests.Open, requests.Seek, requests.Join, requests.Rematch)  # at a match


class Router:
    """Does what peers ask, and answers every request once; `refusals` counts why it was refused.

    `times` are how long requests took.
    """

    def __init__(
        self,
        services: Services,
        tables: Tables,
        lobby: Lobby,
        bots: BotDriver,
        sessions: Sessions,
    ) -> None:
        self._services, self._tables, self._lobby, self._bots = services, tables, lobby, bots
        self._sessions = sessions
        self._analysis = Analysis(tables, services)
        limiter, now = services.limiter, services.clock.now
        self._identities = Identities(services.store, services.clock, limiter, services.bans)
        self._terms = describe_terms(limiter.limits)
        self._new_players = AddressBuckets(limiter, "new_players", now, Reason.TOO_MANY_PLAYERS)
        self._transfers = Buckets(limiter, "transfers", now, Reason.TOO_MANY_TRANSFERS)
        self._wrong_transfers = AddressBuckets(
            limiter, "wrong_transfers", now, Reason.WRONG_TRANSFERS
        )
        self._openings = Buckets(limiter, "openings", now, Reason.TOO_MANY_OPENINGS)
        self._thought = Buckets(limiter, "thought", now, Reason.TOO_MUCH_THOUGHT)
        self._thought_from = AddressBuckets(
            limiter, "thought_of_address", now, Reason.TOO_MUCH_THOUGHT
        )
        self._quota = Quota(limiter, services.clock)
        self._wrong_codes = Buckets(limiter, "wrong_codes", now, Reason.WRONG_CODES)
        self._wrong_codes_from = AddressBuckets(
            limiter, "wrong_codes_of_address", now, Reason.WRONG_CODES
        )
        self._advice = Buckets(limiter, "advice", now, Reason.TOO_MUCH_ADVICE)
        self._reviews = Buckets(limiter, "reviews", now, Reason.TOO_MANY_REVIEWS)
        self._chat = Buckets(limiter, "chat", now, Reason.TOO_MANY_LINES)
        self._chat_from = AddressBuckets(limiter, "chat_of_address", now, Reason.TOO_MANY_LINES)
        self._requests = Requests()
        self.times = RequestTimes(now)
        self._now = now
        self.refusals: Counter[Reason | None] = Counter()

    async def handle(self, peer: Peer, request: requests.AnyRequest) -> None:
        """Do a request and push its answer. Never raises: what goes wrong is an answer too."""
        began = self._now()
        try:
            await self._do(peer, request)
        except MastermindError as error:
            self.refusals[error.reason] += 1
            peer.push(encode(describe(error, request.id)))
            if error.code == ErrorCode.BANNED:
                peer.end(CloseCode.POLICY_VIOLATION, BANNED)
        except Exception:
            self.refusals[Reason.INTERNAL] += 1
            log = about(_LOG, connection=peer.number, match=getattr(request, "match", None))
            log.exception("a request of type %s failed", type(request).__name__)
            failed = MastermindError(Reason.INTERNAL)
            peer.push(encode(describe(failed, request.id)))
        finally:
            self.times.add(request, self._now() - began, peer.number)

    async def gone(self, peer: Peer) -> None:
        """Forget a peer whose connection has ended."""
        self._sessions.leave(peer)
        await self._lobby.gone(peer)

    async def _greet(self, peer: Peer, request: requests.Hello) -> None:
        if peer.player is not None:
            raise Refused(Reason.HELLO_TWICE, field="op")
        checks = self._sessions.checks
        player, token = await self._find_player(peer, request)
        self._identities.check_ban(player)  # who may have been banned since it was found
        if self._sessions.is_program(player.id):
            player = msgspec.structs.replace(player, program=True)
        self._sessions.enter(peer, player, make_digest(token))
        if checks != self._sessions.checks:  # since the token was found it may have become void
            await self._sessions.check_player(player.id)
        given = None if token == request.token else token
        peer.push(
            encode(wire.Welcome(id=request.id, player=player, token=given, terms=self._terms))
        )

    async def _find_player(self, peer: Peer, request: requests.Hello) -> tuple[Player, str]:
        """Return who says hello, and the token that proves it: a new one to who has come without.

        Raises Refused.
        """
        name, program = request.name, request.program
        if request.transfer is not None:
            if request.token is not None:
                raise Refused(Reason.TOKEN_OR_TRANSFER, field="transfer")
            if name:
                check_name(name)  # before the code is used up
            self._wrong_transfers.take(peer.address)  # before the wait: many may try at once
            try:
                arrived = await self._identities.take_transfer(
                    request.transfer, name, program=program
                )
            except MastermindError:
                self._wrong_transfers.give_back(peer.address)
                raise
            if arrived is None:
                raise Refused(Reason.UNKNOWN_TRANSFER, field="transfer")
            self._wrong_transfers.give_back(peer.address)
            return arrived
        if request.token is not None:
            player = await self._identities.recognise(request.token, name, program=program)
            return player, request.token
        self._new_players.take(peer.address)
        return await self._identities.register(name, program=program)

    async def _do(self, peer: Peer, request: requests.AnyRequest) -> None:
        """Do a request once; what was refused before is refused again."""
        if self._services.load.level:
            await self._check_load(peer, request)
        if isinstance(request, requests.Hello):
            await self._greet(peer, request)
            return
        player = peer.player
        if player is None:
            raise Refused(Reason.HELLO_FIRST, field="op")
        stamp = Stamp.of(request)
        if refusal := self._requests.bind(player.id, stamp):
            peer.push(refusal)
            return
        guessed: list[tuple[Buckets, str]] = []
        try:
            code = getattr(request, "match", None)
            if code is not None and code not in peer.followed:
                await self._take_for_code(peer, player, code, guessed)
            if isinstance(request, _SEATING) and await self._identities.is_program(player):
                player = msgspec.structs.replace(player, program=True)
                self._sessions.rename(player)
            if work := self._serve(peer, player, request, stamp):
                before = spent.get()
                try:
                    await work
                finally:
                    after = spent.get()
                    if after != before and (thought := round(1000 * (after - before))):
                        self._thought.reserve(player.id, thought)
                        self._thought_from.reserve(peer.address, thought)
        except ReusedId:
            self._requests.release(player.id, stamp)
            raise
        except MastermindError as error:
            if error.code == ErrorCode.UNKNOWN_MATCH:
                guessed.clear()
            if error.code not in PASSING:
                self._requests.refuse(player.id, stamp, encode(describe(error, request.id)))
            raise
        finally:
            for buckets, key in guessed:
                buckets.give_back(key)

    async def _check_load(self, peer: Peer, request: requests.AnyRequest) -> None:
        """Refuse what there is too much to do for, but let players come back to their matches.

        Who goes on from some version may say so without ever having been there.
        """
        try:
            self._services.load.check(request)
        except Refused:
            player = peer.player
            if player is None or not isinstance(request, requests.Follow):
                raise
            if not await self._services.store.has_moved(player.id, request.match):
                raise

    async def _take_for_code(
        self, peer: Peer, player: Player, code: str, taken: list[tuple[Buckets, str]]
    ) -> None:
        """Let nobody try match codes out: a player, or all at one address. Raises Refused.

        What is `taken` is to be given back if the code is right: it is taken before that is known,
        for many may try at once. Nobody is kept by that from a match in which it has a seat; nor,
        by what others do at its address, from any if it has ever had one: openings, not hellos,
        are what that takes.
        """
        has_moved = self._services.store.has_moved
        try:
            self._wrong_codes.take(player.id)
            taken.append((self._wrong_codes, player.id))
        except Refused:
            if not await has_moved(player.id, code):
                raise
        try:
            self._wrong_codes_from.take(peer.address)
            taken.append((self._wrong_codes_from, peer.address))
        except Refused:
            if not await has_moved(player.id):
                raise

    def _serve(
        self, peer: Peer, player: Player, request: requests.AnyRequest, stamp: Stamp
    ) -> Awaitable[None] | None:
        """Begin to do a request; return what is to be awaited until it is done, if anything."""
        lobby = self._lobby
        match request:
            case requests.Guess() | requests.Secret() | requests.Resign():
                return self._move(peer, player, request, stamp)
            case requests.Leave():
                return self._leave(peer, player, request, stamp)
            case requests.Open() | requests.Seek() | requests.Rematch():
                return self._begin(peer, player, request, stamp)
            case requests.Join():
                return lobby.join(peer, player, stamp, request.match)
            case requests.Follow():
                return lobby.follow(peer, request.id, request.match, request.v)
            case requests.Unfollow():
                return self._unfollow(peer, request)
            case requests.ListMatches():
                return lobby.list_matches(peer, request)
            case requests.Advise():
                self._check_thought(peer, player)
                self._advice.take(player.id)
                return self._analysis.advise(peer, player, request, stamp)
            case requests.Review():
                self._check_thought(peer, player)
                self._reviews.take(player.id)
                return self._analysis.review(peer, player, request)
            case requests.ListBots():
                peer.push(encode(wire.Bots(id=request.id, bots=describe_bots())))
            case requests.Say():
                self._chat_from.check(peer.address)
                self._chat.take(player.id)
                self._chat_from.take(peer.address)
                return self._say(peer, player, request, stamp)
            case requests.Archive():
                return lobby.list_archive(peer, player, request)
            case requests.ListOwn():
                return lobby.list_own(peer, player, request)
            case requests.Transfer():
                return self._transfer(peer, player, request)
            case requests.Logout():
                return self._log_out(peer, player, request)
            case requests.Ping():
                peer.push(encode(wire.Done(id=request.id)))
            case requests.Hello():
                raise AssertionError("hello is answered before a player is known")
            case _:
                assert_never(request)
        return None

    def _check_thought(self, peer: Peer, player: Player) -> None:
        """Refuse what the solver is to think about while it has thought too much for the peer.

        That is known only afterwards, when it is charged.
        """
        self._thought_from.check(peer.address)
        self._thought.check(player.id)

    async def _begin(
        self,
        peer: Peer,
        player: Player,
        request: requests.Open | requests.Seek | requests.Rematch,
        stamp: Stamp,
    ) -> None:
        """Let somebody begin a match, if not too often, and not here if the node drains."""
        self._services.readiness.check()
        self._openings.take(player.id)
        self._quota.check(peer, player.id)
        match request:
            case requests.Open():
                rounds = request.rounds
                await self._lobby.open(peer, player, request, stamp)
            case requests.Seek():
                rounds = request.rounds
                await self._lobby.seek(peer, player, request, stamp)
            case requests.Rematch():
                rounds = await self._lobby.rematch(peer, player, stamp, request.match)
            case _:
                assert_never(request)
        self._quota.charge(peer, player.id, price_match(rounds))

    async def _move(
        self,
        peer: Peer,
        player: Player,
        request: requests.Guess | requests.Secret | requests.Resign,
        stamp: Stamp,
    ) -> None:
        async with self._tables.at(request.match, request.v) as table:
            if player.program and table.log.state.opened.rated:
                raise Refused(Reason.RATED_WITHOUT_PROGRAMS, field="match")
            if price := price_move(table.log.version, table.log.state.opened.rounds):
                self._quota.check(peer, player.id)
            command: game.Command
            match request:
                case requests.Guess():
                    command = game.GuessCode(request.code)
                    if keeps_no_code(table.log.state):
                        self._check_thought(peer, player)
                        command = await self._bots.answer(
                            table, command, player.id, request.v, stamp
                        )
                case requests.Secret():
                    nonce = self._services.random.randbytes(NONCE_BYTES)
                    command = game.SetSecret(request.code, nonce)
                case requests.Resign():
                    command = game.ResignRound()
                case _:
                    assert_never(request)
            await table.perform(command, player.id, stamp=stamp, version=request.v, asker=peer)
            if price:
                self._quota.charge(peer, player.id, price)

    async def _leave(
        self, peer: Peer, player: Player, request: requests.Leave, stamp: Stamp
    ) -> None:
        async with self._tables.at(request.match) as table:
            await table.perform(game.LeaveMatch(request.why), player.id, stamp=stamp, asker=peer)
        await self._lobby.unfollow(peer, request.match)

    async def _unfollow(self, peer: Peer, request: requests.Unfollow) -> None:
        await self._lobby.unfollow(peer, request.match)
        peer.push(encode(wire.Done(id=request.id)))

    async def _say(self, peer: Peer, player: Player, request: requests.Say, stamp: Stamp) -> None:
        self._quota.check(peer, player.id)
        async with self._tables.at(request.match) as table:
            await table.say(peer, player, request, stamp)
        self._quota.charge(peer, player.id, 1)

    async def _transfer(self, peer: Peer, player: Player, request: requests.Transfer) -> None:
        self._transfers.take(player.id)
        code, seconds = await self._identities.offer_transfer(
            player, self._sessions.find_token(peer, player)
        )
        peer.push(encode(wire.Transferable(id=request.id, code=code, seconds=seconds)))

    async def _log_out(self, peer: Peer, player: Player, request: requests.Logout) -> None:
        token = self._sessions.find_token(peer, player)
        if not await self._services.store.revoke(player.id, token, others=request.others):
            raise MastermindError(Reason.LOGGED_OUT)
        peer.push(encode(wire.Done(id=request.id)))
        await self._sessions.check(player.id)
