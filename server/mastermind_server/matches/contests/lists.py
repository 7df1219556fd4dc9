"""The handlers that show days: the code of a day, the places of its tries, and a month.

While a day is open, and until the own try has ended, a player gets only the number of tries. All
other figures depend on the code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from mastermind_protocol.codec import encode
from mastermind_protocol.days import find_day, find_reveal
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import RoundEnd
from mastermind_protocol.messages import (
    MAX_PLACED_TRIES,
    Day,
    DayResult,
    Days,
    OwnTry,
    PlacedTry,
    Places,
)
from mastermind_protocol.rules import find_rules
from mastermind_server.matches.contests.counts import TryCounts
from mastermind_server.matches.contests.months import find_month, list_month_days
from mastermind_server.matches.contests.places import DayRankings
from mastermind_server.matches.contests.streaks import find_last_missable, find_streak
from mastermind_server.matches.names import choose_name
from mastermind_server.storage.statements.tries import (
    find_try,
    list_month,
    list_placed,
    list_unfinished,
    read_tried_days,
)

if TYPE_CHECKING:
    from mastermind_protocol.messages import DayStreak
    from mastermind_protocol.requests import ListDays, ListPlaces, ShowDay
    from mastermind_server.matches.contests import days
    from mastermind_server.matches.contests.places import DayRanking
    from mastermind_server.matches.tables.call import Call
    from mastermind_server.services import Services
    from mastermind_server.storage.day_rows import DayRow
    from mastermind_server.storage.statements.tries import MonthRow, PlacedRow, StoredTry

MEAN_DIGITS = 2  # of mean guesses


class DayLists:
    """The handlers of the requests `day`, `places` and `days`.

    Each handler pushes its answer to the peer, and raises Refused and StorageFailed.
    """

    def __init__(self, services: Services, days: days.Days) -> None:
        self._store, self._clock, self._days = services.store, services.clock, days
        self._rankings = DayRankings(services.store, services.clock)
        self._counts = TryCounts(services.store, services.clock)

    async def show_day(self, call: Call[ShowDay]) -> None:
        """Answer with the code of a day and the own try, and with the results if they are shown."""
        peer, player, request, _, _ = call
        self._days.check_rules(request.rules)
        now = self._clock.unix_milliseconds()
        today, rules = find_day(now), request.rules
        day = today if request.day is None else request.day
        _check_day(day, today)
        row = await self._days.find(day, rules)
        own = await self._store.look_up(find_try, day, rules, player.id)
        ranking = await self._find_ranking(row, own)
        revealed = row is not None and row.state != "open"
        answer = Day(
            id=request.id,
            rules=rules,
            day=day,
            today=today,
            now=now,
            state="closed" if row is None else row.state,
            commitment=None if row is None else row.commitment,
            players=0 if row is None else await self._counts.count(day, rules),
            own=None if own is None else _make_own_try(own, ranking),
            streak=await self._find_streak(player.id, now),
            ended=None if ranking is None else len(ranking),
            distribution=() if ranking is None else ranking.distribution,
            code=row.secret if row is not None and revealed else None,
            nonce=row.nonce if row is not None and revealed else None,
        )
        peer.push(encode(answer))

    async def list_places(self, call: Call[ListPlaces]) -> None:
        """Answer with a page of the places of a day."""
        peer, player, request, _, _ = call
        day, rules, after = request.day, request.rules, request.after
        self._days.check_rules(rules)
        _check_day(day, self._days.find_today())
        row = await self._days.find(day, rules)
        if row is not None and row.state == "withdrawn":
            raise Refused(Reason.DAY_WITHDRAWN, field="day", day=day, rules=rules)
        own = await self._store.look_up(find_try, day, rules, player.id)
        ranking = await self._find_ranking(row, own)
        answer = Places(id=request.id, rules=rules, day=day)
        if ranking is not None:
            found = await self._read_page(day, rules, ranking, after)
            full = len(found) == MAX_PLACED_TRIES  # the ranking may count deleted players
            answer = replace(
                answer,
                places=tuple(_make_placed_try(each, ranking) for each in found),
                more=full and after + len(found) < ranking.counted,
            )
        elif row is not None:
            raise Refused(Reason.OWN_TRY_FIRST, field="day", day=day)
        peer.push(encode(answer))

    async def list_days(self, call: Call[ListDays]) -> None:
        """Answer with the days of a month that have a code, and the player's figures."""
        peer, player, request, _, _ = call
        rules = request.rules
        self._days.check_rules(rules)
        now = self._clock.unix_milliseconds()
        today = find_day(now)
        first, last = find_month(0), find_month(today)
        month = request.month or last
        if not first <= month <= last:
            raise Refused(Reason.NO_SUCH_MONTH, field="month", month=month, first=first, last=last)
        await self._days.find(today, rules)  # draws its code, and decides on open days
        span = list_month_days(month)
        rows = await self._store.read(list_month, rules, player.id, span[0], span[-1])
        limit = find_rules(rules).guess_limit
        played = [
            (row.guesses, row.luck)
            for row in rows
            if row.guesses is not None and row.withdrawn is None
        ]
        guesses = sum(number for number, _ in played)
        luck = [lost for _, lost in played if lost is not None]
        answer = Days(
            id=request.id,
            rules=rules,
            month=month,
            days=tuple([await self._make_result(row, rules, limit, now) for row in rows]),
            played=len(played),
            broken=sum(number <= limit for number, _ in played),
            mean=_find_mean(guesses, len(played)),
            without_luck=(
                _find_mean(guesses - sum(luck), len(luck)) if len(luck) == len(played) else None
            ),
        )
        peer.push(encode(answer))

    async def _find_ranking(self, row: DayRow | None, own: StoredTry | None) -> DayRanking | None:
        """Return the ranking of the day of `row`, or None if the player may not see it.

        `own` is the player's try. If it has ended, the ranking has it.
        """
        if row is None or row.state == "withdrawn":
            return None
        ended = None if own is None else own.as_ended()
        closed = row.state == "closed"
        if ended is None and not closed:
            return None
        limit = find_rules(row.rules).guess_limit
        ranking = await self._rankings.refresh(row.day, row.rules, limit, closed=closed)
        if ended is not None:
            ranking.update([ended])
        return ranking

    async def _read_page(
        self, day: int, rules: str, ranking: DayRanking, after: int
    ) -> list[PlacedRow]:
        """Return the counted tries of a page, which follows the first `after` ones."""
        found: list[PlacedRow] = []
        start = ranking.find_start(after)
        if start is not None:
            found = await self._store.read(list_placed, day, rules, *start, MAX_PLACED_TRIES)
        left = MAX_PLACED_TRIES - len(found)
        if ranking.closed and left:
            skipped = max(0, after - ranking.counted_ended)
            found += await self._store.read(list_unfinished, day, rules, skipped, left)
        return found

    async def _find_streak(self, player: str, now: int) -> DayStreak:
        last = find_last_missable(now)
        return find_streak(*await self._store.read(read_tried_days, player, last))

    async def _make_result(self, row: MonthRow, rules: str, limit: int, now: int) -> DayResult:
        state: Literal["open", "closed", "withdrawn"] = "open"
        if row.withdrawn is not None:
            state = "withdrawn"
        elif row.revealed is not None or now >= find_reveal(row.day):
            state = "closed"
        guesses = row.guesses
        if guesses is None and row.match is not None and state == "closed":
            guesses = limit + 1
        return DayResult(
            day=row.day,
            state=state,
            players=await self._counts.count(row.day, rules),
            match=row.match,
            guesses=guesses if guesses is None or guesses <= limit else 0,
        )


def _check_day(day: int, today: int) -> None:
    """Raise Refused if `day` is in the future, or the clock is before day 0."""
    if not 0 <= day <= today:
        raise Refused(Reason.NO_SUCH_DAY, field="day", day=day, first=0, today=today)


def _make_own_try(own: StoredTry, ranking: DayRanking | None) -> OwnTry:
    """Return the own try. Without `ranking`, or if the code is not broken, it has no place."""
    if own.how is None or own.guesses is None or own.milliseconds is None:
        return OwnTry(match=own.match, counted=own.counted)
    result, broken = (own.guesses, own.milliseconds), own.how == RoundEnd.BROKEN
    return OwnTry(
        match=own.match,
        how=RoundEnd(own.how),
        guesses=own.guesses if broken else 0,
        milliseconds=own.milliseconds,
        place=ranking.find_place(*result) if ranking is not None and broken else None,
        counted=own.counted,
        better=None if ranking is None else ranking.find_better(*result),
    )


def _make_placed_try(row: PlacedRow, ranking: DayRanking) -> PlacedTry:
    guesses = ranking.limit + 1 if row.guesses is None else row.guesses
    milliseconds = row.milliseconds or 0
    return PlacedTry(
        place=ranking.find_place(guesses, milliseconds),
        player=row.player,
        name=choose_name(row.owned, row.account, row.player),
        guesses=guesses if guesses <= ranking.limit else 0,
        milliseconds=milliseconds,
        match=row.match if ranking.closed else None,
    )


def _find_mean(total: float, count: int) -> float | None:
    return round(total / count, MEAN_DIGITS) if count else None
