"""The code of the day on each used server, as the home screen shows it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mastermind_client.config.options import HOSTED, OFFLINE
from mastermind_client.network.failures import ServerUnreachable
from mastermind_protocol.clock import SECOND
from mastermind_protocol.days import find_day
from mastermind_protocol.errors import TRANSIENT_CODES, Refused
from mastermind_protocol.events import RoundEnd
from mastermind_protocol.rules import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.session import Session
    from mastermind_client.screen.servers.server import Server
    from mastermind_protocol.code import Code
    from mastermind_protocol.messages import Day

REFRESH_SECONDS = 600.0  # the player may play on another device meanwhile


@dataclass(frozen=True, slots=True)
class TimedDay:
    """A server's answer about a day, which arrived at the time `received` of `read_clock`.

    `code` is the code, if the own try or the reveal shows it.
    """

    day: Day
    received: float
    read_clock: Callable[[], float]
    code: Code | None = None

    @classmethod
    def receive(
        cls, day: Day, mirror: Mirror | None, read_clock: Callable[[], float] = time.monotonic
    ) -> TimedDay:
        """Return an answer that has arrived just now. `mirror` is that of the own try, if any."""
        played = mirror.state.played if mirror is not None else ()
        code = played[-1].known_code if played else day.code
        return cls(day, read_clock(), read_clock, code)

    @property
    def age(self) -> float:
        """The seconds since the arrival of the answer."""
        return self.read_clock() - self.received

    @property
    def now(self) -> int:
        """The present time of the server, in milliseconds since 1970."""
        return self.day.now + round(self.age * SECOND)


class HomeDays:
    """Today's codes by the default rules. `list_servers` returns the servers with open sessions."""

    def __init__(self, list_servers: Callable[[], Sequence[Server]]) -> None:
        self._list_servers = list_servers
        self._answers: dict[str, TimedDay | Refused] = {}  # the last ones, by server address

    def find(self, address: str) -> TimedDay | Refused | None:
        """Return the last answer of the server at an address, its refusal, or None."""
        return self._answers.get(address)

    def store(self, address: str, answer: TimedDay | Refused) -> None:
        """Store a server's refusal, or its answer if it is about today's default rules."""
        is_kept = isinstance(answer, Refused) or (
            answer.day.rules == DEFAULT.name and answer.day.day == answer.day.today
        )
        if is_kept:
            self._answers[address] = answer

    async def refresh(self) -> bool:
        """Ask the servers that have not answered for REFRESH_SECONDS or since midnight.

        A server that has refused is not asked again, unless it was too busy. Returns whether a
        server has answered.
        """
        changed = False
        for server in self._list_servers():
            if server.session.connected and self._is_outdated(server.address):
                try:
                    self.store(server.address, await self._load(server.session))
                except Refused as refusal:
                    if refusal.code not in TRANSIENT_CODES:
                        self.store(server.address, refusal)
                        changed = True
                except ServerUnreachable:
                    continue  # the session has ended; the next one asks again
                else:
                    changed = True
        return changed

    async def _load(self, session: Session) -> TimedDay:
        """Return today's code. If the own try has broken it, its match shows the code."""
        day = await session.show_day(DEFAULT.name)
        own = day.own
        mirror = None if own is None else session.followed.get(own.match)
        if own is not None and own.how is RoundEnd.BROKEN and mirror is None:
            mirror = await session.follow(own.match)
            await session.unfollow(mirror)
        return TimedDay.receive(day, mirror)

    def _is_outdated(self, address: str) -> bool:
        known = self._answers.get(address)
        if address in (OFFLINE, HOSTED) or isinstance(known, Refused):
            return False
        if known is None or known.age >= REFRESH_SECONDS:
            return True
        return find_day(known.now) != known.day.today
