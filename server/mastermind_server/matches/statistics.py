"""The statistics of a player, as a message, from the sums of the archive."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from mastermind_protocol.codec import decode_events, encode
from mastermind_protocol.events import Joined
from mastermind_protocol.messages import (
    MAX_DISTRIBUTION,
    MAX_STATISTICS_BYTES,
    MAX_STATISTICS_MATCHES,
    MAX_STATISTICS_OPPONENTS,
    MAX_STATISTICS_RULES,
    Figures,
    OpponentFigures,
    RulesFigures,
    Statistics,
)
from mastermind_protocol.requests import MAX_REQUEST_ID
from mastermind_server.storage.statements.statistics import read_archive_state, sum_archive

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mastermind_server.clock import Clock
    from mastermind_server.storage.statements.statistics import (
        ArchiveState,
        ArchiveSums,
        MatchSums,
    )
    from mastermind_server.storage.store import Store

CACHED_PLAYERS = 128  # usually below 2 MiB; 21 MiB with the largest answers
CACHE_SECONDS = 60.0  # until statistics omit the name of an opponent whose account was deleted


class _Entry(NamedTuple):
    """Statistics, with the state of the archive and the monotonic time before its rows were read.

    The time is in seconds.
    """

    answer: Statistics
    state: ArchiveState
    since: float


class StatisticsCache:
    """The statistics of the players who requested them last, in the memory of a node.

    The state of the archive, in the database, shows whether an answer has all matches that were
    stored before the request, at any node.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._entries: OrderedDict[str, _Entry] = OrderedDict()  # the first is evicted next
        store.epochs.watchers.append(self._entries.clear)  # the store may have lost matches
        # One archive at a time, so that other reads wait for one.
        self._summing = asyncio.Lock()

    async def find(self, player: str) -> Statistics:
        """Return the statistics of the player with this id, as the answer to MAX_REQUEST_ID.

        Raises StorageFailed.
        """
        state = await self._store.read(read_archive_state, player, MAX_STATISTICS_MATCHES)
        if (answer := self._find_current(player, state)) is None:
            async with self._summing:
                answer = self._find_current(player, state) or await self._sum(player, state)
        return answer

    def _find_current(self, player: str, state: ArchiveState) -> Statistics | None:
        entry = self._entries.get(player)
        if entry is None or entry.state != state:
            return None
        if self._clock.now() - entry.since >= CACHE_SECONDS:
            return None
        self._entries.move_to_end(player)
        return entry.answer

    async def _sum(self, player: str, state: ArchiveState) -> Statistics:
        since = self._clock.now()
        sums = await self._store.read(
            sum_archive, player, matches=MAX_STATISTICS_MATCHES,
            rules=MAX_STATISTICS_RULES + 1, opponents=MAX_STATISTICS_OPPONENTS + 1,
        )  # fmt: skip
        answer = make_statistics(MAX_REQUEST_ID, player, sums)
        self._entries[player] = _Entry(answer, state, since)
        self._entries.move_to_end(player)
        if len(self._entries) > CACHED_PLAYERS:
            self._entries.popitem(last=False)
        return answer


def make_statistics(request: int, player: str, sums: ArchiveSums) -> Statistics:
    """Return the answer to `request` of the player with the id `player`.

    The answer omits the rules and opponents that exceed a limit of the message.
    """
    rules = list(sums.rules.items())[:MAX_STATISTICS_RULES]
    opponents = list(sums.opponents.items())[:MAX_STATISTICS_OPPONENTS]
    answer = Statistics(
        id=request,
        total=_make_figures(sums.total),
        by_rules=tuple(
            RulesFigures(rules=name, figures=_make_figures(found)) for name, found in rules
        ),
        by_opponent=tuple(
            OpponentFigures(
                opponent=opponent.name,
                bot=opponent.bot,
                player=find_other_id(sums.openings[found.match], player),
                figures=_make_figures(found),
            )
            for opponent, found in opponents
        ),
        more=len(sums.rules) > len(rules) or len(sums.opponents) > len(opponents),
    )
    while len(encode(answer)) > MAX_STATISTICS_BYTES:
        answer = replace(answer, by_opponent=answer.by_opponent[:-1], more=True)
    return answer


def _make_figures(sums: MatchSums) -> Figures:
    rounds = [0] * (1 + min(max(sums.tries, default=0), MAX_DISTRIBUTION))
    for guesses, number in sums.tries.items():
        rounds[min(guesses, MAX_DISTRIBUTION)] += number
    return Figures(
        matches=sums.matches,
        wins=sums.wins,
        draws=sums.draws,
        losses=sums.losses,
        streak=sums.streak,
        longest=sums.longest,
        last=sums.last,
        distribution=tuple(rounds[1:]),
        unbroken=rounds[0],
        measured=sums.measured,
        measured_guesses=sums.measured_guesses,
        advised=sums.advised,
    )


def find_other_id(opening: Iterable[bytes], player: str) -> str | None:
    """Return the id of the player who joined beside the id `player`; None for a server's bot.

    `opening` has the first rows of the log of a match.
    """
    for events in opening:
        for event in decode_events(events):
            if isinstance(event, Joined) and event.player.id != player:
                return None if event.player.bot is not None else event.player.id
    return None
