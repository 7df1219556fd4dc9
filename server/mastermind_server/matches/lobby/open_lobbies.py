"""Who has how many matches that wait for an opponent, and whose turn it is to be shown to others.

Only what was opened by way of this node is known.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from contextlib import contextmanager
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from mastermind_protocol.errors import Reason
from mastermind_protocol.match import Phase
from mastermind_server.matches.lobby.waiting import Waiting
from mastermind_server.tuning import DUE_SECONDS, LOBBY_GRACE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    from mastermind_server.matches.tables.table import Table
    from mastermind_server.matches.tables.tables import Tables
    from mastermind_server.services import Services

_T = TypeVar("_T")
_DESERTED_SECONDS = LOBBY_GRACE_SECONDS + DUE_SECONDS  # by then a public one is closed


class OpenLobbies:
    """Counts matches that wait, by the player who is there and by the address it came from.

    A deserted one counts no more for its player, and for the address until it would be closed:
    until then it stands in the way of others when lists are searched. `waiting` are those that may
    be found by whoever seeks.
    """

    def __init__(self, tables: Tables, services: Services) -> None:
        self._limiter, self._now = services.limiter, services.clock.now
        self.waiting = Waiting()
        self._openers: dict[str, _Opener] = {}  # by match
        self._deserted: OrderedDict[str, float] = OrderedDict()  # until when they count
        self._players: Counter[str] = Counter()
        self._addresses: Counter[str] = Counter()
        tables.watchers.append(self._note)

    def find_address(self, match: str) -> str | None:
        """Return where a match was opened from, if it waits and that is known here."""
        opener = self._openers.get(match)
        return opener.address if opener else None

    @contextmanager
    def place(self, player: str, address: str) -> Iterator[None]:
        """Count one that is being opened within the block. Raises Refused if it is one too many."""
        self._expire()
        self._limiter.check("lobbies", self._players[player], Reason.TOO_MANY_LOBBIES)
        here = self._addresses[address]
        self._limiter.check("lobbies_of_address", here, Reason.ADDRESS_HAS_LOBBIES)
        opener = _Opener(player, address)
        self._count(opener, 1, 1)
        try:
            yield
        finally:
            self._count(opener, -1, -1)

    def _note(self, table: Table) -> None:
        """Take up whether a table, at which something has happened, waits for an opponent."""
        match = table.log.code
        if table.log.state.phase is not Phase.GATHERING:
            if match in self._openers:
                self._forget(match)
            return
        opener = self._openers.get(match)
        if not table.followers.seated:
            if opener is not None and match not in self._deserted:
                self.waiting.remove(match)
                self._deserted[match] = self._now() + _DESERTED_SECONDS
                self._count(opener, -1, 0)
        elif opener is None:
            peer = next(iter(table.followers.seated))
            if peer.player is not None:
                opener = self._openers[match] = _Opener(peer.player.id, peer.address)
                self._count(opener, 1, 1)
                self.waiting.add(match, table.log.rows[0].at, table.log.state)
        elif self._deserted.pop(match, None) is not None:
            self._count(opener, 1, 0)
            self.waiting.add(match, table.log.rows[0].at, table.log.state)

    def _expire(self) -> None:
        now = self._now()
        while self._deserted and next(iter(self._deserted.values())) <= now:
            self._forget(next(iter(self._deserted)))

    def _forget(self, match: str) -> None:
        self.waiting.remove(match)
        if opener := self._openers.pop(match, None):
            attended = self._deserted.pop(match, None) is None
            self._count(opener, -1 if attended else 0, -1)

    def _count(self, opener: _Opener, of_player: int, of_address: int) -> None:
        self._players[opener.player] += of_player
        if not self._players[opener.player]:
            del self._players[opener.player]
        self._addresses[opener.address] += of_address
        if not self._addresses[opener.address]:
            del self._addresses[opener.address]


class _Opener(NamedTuple):
    player: str
    address: str


def take_turns(items: Iterable[_T], whose: Callable[[_T], Hashable]) -> list[_T]:
    """Return the first of everybody's items, then the second of everybody's, and so on."""
    seen: Counter[Hashable] = Counter()
    ranked: list[tuple[int, _T]] = []
    for item in items:
        key = whose(item)
        ranked.append((seen[key], item))
        seen[key] += 1
    ranked.sort(key=itemgetter(0))
    return [item for _, item in ranked]
