"""From a request to whoever does it: one closed table, and one place where errors are answered."""

from __future__ import annotations

import logging
from collections import OrderedDict
from typing import TYPE_CHECKING, assert_never

from mastermind_protocol import commands as game
from mastermind_protocol import messages as wire
from mastermind_protocol.codec import encode
from mastermind_protocol.errors import ErrorCode, MastermindError, Refused
from mastermind_server.bots import describe_bots
from mastermind_server.limits import (
    ADVICE,
    CHAT,
    CHAT_FROM,
    NEW_PLAYERS,
    OPENINGS,
    REFUSALS_KEPT,
    REVIEWS,
    WRONG_CODES,
    Buckets,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_protocol.events import Player
    from mastermind_server.identity import Identities
    from mastermind_server.lobby import Lobby
    from mastermind_server.peer import Peer
    from mastermind_server.study import Study

_LOG = logging.getLogger(__name__)
_PASSING = {ErrorCode.RATE_LIMITED, ErrorCode.STORAGE_FAILED, ErrorCode.INTERNAL}


class Router:
    """Does what peers ask, and answers every request once."""

    def __init__(
        self, lobby: Lobby, study: Study, identities: Identities, now: Callable[[], float]
    ) -> None:
        self._lobby, self._study, self._identities = lobby, study, identities
        self._new_players = Buckets(NEW_PLAYERS, now)
        self._openings = Buckets(OPENINGS, now)
        self._wrong_codes = Buckets(WRONG_CODES, now)
        self._advice = Buckets(ADVICE, now)
        self._reviews = Buckets(REVIEWS, now)
        self._chat = Buckets(CHAT, now)
        self._chat_from = Buckets(CHAT_FROM, now)
        self._refusals: OrderedDict[tuple[str, int], wire.Error] = OrderedDict()

    async def handle(self, peer: Peer, request: wire.AnyRequest) -> None:
        """Do a request and push its answer. Never raises: what goes wrong is an answer too."""
        known = None if isinstance(request, wire.Hello) else peer.player
        key = (known.id, request.id) if known else None
        if key is not None and (refusal := self._refusals.get(key)):
            peer.push(encode(refusal))
            return
        try:
            await self._do(peer, request)
        except MastermindError as error:
            refusal = describe(error, request.id)
            if key is not None and error.code not in _PASSING:
                self._remember(key, refusal)
            peer.push(encode(refusal))
        except Exception:
            _LOG.exception("a request of type %s failed", type(request).__name__)
            failed = MastermindError(ErrorCode.INTERNAL, "the server failed; it has been logged")
            peer.push(encode(describe(failed, request.id)))

    async def gone(self, peer: Peer) -> None:
        """Forget a peer whose connection has ended."""
        await self._lobby.gone(peer)

    async def _do(self, peer: Peer, request: wire.AnyRequest) -> None:
        if isinstance(request, wire.Hello):
            await self._greet(peer, request)
            return
        if peer.player is None:
            raise Refused(ErrorCode.HELLO_FIRST, "say hello before anything else", field="op")
        code = getattr(request, "match", None)
        if code is not None and code not in peer.followed:
            self._wrong_codes.check(peer.address)
        try:
            await self._serve(peer, peer.player, request)
        except Refused as refusal:
            if refusal.code == ErrorCode.UNKNOWN_MATCH:
                self._wrong_codes.take(peer.address)
            raise

    async def _greet(self, peer: Peer, request: wire.Hello) -> None:
        if peer.player is not None:
            raise Refused(ErrorCode.HELLO_TWICE, "this connection has said hello", field="op")
        token = None
        if request.token is None:
            self._new_players.take(peer.address)
            peer.player, token = await self._identities.register(
                request.name, program=request.program
            )
        else:
            peer.player = await self._identities.recognise(
                request.token, request.name, program=request.program
            )
        peer.push(encode(wire.Welcome(id=request.id, player=peer.player, token=token)))

    async def _serve(self, peer: Peer, player: Player, request: wire.AnyRequest) -> None:
        lobby = self._lobby
        match request:
            case wire.Open():
                self._openings.take(player.id)
                await lobby.open(peer, player, request)
            case wire.Seek():
                self._openings.take(player.id)
                await lobby.seek(peer, player, request)
            case wire.Rematch():
                self._openings.take(player.id)
                await lobby.rematch(peer, player, request.id, request.match)
            case wire.Join():
                await lobby.join(peer, player, request.id, request.match)
            case wire.Follow():
                await lobby.follow(peer, request.id, request.match, request.v)
            case wire.Unfollow():
                await lobby.unfollow(peer, request.match)
                peer.push(encode(wire.Done(id=request.id)))
            case wire.ListMatches():
                await lobby.list_matches(peer, request)
            case wire.Guess():
                await self._command(peer, player, request, game.Guess(request.code), request.v)
            case wire.Secret():
                command = game.SetSecret(request.code, lobby.draw_nonce())
                await self._command(peer, player, request, command, request.v)
            case wire.Resign():
                await self._command(peer, player, request, game.Resign(), request.v)
            case wire.Advise():
                self._advice.take(player.id)
                await self._study.advise(peer, player, request)
            case wire.Review():
                self._reviews.take(player.id)
                await self._study.review(peer, request)
            case wire.ListBots():
                peer.push(encode(wire.Bots(id=request.id, bots=describe_bots())))
            case wire.Say():
                self._chat_from.check(peer.address)
                self._chat.take(player.id)
                self._chat_from.take(peer.address)
                await lobby.say(peer, player, request)
            case wire.Archive():
                await lobby.list_archive(peer, player, request)
            case wire.Leave():
                await self._command(peer, player, request, game.Leave(request.why), None)
                await lobby.unfollow(peer, request.match)
            case wire.Hello():
                raise AssertionError("hello is answered before a player is known")
            case _:
                assert_never(request)

    async def _command(
        self,
        peer: Peer,
        player: Player,
        request: wire.Guess | wire.Secret | wire.Resign | wire.Leave,
        command: game.Command,
        version: int | None,
    ) -> None:
        async with self._lobby.at(request.match) as table:
            if player.program and table.state.opened.rated:
                raise Refused(ErrorCode.RATED, "no program plays in a rated match")
            await table.command(command, player.id, request=request.id, version=version, asker=peer)

    def _remember(self, key: tuple[str, int], refusal: wire.Error) -> None:
        self._refusals[key] = refusal
        if len(self._refusals) > REFUSALS_KEPT:
            self._refusals.popitem(last=False)


def describe(error: MastermindError, request: int | None) -> wire.Error:
    """Return the error message that tells a client what was wrong."""
    return wire.Error(
        id=request,
        code=error.code,
        message=error.message,
        field=error.field,
        limit=error.limit,
        retry_after=error.retry_after,
    )
