"""Who is connected, and by what token: whose token becomes void is sent away."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from websockets.frames import CloseCode

from mastermind_protocol.codec import encode
from mastermind_protocol.errors import MastermindError, Reason
from mastermind_protocol.messages import Error
from mastermind_server.storage.statements.accounts import find_tokens
from mastermind_server.storage.threads import StorageFailed
from mastermind_server.tuning import LOOKED_AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mastermind_protocol.events import Player
    from mastermind_server.matches.tables.followers import Peer
    from mastermind_server.storage.store import Store

# Reasons of close codes.
BANNED = "banned"
LOGGED_OUT = "logged out"
UNKNOWN = "whether this token is good is not known just now"


class Sessions:
    """The peers that have said hello, by their players, each with its token's digest."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._peers: dict[str, dict[Peer, bytes]] = {}
        self.checks = 0  # how often tokens may have become void

    def enter(self, peer: Peer, player: Player, token: bytes) -> None:
        """Let a peer be a player: a program on one connection is one on all."""
        peers = self._peers.setdefault(player.id, {})
        peers[peer] = token
        self.rename(player)

    def rename(self, player: Player) -> None:
        """Let all connections of a player know who it is now."""
        for peer in self._peers[player.id]:
            peer.player = player

    def is_program(self, player: str) -> bool:
        """Tell whether a player is one of those who are here as a program."""
        peers = self._peers.get(player, ())
        return any(peer.player and peer.player.program for peer in peers)

    def find_token(self, peer: Peer, player: Player) -> bytes:
        """Return the digest of the token by which a peer has come."""
        return self._peers[player.id][peer]

    def leave(self, peer: Peer) -> None:
        """Forget a peer whose connection has ended."""
        if peer.player is None:
            return
        peers = self._peers[peer.player.id]
        del peers[peer]
        if not peers:
            del self._peers[peer.player.id]

    async def check(self, player: str | None) -> None:
        """Send away whose token is void: of a player who has lost one, or of all.

        Raises StorageFailed.
        """
        self.checks += 1
        if player is None:
            await self._send_away(self._peers)
        else:
            await self.check_player(player)

    async def check_player(self, player: str) -> None:
        """Send those connections of a player away whose token is void. Raises StorageFailed.

        If that is not known, all of them: their tokens are looked up as they come back.
        """
        try:
            await self._send_away((player,))
        except StorageFailed:
            for peer in list(self._peers.get(player, ())):
                peer.end(CloseCode.INTERNAL_ERROR, UNKNOWN)
            raise

    async def _send_away(self, players: Iterable[str]) -> None:
        here = list(chain.from_iterable(self._peers.get(each, {}).items() for each in players))
        for start in range(0, len(here), LOOKED_AT_ONCE):
            some = here[start : start + LOOKED_AT_ONCE]
            known = await self._store.read(find_tokens, {token for _, token in some})
            for peer, token in some:
                if token not in known:
                    peer.push(encode(Error.of(MastermindError(Reason.LOGGED_OUT))))
                    peer.end(CloseCode.POLICY_VIOLATION, LOGGED_OUT)
