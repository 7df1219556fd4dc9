"""Authenticates players by random tokens, and issues transfer codes for other computers."""

from __future__ import annotations

import hashlib
import secrets
from functools import partial
from typing import TYPE_CHECKING

from mastermind_protocol.errors import MastermindError, Reason, Refused
from mastermind_protocol.events import MATCH_CODE_ALPHABET, MAX_NAME_LENGTH, Player
from mastermind_protocol.requests import GUEST, TRANSFER_CODE_LENGTH
from mastermind_protocol.text import is_displayable, tidy_name
from mastermind_server.bans import make_ban_error
from mastermind_server.network.rate_limits import AddressLimit
from mastermind_server.storage.statements.accounts import (
    NewPlayer,
    add_transfer,
    change_player,
    find_player,
    find_transfer_owner,
    is_program,
    take_transfer,
)

if TYPE_CHECKING:
    from mastermind_protocol.requests import Hello
    from mastermind_server.bans import Bans
    from mastermind_server.clock import Clock
    from mastermind_server.limits import Limiter
    from mastermind_server.storage.store import Store

TOKEN_BYTES = 32  # 43 characters of URL-safe base 64
GUEST_ID_LENGTH = 4  # characters of the id that a guest's name contains
ID_LENGTH = 10  # characters, about 49 bits, so that random ids are unique


class Identities:
    """Issues and checks transfer codes, and the tokens by which players authenticate.

    A player enters a transfer code on another computer to get a token there. The store contains
    only SHA-256 digests of tokens and codes. storage/statements/accounts.py explains why no
    comparison needs constant time.
    """

    def __init__(self, store: Store, clock: Clock, limiter: Limiter, bans: Bans) -> None:
        self._store, self._clock, self._limiter, self._bans = store, clock, limiter, bans
        now = clock.now
        self._new_players = AddressLimit(limiter, "new_players", now, Reason.TOO_MANY_PLAYERS)
        self._wrong_transfers = AddressLimit(
            limiter, "wrong_transfers", now, Reason.WRONG_TRANSFERS
        )

    async def identify_player(self, address: str, hello: Hello) -> tuple[Player, str]:
        """Return the player whom a hello identifies, and the player's token.

        A transfer code gives a new token. Without a token and a transfer code, a player is created.
        New players and wrong transfer codes are charged to the rate limits of `address`. Raises
        MastermindError if the hello is refused.
        """
        name, program = hello.name, hello.program
        if hello.transfer is not None:
            if hello.token is not None:
                raise Refused(Reason.TOKEN_OR_TRANSFER, field="transfer")
            if name:
                normalise_name(name)  # before the code is used
            # taken before the query, because many requests may run at once
            self._wrong_transfers.take(address)
            try:
                found = await self.use_transfer_code(hello.transfer, name, program=program)
            except MastermindError:
                self._wrong_transfers.refund(address)
                raise
            if found is None:
                raise Refused(Reason.UNKNOWN_TRANSFER, field="transfer")
            self._wrong_transfers.refund(address)
            return found
        if hello.token is not None:
            return await self.authenticate(hello.token, name, program=program), hello.token
        self._new_players.take(address)
        return await self.register(name, program=program)

    async def register(self, name: str | None, *, program: bool = False) -> tuple[Player, str]:
        """Create a player named `name`, or a guest if `name` is empty; return player and token.

        Raises Refused for an invalid name, and StorageFailed.
        """
        drawn = _draw_characters(ID_LENGTH)
        chosen = make_stored_name(drawn, name or GUEST)
        player = Player(id=drawn, name=chosen, program=program)
        token = secrets.token_urlsafe(TOKEN_BYTES)
        await self._store.add_player(
            NewPlayer(player, make_digest(token), self._clock.unix_milliseconds())
        )
        return player, token

    async def authenticate(self, token: str, name: str | None, *, program: bool = False) -> Player:
        """Return the player of a token. Rename the player to `name`, unless `name` is empty.

        Raises Refused for an unknown token, and MastermindError for a banned player.
        """
        found = await self._store.look_up(find_player, make_digest(token))
        if found is None:
            raise Refused(Reason.UNKNOWN_TOKEN, field="token")
        self.check_ban(found)
        player = rename_player(found, name, program=program)
        if player != found:
            await self._store.write(change_player, found, player)
        return player

    async def replace_transfer_code(self, player: Player, token_digest: bytes) -> tuple[str, int]:
        """Replace the player's transfer code. Return the new code and its lifetime in seconds.

        `token_digest` is the digest of the token of the player's connection. Raises Refused if the
        player has too many tokens, and MastermindError if the token was revoked.
        """
        limits = self._limiter.limits
        transfer_code, now = _draw_characters(TRANSFER_CODE_LENGTH), self._clock.unix_milliseconds()
        code_digest, until = make_digest(transfer_code), now + int(1000 * limits.transfer_seconds)
        count = await self._store.write(
            add_transfer, player.id, token_digest, code_digest, until, now, limits.tokens
        )
        if count is None:
            raise MastermindError(Reason.LOGGED_OUT)
        self._limiter.check_count("tokens", count, Reason.TOO_MANY_TOKENS)
        return transfer_code, int(limits.transfer_seconds)

    async def use_transfer_code(
        self, transfer_code: str, name: str | None = None, *, program: bool = False
    ) -> tuple[Player, str] | None:
        """Use a transfer code, and return its player and a new token.

        The player is renamed to `name`, unless `name` is empty. Returns None if the code is
        unknown, used or expired. Raises MastermindError for a banned player, whose code stays
        valid.
        """
        digest, now = make_digest(transfer_code), self._clock.unix_milliseconds()
        if found := await self._store.look_up(find_transfer_owner, digest, now):
            self.check_ban(found)
            token = secrets.token_urlsafe(TOKEN_BYTES)
            renamed = partial(rename_player, name=name, program=program)
            if player := await self._store.write(
                take_transfer, digest, make_digest(token), now, renamed
            ):
                return player, token
        return None

    def check_ban(self, player: Player) -> None:
        """Raise MastermindError if the player is banned."""
        now = self._clock.unix_milliseconds()
        if ban := self._bans.find(player.id, now):
            raise make_ban_error(ban, now)

    async def has_become_program(self, player: Player) -> bool:
        """Return whether the stored player is marked as a program, although `player` is not.

        This is possible only if another node has changed the stored player.
        """
        if player.program or not self._store.shared:
            return False
        return await self._store.look_up(is_program, player.id)


def rename_player(found: Player, name: str | None, *, program: bool = False) -> Player:
    """Return `found` with the name `name`, or with its own name if `name` is empty.

    The result is a program if `program` is true or `found` is one. Raises Refused for an invalid
    name.
    """
    chosen = make_stored_name(found.id, name) if name else found.name  # checked when it was chosen
    return Player(id=found.id, name=chosen, program=program or found.program)


def normalise_name(name: str) -> str:
    """Return `name` tidied, and cut to MAX_NAME_LENGTH characters.

    Raises Refused if the name cannot be displayed.
    """
    tidied = tidy_name(name)[:MAX_NAME_LENGTH].strip()
    if not is_displayable(tidied):
        raise Refused(Reason.INVALID_NAME, field="name")
    return tidied


def make_stored_name(player: str, name: str) -> str:
    """Return the stored form of a name: tidied, and cut to MAX_NAME_LENGTH characters.

    The name GUEST gets a part of the player id `player`. Raises Refused for an invalid name.
    """
    chosen = normalise_name(name)
    return f"{GUEST}-{player[:GUEST_ID_LENGTH]}" if chosen == GUEST else chosen


def make_digest(secret: str) -> bytes:
    """Return the SHA-256 digest of a token or transfer code. The store contains only digests."""
    return hashlib.sha256(secret.encode()).digest()


def _draw_characters(length: int) -> str:
    return "".join(secrets.choice(MATCH_CODE_ALPHABET) for _ in range(length))
