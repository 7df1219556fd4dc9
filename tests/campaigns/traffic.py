"""Players that keep playing through failures, with the client's sessions and a recording ledger."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from typing import TypeAlias
from unittest.mock import patch

from campaigns.ledger import Ledger
from kit.matches import SeededRandom
from kit.people import end_session
from mastermind_client.network.connection import link
from mastermind_client.network.connection.exchange import Exchange
from mastermind_client.network.connection.link import Link
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.receiver import Receiver
from mastermind_client.network.session import Session
from mastermind_client.network.updates import (
    ConnectionLost,
    MatchLost,
    MatchRestored,
    Reconnected,
    Update,
)
from mastermind_protocol import messages as wire
from mastermind_protocol.code import Code
from mastermind_protocol.errors import TRANSIENT_CODES, Refused
from mastermind_protocol.match import Match, Phase
from mastermind_protocol.requests import AnyRequest, Join, Open

GUESSES = 20  # a match lasts some ten seconds, longer than the interval between kills
RULES = f"6x6/{GUESSES}"
PEGS, COLOURS = 6, 6
THINKING_SECONDS = 0.5  # between two guesses of a match, on average
QUIET_SECONDS = 60.0  # without messages until play counts as stuck
SETTLE_SECONDS = 120.0  # for all matches to finish at the end
WATCHED = 4  # every fourth match has a spectator
RETRY_SECONDS = 0.2  # after a temporary refusal without `retry_after`


class Traffic:
    """The messages between all clients and servers, with a count.

    When `settling` is set, players finish their match and open no other, within `settle_seconds`.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.settling = False
        self.settle_seconds = SETTLE_SECONDS
        self.seated = asyncio.Semaphore(0)  # released once a match has its players
        self._left = 0
        self._reached = asyncio.Event()

    def note(self) -> None:
        """Count a message."""
        self._left -= 1
        if self._left <= 0:
            self._reached.set()

    async def after(self, messages: int) -> None:
        """Wait until `messages` more messages have been sent or received."""
        self._left = messages
        self._reached.clear()
        await self._reached.wait()


Play: TypeAlias = Callable[[Traffic, str], Coroutine[object, object, None]]
"""Plays matches on the server at an address, until the traffic settles."""


class _RecordingReceiver(Receiver):
    """A receiver that records all messages before it handles them."""

    def __init__(self, traffic: Traffic, server: str) -> None:
        super().__init__(server, Identity())
        self._traffic = traffic
        self._lost_at: float | None = None

    def receive(self, message: wire.AnyMessage) -> list[AnyRequest]:
        """Record a message before the session handles it."""
        ledger, me = self._traffic.ledger, self.player.id
        match message:
            case wire.Happened():
                ledger.receive(me, message.match, message.v, message.events)
            case wire.Log():
                for row in message.rows:
                    ledger.receive(me, message.match, row.v, row.events)
                self._note_resumed()
            case wire.Error():
                ledger.refused[message.code] += 1
            case _:
                pass
        self._traffic.note()
        return super().receive(message)

    def note_connection(self, update: Update) -> None:
        """Note when the connection is lost. Without a match, it is resumed on reconnection."""
        if isinstance(update, ConnectionLost) and self._lost_at is None:
            self._lost_at = time.monotonic()
        if isinstance(update, Reconnected) and not self.followed:
            self._note_resumed()

    def _note_resumed(self) -> None:
        if self._lost_at is not None:
            self._traffic.ledger.resumed.append(time.monotonic() - self._lost_at)
            self._lost_at = None


class _RecordingExchange(Exchange):
    """An exchange that records all requests, and retries them until they succeed."""

    def __init__(self, traffic: Traffic, receiver: Receiver, link: Link) -> None:
        super().__init__(receiver.server, link, receiver.pending, receiver.updates)
        self._traffic, self._receiver = traffic, receiver

    async def ask(self, request: AnyRequest) -> wire.AnyMessage:
        """Send a request, retry temporary refusals under the same id, and record the answer."""
        ledger, me = self._traffic.ledger, self._receiver.player.id
        ledger.ask(me, request)
        self._traffic.note()
        asked_at = time.monotonic()
        while True:
            try:
                answer = await super().ask(request)
                break
            except Refused as refusal:
                if refusal.code not in TRANSIENT_CODES:
                    raise
                await asyncio.sleep(refusal.retry_after or RETRY_SECONDS)
        match answer:
            case wire.Happened():
                ledger.acknowledge(me, request.id, answer.match, answer.v)
            case wire.Log() if isinstance(request, Open | Join):
                ledger.acknowledge(me, request.id, answer.match, None)
            case _:
                pass
        ledger.waited.append(time.monotonic() - asked_at)
        return answer


class Witness(Session):
    """A player's session that records all messages, and retries requests until they succeed.

    It is no `SessionClient`, because the ledger needs each message before the session handles it.
    """

    def __init__(self, traffic: Traffic, receiver: _RecordingReceiver, exchange: Exchange) -> None:
        super().__init__(receiver, exchange)
        self.traffic = traffic
        self._changed = asyncio.Event()

        def note(update: Update) -> None:
            receiver.note_connection(update)
            if isinstance(update, MatchRestored | MatchLost):
                traffic.ledger.undone.add((receiver.player.id, update.mirror.code))
            self._changed.set()

        self.updates.subscribe(note, end_session)

    @classmethod
    @asynccontextmanager
    async def of(cls, traffic: Traffic, address: str) -> AsyncIterator[Witness]:
        """Connect to `address` for the duration of the block."""
        receiver = _RecordingReceiver(traffic, address)
        pending, updates = receiver.pending, receiver.updates
        link = Link(address, receiver.identity, None, receiver, updates, pending.ids)
        exchange = _RecordingExchange(traffic, receiver, link)
        async with exchange.running():
            try:
                yield cls(traffic, receiver, exchange)
            finally:
                traffic.ledger.left.add(receiver.player.id)

    async def until(self, mirror: Mirror, fits: Callable[[Match], bool]) -> None:
        """Wait until the received state of a match fits; raise an error that ends the session."""
        while not fits(mirror.state):
            if self.updates.connection.ended is not None:
                raise self.updates.connection.ended
            self._changed.clear()
            await self._changed.wait()


async def play(traffic: Traffic, address: str, seed: int, *, watched: bool) -> None:
    """Play matches of two players, who swap seats after each, until the traffic settles.

    The seed determines secrets, guesses and pauses. With `watched`, a third player spectates.
    """
    codes, pace = SeededRandom(seed), SeededRandom(f"pace {seed}")
    async with AsyncExitStack() as stack:
        ada, bob, *others = [
            await stack.enter_async_context(Witness.of(traffic, address))
            for _ in range(3 if watched else 2)
        ]
        traffic.seated.release()
        for number in count():
            maker, breaker = (ada, bob) if number % 2 == 0 else (bob, ada)
            made = await maker.open(RULES, maker="me", breaker="open")
            async with asyncio.TaskGroup() as group:
                group.create_task(_make(maker, made, _draw(codes, COLOURS - 1)))
                group.create_task(_break(breaker, made.code, codes, pace))
                for other in others:
                    group.create_task(_watch(other, made.code))
            if traffic.settling:
                return


@asynccontextmanager
async def playing(
    ledger: Ledger,
    address: str,
    seed: int,
    matches: int,
    others: Sequence[Play] = (),
) -> AsyncIterator[Traffic]:
    """Play matches, and do what `others` do, within the block; then wait until they finish.

    Adds the errors of clients, and matches that do not finish, to the ledger's `given_up`.
    """
    traffic = Traffic(ledger)
    # Strikes end connections within seconds; even these short ones must reset the back-off.
    with patch.object(link, "STABLE_SECONDS", 0.0):
        plays = [
            asyncio.create_task(
                play(traffic, address, seed + number, watched=number % WATCHED == 0)
            )
            for number in range(matches)
        ]
        tasks = plays + [asyncio.create_task(other(traffic, address)) for other in others]
        try:
            # A client retries only after a first successful connection.
            async with asyncio.timeout(QUIET_SECONDS):
                for _ in plays:
                    await traffic.seated.acquire()
            yield traffic
            traffic.settling = True
            _, stuck = await asyncio.wait(tasks, timeout=traffic.settle_seconds)
            ledger.given_up += [
                TimeoutError("a client never received the end of its match") for _ in stuck
            ]
        finally:
            for unfinished in tasks:
                unfinished.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            ledger.given_up += [error for error in results if isinstance(error, Exception)]


async def _make(maker: Witness, mirror: Mirror, secret: Code) -> None:
    await maker.until(mirror, lambda match: match.phase is Phase.SETTING)
    await maker.set_secret(mirror, secret)
    await _wait_for_end(maker, mirror)


async def _break(breaker: Witness, code: str, codes: SeededRandom, pace: SeededRandom) -> None:
    mirror = await breaker.join(code)
    await breaker.until(mirror, lambda match: match.phase is Phase.BREAKING)
    for _ in range(GUESSES):
        if not breaker.traffic.settling:
            await asyncio.sleep(pace.expovariate(1 / THINKING_SECONDS))
        await breaker.guess(mirror, _draw(codes, 0))
    await _wait_for_end(breaker, mirror)


async def _watch(witness: Witness, code: str) -> None:
    await _wait_for_end(witness, await witness.follow(code))


async def _wait_for_end(witness: Witness, mirror: Mirror) -> None:
    await witness.until(mirror, lambda match: match.phase is Phase.FINISHED)
    await witness.unfollow(mirror)


def _draw(dice: SeededRandom, last: int) -> Code:
    """Return a random code that ends in `last`. Secrets end differently, so no guess wins."""
    return (*(dice.randrange(COLOURS) for _ in range(PEGS - 1)), last)
