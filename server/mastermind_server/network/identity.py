"""Who somebody is: a random token, issued once, which gives a player's seats back."""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING

from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import MATCH_CODE_ALPHABET, Player
from mastermind_protocol.requests import GUEST
from mastermind_protocol.text import can_be_shown, tidy

if TYPE_CHECKING:
    from mastermind_server.clock import Clock
    from mastermind_server.storage.store import Store

TOKEN_BYTES = 32  # 43 characters of URL-safe base 64
GUEST_LENGTH = 4  # of the id in a guest's name: enough to tell two at a table apart
ID_LENGTH = 10  # some 49 bits: players are told apart, and nobody counts them


class Identities:
    """Issues tokens and knows them again. Only a token's SHA-256 is kept."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock

    async def register(self, name: str | None, *, program: bool = False) -> tuple[Player, str]:
        """Return a new player and the token that proves it; no name makes one up."""
        drawn = "".join(secrets.choice(MATCH_CODE_ALPHABET) for _ in range(ID_LENGTH))
        chosen = choose_name(drawn, name or GUEST)
        player = Player(id=drawn, name=chosen, program=program)
        token = secrets.token_urlsafe(TOKEN_BYTES)
        await self._store.add_player(player, _digest(token), self._clock.time_of_day())
        return player, token

    async def recognise(self, token: str, name: str | None, *, program: bool = False) -> Player:
        """Return the player whom the token belongs to, by a new name if one is given.

        Who has ever been a program is one, whatever is said later. Raises Refused for a token that
        was not issued here; no seat is touched by that.
        """
        found = await self._store.find_player(_digest(token))
        if found is None:
            raise Refused(Reason.UNKNOWN_TOKEN, field="token")
        # An older version may have let its name through.
        chosen = choose_name(found.id, name) if name else found.name
        player = Player(id=found.id, name=chosen, program=program or found.program)
        if player != found:
            await self._store.change_player(player)
        return player

    async def is_program(self, player: Player) -> bool:
        """Tell whether a player, taken for a person, has become a program by another node."""
        if player.program or not self._store.shared:
            return False
        return await self._store.is_program(player.id)


def check_name(name: str) -> str:
    """Return the name, tidy and without blanks around it; raises Refused if it cannot be shown."""
    trimmed = tidy(name).strip()
    if not can_be_shown(trimmed):
        raise Refused(Reason.INVALID_NAME, field="name")
    return trimmed


def choose_name(player: str, name: str) -> str:
    """Return the name that a player goes by; a guest's is made of the player's id."""
    chosen = check_name(name)
    return f"{GUEST}-{player[:GUEST_LENGTH]}" if chosen == GUEST else chosen


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
