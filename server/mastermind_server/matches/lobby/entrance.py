"""Begins and continues tries at the code of today, and decides which of them can have a place."""

from __future__ import annotations

from hashlib import blake2b
from ipaddress import IPv6Network, ip_network
from typing import TYPE_CHECKING

from mastermind_protocol.days import find_day, find_day_start, find_tries_end
from mastermind_protocol.errors import MastermindError, Reason, Refused
from mastermind_protocol.requests import GUEST
from mastermind_server.matches.lobby.first_events import make_try_events
from mastermind_server.matches.tries import refuse_closed_day
from mastermind_server.storage.day_rows import DayNotOpen, NewTry, TryTaken
from mastermind_server.storage.statements.accounts import find_creation_time
from mastermind_server.storage.statements.tries import find_try

if TYPE_CHECKING:
    from mastermind_protocol.requests import EnterDay
    from mastermind_server.matches.contests.days import Days
    from mastermind_server.matches.lobby.lobby import Lobby
    from mastermind_server.matches.tables.call import Call
    from mastermind_server.services import Services
    from mastermind_server.storage.day_rows import DayRow

HOUSEHOLD_PREFIX = 56  # of the IPv6 network that most providers assign to a home (RFC 6177)
ADDRESS_HASH_BYTES = 16  # no two addresses of a day have the same hash by chance


class Entrance:
    """Handles the requests to enter a day."""

    def __init__(self, lobby: Lobby, days: Days, services: Services) -> None:
        self._lobby, self._days, self._services = lobby, days, services

    async def enter(self, call: Call[EnterDay]) -> bool:
        """Begin the player's try, or continue it, and answer with the log of its match.

        Return whether it begins: of several requests of one player at once, one begins the try.
        Raises MastermindError: Refused, StorageFailed, and the error of a deleted player.
        """
        peer, player, request, _, at = call
        day, rules = request.day, request.rules
        self._days.check_rules(rules)
        if not peer.dialect.contests:
            raise Refused(Reason.NEEDS_V3, field="op")
        if await self._lobby.answer_if_repeated(call):
            return False
        now, store = self._services.clock.to_unix(at), self._services.store
        row = await self._days.find(day, rules)
        while True:
            own = await store.look_up(find_try, day, rules, player.id)
            if own is not None and (own.ended is not None or now >= find_tries_end(day)):
                raise Refused(Reason.TRIED_ALREADY, field="day", day=day, rules=rules)
            if row is None or (own is None and day != find_day(now)):
                raise Refused(Reason.NOT_TODAY, field="day", day=day, today=self._days.find_today())
            if row.state != "open":
                raise refuse_closed_day(day, rules, withdrawn=row.withdrawn is not None)
            if own is not None:
                await self._lobby.follow_match(peer, request.id, own.match)
                return False
            try:
                new_try = await self._make_try(call, row)
                await self._lobby.open_with(call, make_try_events(row, player), own_try=new_try)
            except TryTaken:
                continue  # another device of the player was first
            except DayNotOpen as closed:
                raise refuse_closed_day(day, rules, withdrawn=closed.withdrawn) from None
            self._services.tries[rules, "begun"] += 1
            return True

    async def _make_try(self, call: Call[EnterDay], row: DayRow) -> NewTry:
        """Return the player's new try. It counts for a person with a name, older than the day.

        Raises MastermindError for a player who was deleted, possibly with an earlier try.
        """
        player, store = call.player, self._services.store
        created = await store.look_up(find_creation_time, player.id)
        if created is None:
            raise MastermindError(Reason.LOGGED_OUT)
        named = not player.name.startswith(f"{GUEST}-")
        old = created < find_day_start(row.day)
        return NewTry(
            day=row.day,
            rules=row.rules,
            player=player.id,
            counted=named and old and not player.program,
            address=row.key and hash_address(call.peer.address, row.key),
        )


def hash_address(address: str, key: bytes) -> bytes | None:
    """Return the keyed hash of the IPv4 address `address`, or of the /56 of a /64 of IPv6.

    Return None for an address that is not public: many players of a local network, or of an
    operator's proxy, may have it.
    """
    try:
        network = ip_network(address)
    except ValueError:  # of a Unix socket
        return None
    if not network.is_global:
        return None
    if isinstance(network, IPv6Network):
        network = network.supernet(new_prefix=HOUSEHOLD_PREFIX)
    return blake2b(str(network).encode(), key=key, digest_size=ADDRESS_HASH_BYTES).digest()
