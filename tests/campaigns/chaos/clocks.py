"""Rated matches whose players move at the end of their time, and the checks of their log."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from contextlib import AsyncExitStack
from itertools import groupby
from typing import NamedTuple

from campaigns.ledger import Fault, Flaw
from campaigns.traffic import Traffic, Witness
from kit.matches import SeededRandom
from mastermind_client.network.mirror import Mirror
from mastermind_protocol.codec import decode_events
from mastermind_protocol.commands import ResignRound
from mastermind_protocol.errors import MastermindError, Refused
from mastermind_protocol.events import (
    AnyEvent,
    Finished,
    Left,
    MatchEnd,
    Rated,
    Resumed,
    RoundEnd,
    RoundEnded,
    SecretSet,
)
from mastermind_protocol.match import Match, Phase
from mastermind_protocol.transitions import advance, fold
from mastermind_server.storage.rows import LogRow

CLOCK, MOVE_SECONDS = "10/move", 10.0  # the shortest
DAYS = "1d/move"  # in matches without moves: a server that is off for longer ends none
GUESSES, PEGS, COLOURS = 3, 6, 6
RULES = f"6x6/{GUESSES}"
AT_THE_END, TOO_LATE = 0.5, 0.15  # shares of guesses; the others come soon
AROUND_SECONDS = 0.1  # from the end of time, at most, for guesses at the end
SOON_SECONDS = 0.5
START_SECONDS = 10.0  # until the first strike: all matches have begun, at different times
LATEST = 250  # ms from a deadline, after all that was given back, to its flag
# From a client to the server, and between their clocks. The server may also forget a shorter pause
# when it is killed, and listens as much later than it says that an outage is over.
SLACK = 250


class Strike(NamedTuple):
    """A time in which a server did not serve, in milliseconds since 1970, and why.

    In it, all times in the store were moved back by `moved` milliseconds, as if days had passed.
    """

    began: int
    ended: int
    why: str
    moved: int = 0

    def move_back(self, moved: int) -> Strike:
        """Return the strike as it was before its times were moved back."""
        return self._replace(began=self.began - moved, ended=self.ended - moved)


class Refusal(NamedTuple):
    """A guess that was refused because the time was over, and when the client sent it first."""

    match: str
    player: str
    version: int
    sent: int

    def move_back(self, moved: int) -> Refusal:
        """Return the refusal after the times in the store were moved back."""
        return self._replace(sent=self.sent - moved)


def read_time() -> int:
    """Return the time of day in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Punctual:
    """Pairs of players who play rated matches with a clock. `refusals` has their late guesses."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.refusals: list[Refusal] = []

    async def play(self, number: int, traffic: Traffic, address: str) -> None:
        """Play matches of two players, who swap seats after each, until the traffic settles."""
        dice = SeededRandom(f"{self._seed} {number}")
        await asyncio.sleep(dice.uniform(0, START_SECONDS / 2))
        async with AsyncExitStack() as stack:
            ada, bob = [
                await stack.enter_async_context(Witness.of(traffic, address)) for _ in range(2)
            ]
            while not traffic.settling:
                made = await ada.open(
                    RULES, maker="me", breaker="open", rounds=2, rated=True, clock=CLOCK
                )
                joined = await bob.join(made.code)
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._take_turns(ada, made, dice))
                    group.create_task(self._take_turns(bob, joined, dice))
                ada, bob = bob, ada

    async def _take_turns(self, me: Witness, mirror: Mirror, dice: SeededRandom) -> None:
        mine = me.player.id
        while True:
            await me.until(mirror, lambda match: _moves(match, mine))
            state, version = mirror.state, mirror.version
            if state.phase is Phase.FINISHED:
                break
            breaking = state.phase is Phase.BREAKING
            await asyncio.sleep(_think(dice) if breaking else dice.uniform(0, SOON_SECONDS))
            if mirror.state.to_move == state.to_move and mirror.state.phase is state.phase:
                await self._move(me, mirror, dice, breaking=breaking)
            while mirror.version == version:
                await me.until(mirror, lambda _, known=version: mirror.version != known)  # type: ignore[misc]
        await me.unfollow(mirror)

    async def _move(
        self, me: Witness, mirror: Mirror, dice: SeededRandom, *, breaking: bool
    ) -> None:
        version, sent = mirror.version, read_time()
        try:
            if breaking:
                await me.guess(mirror, _draw(dice, 0))
            else:
                await me.set_secret(mirror, _draw(dice, COLOURS - 1))
        except Refused:
            if breaking:
                self.refusals.append(Refusal(mirror.code, me.player.id, version, sent))


async def play_by_days(traffic: Traffic, address: str) -> None:
    """Play a match with a day for each move, whose codebreaker gives up as the traffic settles."""
    async with AsyncExitStack() as stack:
        ada, bob = [await stack.enter_async_context(Witness.of(traffic, address)) for _ in range(2)]
        made = await ada.open(RULES, maker="me", breaker="open", clock=DAYS)
        joined = await bob.join(made.code)
        await ada.until(made, lambda match: match.phase is Phase.SETTING)
        await ada.set_secret(made, (0,) * PEGS)
        while not traffic.settling and joined.state.phase is not Phase.FINISHED:  # noqa: ASYNC110 - no event exists
            await asyncio.sleep(SOON_SECONDS)
        await bob.until(joined, lambda match: match.phase is not Phase.SETTING)
        await bob.perform(joined, ResignRound())


def _moves(match: Match, player: str) -> bool:
    mover = match.to_move
    return match.phase is Phase.FINISHED or (mover is not None and mover.id == player)


def _think(dice: SeededRandom) -> float:
    """Return the seconds until a guess: soon, around the end of the time, or after it."""
    kind = dice.random()
    if kind < AT_THE_END:
        return MOVE_SECONDS + dice.uniform(-AROUND_SECONDS, AROUND_SECONDS)
    return MOVE_SECONDS + 1 if kind < AT_THE_END + TOO_LATE else dice.uniform(0, SOON_SECONDS)


def _draw(dice: SeededRandom, last: int) -> tuple[int, ...]:
    """Return a random code that ends in `last`. Secrets end differently, so no guess wins."""
    return (*(dice.randrange(COLOURS) for _ in range(PEGS - 1)), last)


class ClockFigures:
    """The ends of time in a log, and the faults.

    In the times of `strikes` the only server did not serve, in those of `failures` one of several.
    """

    def __init__(
        self, refusals: Iterable[Refusal], strikes: Iterable[Strike], failures: Iterable[Strike]
    ) -> None:
        self._refusals: dict[str, list[Refusal]] = {}
        for refusal in refusals:
            self._refusals.setdefault(refusal.match, []).append(refusal)
        self._strikes = list(strikes)
        self._disturbances = [*self._strikes, *failures]
        self.matches = self.rated = self.flags = self.resumed = self.given_back = 0
        self.latest = 0  # ms from the deadline to a flag
        self.excess = 0  # ms given back in a turn, more than a strike took, at most
        self.beaten = 0  # ms from a guess that was beaten by a flag to its deadline, at most
        self.faults: list[Fault] = []

    def list_figures(self) -> dict[str, str]:
        """Return the figures of the report by name, in order."""
        return {
            "matches with a clock": f"{self.matches:,}",
            "of these rated": f"{self.rated:,}",
            "ends of time": f"{self.flags:,}",
            "time given back": f"{self.resumed:,} times, {self.given_back / 1000:,.1f} s",
            "guesses refused as too late": f"{sum(map(len, self._refusals.values())):,}",
            "given back too much in a turn": f"{self.excess / 1000:.1f} s",
            "longest from deadline to row": f"{self.latest} ms",
            "earliest beaten guess, before the deadline": f"{self.beaten} ms",
        }

    def check(self, log: Iterable[LogRow]) -> None:
        """Add the figures and faults of all matches with a clock, sorted by match and version."""
        for code, rows in groupby(log, lambda row: row.match):
            try:
                self._check_match(code, list(rows))
            except (MastermindError, ValueError) as error:
                self.faults.append(Fault(Flaw.DISORDERED, code, f"does not fold: {error}"))

    def _check_match(self, code: str, rows: list[LogRow]) -> None:
        state: Match | None = None
        outcomes = ratings = returned = 0
        for row in rows:
            events, at = decode_events(row.events), row.at - rows[0].at
            if state is not None and state.timer is not None:
                self._check_row(code, row, rows[0].at, events, advance(state, at), at, returned)
            lost = sum(event.lost for event in events if isinstance(event, Resumed))
            returned = returned + lost if lost else 0  # in this turn
            outcomes += sum(isinstance(event, Finished) for event in events)
            ratings += sum(isinstance(event, Rated) for event in events)
            state = fold(events, state, at)
        if state is None or state.clock is None:
            return
        self.matches += 1
        self.rated += ratings
        closed = state.outcome is None or state.outcome.how is MatchEnd.CLOSED
        if outcomes != 1:
            self.faults.append(Fault(Flaw.STUCK, code, f"{outcomes} outcomes"))
        if ratings != (state.rated and not closed):
            self.faults.append(Fault(Flaw.DISORDERED, code, f"{ratings} changes of ratings"))

    def _check_row(
        self, code: str, row: LogRow, started: int, events: tuple[AnyEvent, ...], before: Match,
        at: int, returned: int,
    ) -> None:  # fmt: skip
        timer = before.timer
        first = events[0]
        assert timer is not None
        if isinstance(first, Resumed):
            self.resumed += 1
            self.given_back += first.lost
        if not _ends_time(first):
            if row.request is not None and at > timer.deadline + timer.limit_credit(10**6):
                text = f"version {row.version} came {at - timer.deadline} ms after the deadline"
                self.faults.append(Fault(Flaw.CHANGED, code, text))
            return
        self.flags += 1
        self.latest = max(self.latest, at - timer.deadline)
        if at > timer.deadline + timer.limit_credit(10**6) + LATEST:
            text = f"version {row.version}: flagged {at - timer.deadline} ms after the deadline"
            self.faults.append(Fault(Flaw.CHANGED, code, text))
        if at <= timer.deadline:
            text = f"version {row.version}: flagged {timer.deadline - at} ms before the deadline"
            self.faults.append(Fault(Flaw.CHANGED, code, text))
        since, flagged, deadline = started + timer.since, row.at, started + timer.deadline
        struck = [
            (max(since, began), min(flagged, ended))
            for began, ended, *_ in self._strikes
            if began < flagged and ended > since
        ]
        lost = sum(ended - began for began, ended in struck)
        why = " and ".join(
            each.why for each in self._strikes if each.began < flagged and each.ended > since
        )
        self.excess = max(self.excess, returned - lost)
        if lost - returned > SLACK * len(struck):
            text = f"version {row.version}: flagged with {returned} of {lost} ms given back: {why}"
            self.faults.append(Fault(Flaw.LOST, code, text))
        for refusal in self._refusals.get(code, ()):
            undisturbed = not any(
                began < deadline and ended > refusal.sent - SLACK
                for began, ended, *_ in self._disturbances
            )
            early = deadline - refusal.sent
            if refusal.version != row.version - 1 or not undisturbed:
                continue
            self.beaten = max(self.beaten, early)
            if early > SLACK:
                text = (
                    f"version {row.version}: a guess sent {early} ms early was beaten by the flag"
                )
                self.faults.append(Fault(Flaw.LOST, code, text))


def _ends_time(event: AnyEvent) -> bool:
    match event:
        case RoundEnded(how=RoundEnd.TIME) | Left(absent=True) | SecretSet(by="server"):
            return True
        case Finished(how=MatchEnd.CLOSED):
            return True
    return False
