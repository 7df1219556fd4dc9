"""The connected players and their tokens. Disconnects peers whose token was revoked."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from websockets.frames import CloseCode

from mastermind_protocol.codec import encode
from mastermind_protocol.errors import MastermindError, Reason
from mastermind_protocol.messages import Error
from mastermind_server.look_alikes.skeletons import fold_name
from mastermind_server.storage.statements.accounts import find_tokens
from mastermind_server.storage.threads import StorageFailed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mastermind_protocol.events import Player
    from mastermind_server.matches.tables.followers import Peer
    from mastermind_server.storage.store import Store

TOKENS_PER_QUERY = 200  # some 8 ms, for which other reads wait
# Reasons in close frames.
BANNED_CLOSE_REASON = "banned"
LOGGED_OUT_CLOSE_REASON = "logged out"
CHECK_FAILED_CLOSE_REASON = "cannot check this token now"


class Sessions:
    """The authenticated peers of each player, with the digests of their tokens.

    They are found by player id, and players also by name, at the same cost for any number of them.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._peers: dict[str, dict[Peer, bytes]] = {}
        self._folded_names: dict[str, str] = {}  # by player id
        self._ids: dict[str, dict[str, None]] = {}  # ids of players by folded name, in order
        self.token_checks = 0  # number of calls of `check_tokens`

    def add(self, peer: Peer, player: Player, token_digest: bytes) -> None:
        """Add an authenticated peer, and set `Peer.player` on all peers of the player.

        `token_digest` is the digest of the peer's token.
        """
        peers = self._peers.setdefault(player.id, {})
        peers[peer] = token_digest
        self.update_player(player)

    def update_player(self, player: Player) -> None:
        """Set `Peer.player` on all peers of the player, whose name or program flag has changed."""
        self._remove_name(player.id)
        folded = self._folded_names[player.id] = fold_name(player.name)
        self._ids.setdefault(folded, {})[player.id] = None
        for peer in self._peers[player.id]:
            peer.player = player

    def find_peers(self, player: str) -> list[Peer]:
        """Return the connected peers of a player id."""
        return list(self._peers.get(player, ()))

    def find_ids(self, name: str) -> list[str]:
        """Return the ids of the connected players with the name `name`, or a similar one."""
        return list(self._ids.get(fold_name(name), ()))

    def is_program(self, player: str) -> bool:
        """Return whether any connected peer of the player id `player` is a program."""
        peers = self._peers.get(player, ())
        return any(peer.player and peer.player.program for peer in peers)

    def find_token_digest(self, peer: Peer, player: Player) -> bytes:
        """Return the digest of the token by which a connected peer of the player authenticated."""
        return self._peers[player.id][peer]

    def remove(self, peer: Peer) -> None:
        """Remove a peer after its connection has ended."""
        if peer.player is None:
            return
        peers = self._peers[peer.player.id]
        del peers[peer]
        if not peers:
            del self._peers[peer.player.id]
            self._remove_name(peer.player.id)

    def _remove_name(self, player: str) -> None:
        folded = self._folded_names.pop(player, None)
        if folded is None:
            return
        ids = self._ids[folded]
        del ids[player]
        if not ids:
            del self._ids[folded]

    async def check_tokens(self, player: str | None) -> None:
        """Disconnect the peers of the player id `player` whose token was revoked.

        If `player` is None, check the peers of all players. Raises StorageFailed.
        """
        self.token_checks += 1
        if player is None:
            await self._disconnect_revoked(self._peers)
        else:
            await self.check_player_tokens(player)

    async def check_player_tokens(self, player: str) -> None:
        """Disconnect the peers of the player id `player` whose token was revoked.

        If the store fails, disconnect all peers of the player and raise StorageFailed. When a
        client reconnects, its hello checks the token again.
        """
        try:
            await self._disconnect_revoked((player,))
        except StorageFailed:
            for peer in list(self._peers.get(player, ())):
                peer.end(CloseCode.INTERNAL_ERROR, CHECK_FAILED_CLOSE_REASON)
            raise

    async def _disconnect_revoked(self, players: Iterable[str]) -> None:
        peers = list(chain.from_iterable(self._peers.get(each, {}).items() for each in players))
        for start in range(0, len(peers), TOKENS_PER_QUERY):
            batch = peers[start : start + TOKENS_PER_QUERY]
            valid = await self._store.look_up(find_tokens, {digest for _, digest in batch})
            for peer, digest in batch:
                if digest not in valid:
                    peer.push(encode(Error.of(MastermindError(Reason.LOGGED_OUT))))
                    peer.end(CloseCode.POLICY_VIOLATION, LOGGED_OUT_CLOSE_REASON)
