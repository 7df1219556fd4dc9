"""Who somebody is: a random token, issued once, which gives a player's seats back."""

from __future__ import annotations

import hashlib
import secrets
from functools import partial
from typing import TYPE_CHECKING

from mastermind_protocol.errors import MastermindError, Reason, Refused
from mastermind_protocol.events import MATCH_CODE_ALPHABET, MAX_NAME, Player
from mastermind_protocol.requests import GUEST, TRANSFER_CODE_LENGTH
from mastermind_protocol.text import is_displayable, tidy_name
from mastermind_server.bans import explain_ban
from mastermind_server.network.rate_limits import AddressLimit
from mastermind_server.storage.statements.accounts import (
    NewPlayer,
    add_transfer,
    change_player,
    count_tokens,
    find_player,
    find_transfer,
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
GUEST_LENGTH = 4  # of the id in a guest's name: enough to tell two at a table apart
ID_LENGTH = 10  # some 49 bits: players are told apart, and nobody counts them


class Identities:
    """Issues tokens and knows them again, and the codes by which another computer gets one.

    Only the SHA-256 of either is kept, and looked up: why nothing is compared in constant time,
    storage/statements/identities.py tells.
    Of who is banned nothing is changed, and no code is used up.
    """

    def __init__(self, store: Store, clock: Clock, limiter: Limiter, bans: Bans) -> None:
        self._store, self._clock, self._limiter, self._bans = store, clock, limiter, bans
        now = clock.now
        self._new_players = AddressLimit(limiter, "new_players", now, Reason.TOO_MANY_PLAYERS)
        self._wrong_transfers = AddressLimit(
            limiter, "wrong_transfers", now, Reason.WRONG_TRANSFERS
        )

    async def identify(self, address: str, hello: Hello) -> tuple[Player, str]:
        """Return the player of a hello and its token, both new if the hello has none.

        Raises MastermindError.
        """
        name, program = hello.name, hello.program
        if hello.transfer is not None:
            if hello.token is not None:
                raise Refused(Reason.TOKEN_OR_TRANSFER, field="transfer")
            if name:
                check_name(name)  # before the code is used up
            self._wrong_transfers.take(address)  # first: many requests may run at once
            try:
                arrived = await self.take_transfer(hello.transfer, name, program=program)
            except MastermindError:
                self._wrong_transfers.refund(address)
                raise
            if arrived is None:
                raise Refused(Reason.UNKNOWN_TRANSFER, field="transfer")
            self._wrong_transfers.refund(address)
            return arrived
        if hello.token is not None:
            return await self.recognise(hello.token, name, program=program), hello.token
        self._new_players.take(address)
        return await self.register(name, program=program)

    async def register(self, name: str | None, *, program: bool = False) -> tuple[Player, str]:
        """Return a new player and the token that proves it; no name makes one up."""
        drawn = _draw(ID_LENGTH)
        chosen = choose_name(drawn, name or GUEST)
        player = Player(id=drawn, name=chosen, program=program)
        token = secrets.token_urlsafe(TOKEN_BYTES)
        await self._store.add_player(
            NewPlayer(player, make_digest(token), self._clock.time_of_day())
        )
        return player, token

    async def recognise(self, token: str, name: str | None, *, program: bool = False) -> Player:
        """Return the player whom the token belongs to, by a new name if one is given.

        Raises Refused for a token that is nobody's, no seat is touched by that, and MastermindError
        for who is banned.
        """
        found = await self._store.read(find_player, make_digest(token))
        if found is None:
            raise Refused(Reason.UNKNOWN_TOKEN, field="token")
        self.check_ban(found)
        player = change(found, name, program=program)
        if player != found:
            await self._store.write(change_player, player)
        return player

    async def offer_transfer(self, player: Player, token: bytes) -> tuple[str, int]:
        """Return a code by which another computer is this player, once, and for how many seconds.

        One of before is good no more. Raises Refused for a player who has too many tokens, and
        MastermindError if the token of who asks, by its digest, is void.
        """
        limits = self._limiter.limits
        count = await self._store.read(count_tokens, player.id)
        self._limiter.check("tokens", count, Reason.TOO_MANY_TOKENS)
        code, now = _draw(TRANSFER_CODE_LENGTH), self._clock.time_of_day()
        until = now + int(1000 * limits.transfer_seconds)
        if not await self._store.write(
            add_transfer, player.id, token, make_digest(code), until, now
        ):
            raise MastermindError(Reason.LOGGED_OUT)
        return code, int(limits.transfer_seconds)

    async def take_transfer(
        self, code: str, name: str | None = None, *, program: bool = False
    ) -> tuple[Player, str] | None:
        """Return the player who was given this code, and a new token of it, once.

        By a new name if one is given, as `recognise` does. None if the code is nobody's, or is so
        no more. Raises MastermindError for who is banned; the code is not used up then.
        """
        digest, now = make_digest(code), self._clock.time_of_day()
        if found := await self._store.read(find_transfer, digest, now):
            self.check_ban(found)
            token = secrets.token_urlsafe(TOKEN_BYTES)
            renamed = partial(change, name=name, program=program)
            if player := await self._store.write(
                take_transfer, digest, make_digest(token), now, renamed
            ):
                return player, token
        return None

    def check_ban(self, player: Player) -> None:
        """Raise MastermindError, which tells why, if a player is banned."""
        now = self._clock.time_of_day()
        if ban := self._bans.find(player.id, now):
            raise explain_ban(ban, now)

    async def is_program(self, player: Player) -> bool:
        """Tell whether a player, taken for a person, has become a program by another node."""
        if player.program or not self._store.shared:
            return False
        return await self._store.read(is_program, player.id)


def change(found: Player, name: str | None, *, program: bool = False) -> Player:
    """Return a player by a new name if one is given; who has ever been a program is one.

    Raises Refused for a name that cannot be shown.
    """
    chosen = choose_name(found.id, name) if name else found.name  # which an older version let by
    return Player(id=found.id, name=chosen, program=program or found.program)


def check_name(name: str) -> str:
    """Return the name as it is kept; raises Refused if it cannot be shown."""
    tidied = tidy_name(name)[:MAX_NAME].strip()
    if not is_displayable(tidied):
        raise Refused(Reason.INVALID_NAME, field="name")
    return tidied


def choose_name(player: str, name: str) -> str:
    """Return the name that a player goes by; a guest's is made of the player's id."""
    chosen = check_name(name)
    return f"{GUEST}-{player[:GUEST_LENGTH]}" if chosen == GUEST else chosen


def make_digest(secret: str) -> bytes:
    """Return what is kept of a token or a code."""
    return hashlib.sha256(secret.encode()).digest()


def _draw(length: int) -> str:
    return "".join(secrets.choice(MATCH_CODE_ALPHABET) for _ in range(length))
