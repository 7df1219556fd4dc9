"""Honest players during an attack."""

from __future__ import annotations

import asyncio
import time
from typing import NamedTuple

from websockets.exceptions import WebSocketException

from campaigns.attacks.history import RANKED_RULES
from campaigns.attacks.pages import Browser
from campaigns.attacks.player import Player
from kit.processes import read_cpu
from mastermind_protocol import messages as wire
from mastermind_protocol import requests

MATCHES = 8
PAUSE = 0.1  # seconds between a match's guesses
RULES = "knuth"  # up to 999 guesses: more than an attack lasts
SECRET, WRONG = (0,) * 4, (1,) * 4
HOME = "127.0.0.2"  # of honest players, and of attackers that share their address
SOUGHT = "5x8"  # the rules of a public lobby
SHOWN = ("mini", "5x8")  # matches of two bots: the first uses a thread, the second a process
VIEWS = 16  # of three lists: 48 requests, as a player who looks around for ten seconds
PATIENCE = 20.0  # seconds for an answer, with retries after refusals


class Wait(NamedTuple):
    """The latency of an answer, and the CPU seconds that the server used during it.

    The CPU seconds do not depend on other programs.
    """

    seconds: float
    work: float


class Honest:
    """Running matches, the latencies of their guesses, and failures."""

    def __init__(self, address: str, server: int) -> None:
        self._address, self._server = address, server  # its process
        self._taken: list[Wait] = []
        self._asked: dict[int, Wait] = {}
        self.match = ""
        self.faults: list[str] = []
        self._guest: Player
        self._waiting = ""

    async def enter(self) -> None:
        """Connect a guest and open a public lobby.

        The guest watches bots first: the first guess of a bot makes the server load NumPy.
        """
        self._guest = await Player.meet(self._address, HOME)
        for rules in SHOWN:
            shown = await self._guest.open(rules=rules, maker="random", breaker="hard")
            await self._guest.see_round_end(shown.match)
        log = await self._guest.open(rules=SOUGHT, maker="me", breaker="open", public=True)
        self._waiting = log.match

    def begin(self) -> None:
        """Start the measurement."""
        self._taken.clear()

    @property
    def waits(self) -> list[Wait]:
        """The latencies since the start, of pending guesses too."""
        return [*self._taken, *map(self._read_since, self._asked.values())]

    def _read_since(self, asked: Wait) -> Wait:
        now = self._read_clocks()
        return Wait(now.seconds - asked.seconds, now.work - asked.work)

    def _read_clocks(self) -> Wait:
        return Wait(time.perf_counter(), read_cpu(self._server))

    async def play(self, number: int) -> None:
        """Guess regularly until cancelled or cut off."""
        try:
            await self._play(number)
        except (WebSocketException, OSError) as error:
            self.faults.append(f"an honest player was cut off: {error}")

    async def _play(self, number: int) -> None:
        maker, breaker = [await Player.meet(self._address, HOME) for _ in range(2)]
        log = await maker.open(rules=RULES, maker="me", breaker="open", public=True)
        self.match = log.match
        await breaker.request(requests.Join, match=log.match)
        await maker.request(requests.Secret, match=log.match, v=2, code=SECRET)
        version = 3
        while True:
            self._asked[number] = self._read_clocks()
            answer = await breaker.request(requests.Guess, match=log.match, v=version, code=WRONG)
            self._taken.append(self._read_since(self._asked.pop(number)))
            if isinstance(answer, wire.Happened):
                version += 1
            else:
                self.faults.append(f"an honest guess was answered with {answer}")
            await asyncio.sleep(PAUSE)

    # Actions that must succeed during an attack: each returns whether it did.

    async def lists(self) -> bool:
        """List matches and find the public lobby."""
        answer = await self._ask(self._guest, requests.ListMatches, what="waiting")
        return isinstance(answer, wire.Listing) and any(
            found.match == self._waiting for found in answer.matches
        )

    async def browses(self) -> bool:
        """Request lists and the leaderboard again and again. No request may be refused."""
        for _ in range(VIEWS):
            for kind, fields in (
                (requests.ListMatches, {"what": "waiting"}),
                (requests.ListOwn, {}),
                (requests.ShowLeaderboard, {"rules": RANKED_RULES}),
            ):
                if isinstance(await self._guest.request(kind, **fields), wire.Error):
                    return False
        return True

    async def finds(self) -> bool:
        """Seek a match and join the public lobby."""
        seeker = await Player.meet(self._address, "127.0.8.1")
        answer = await self._ask(seeker, requests.Seek, rules=SOUGHT)
        return isinstance(answer, wire.Log) and answer.match == self._waiting

    async def returns(self) -> bool:
        """Reconnect with the token from the attackers' address, and follow a match."""
        end = time.monotonic() + PATIENCE
        while True:  # as clients do
            try:
                again = await Player.meet(self._address, HOME, self._guest.token)
            except (WebSocketException, OSError):
                if time.monotonic() > end:
                    return False
                await asyncio.sleep(PAUSE)
            else:
                break
        answer = await self._ask(again, requests.Follow, match=self.match)
        return isinstance(answer, wire.Log)

    async def loads(self) -> bool:
        """Load the page and its files in a browser."""
        async with asyncio.timeout(PATIENCE):
            await Browser(self._address, "127.1.0.1").load()
        return True

    async def _ask(
        self, player: Player, kind: type[requests.Request], **fields: object
    ) -> wire.AnyMessage:
        """Repeat a request while the server is overloaded, as clients do."""
        end = time.monotonic() + PATIENCE
        while True:
            answer = await player.request(kind, **fields)
            overloaded = (
                isinstance(answer, wire.Error)
                and (answer.details or {}).get("reason") == "overloaded"
            )
            if not (overloaded and time.monotonic() < end):
                return answer
            await asyncio.sleep(1)
