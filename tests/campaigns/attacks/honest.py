"""Those who play on while others attack, and whoever comes meanwhile."""

from __future__ import annotations

import asyncio
import time
from typing import NamedTuple

from websockets.exceptions import WebSocketException

from campaigns.attacks.player import Player
from kit.node import read_cpu
from mastermind_protocol import messages as wire
from mastermind_protocol import requests

MATCHES = 8
PAUSE = 0.1  # seconds between a match's guesses
RULES = "knuth"  # whose guesses do not come to an end within an attack
SECRET, WRONG = (0,) * 4, (1,) * 4
HOME = "127.0.0.2"  # of the honest, and of those who attack whoever is behind one address
SOUGHT = "5x8"  # the rules of a match that waits to be found
SHOWN = ("mini", "5x8")  # of two bots: the first thinks in a thread, the second in a process
PATIENCE = 20.0  # seconds for whoever comes to be answered, refused and asking again too


class Wait(NamedTuple):
    """For an answer: the seconds it took, and those of CPU that the server used meanwhile.

    The latter are what the server has done first, for whomever: however busy the machine is.
    """

    seconds: float
    work: float


class Honest:
    """Matches under way: how long their guesses took, or take by now, and what went wrong."""

    def __init__(self, address: str, server: int) -> None:
        self._address, self._server = address, server  # the process of it
        self._taken: list[Wait] = []
        self._asked: dict[int, Wait] = {}
        self.match = ""
        self.faults: list[str] = []
        self._guest: Player
        self._waiting = ""

    async def enter(self) -> None:
        """Let a guest come who plays later, and open a match that waits.

        It looks on at bots first: a server's first guess of a bot loads NumPy, once in its life.
        """
        self._guest = await Player.meet(self._address, HOME)
        for rules in SHOWN:
            shown = await self._guest.open(rules=rules, maker="random", breaker="hard")
            await self._guest.see_round_end(shown.match)
        log = await self._guest.open(rules=SOUGHT, maker="me", breaker="open", public=True)
        self._waiting = log.match

    def begin(self) -> None:
        """Measure from now on."""
        self._taken.clear()

    @property
    def waits(self) -> list[Wait]:
        """How long guesses took since the beginning, or take by now."""
        return [*self._taken, *map(self._read_since, self._asked.values())]

    def _read_since(self, asked: Wait) -> Wait:
        now = self._read_clocks()
        return Wait(now.seconds - asked.seconds, now.work - asked.work)

    def _read_clocks(self) -> Wait:
        return Wait(time.perf_counter(), read_cpu(self._server))

    async def play(self, number: int) -> None:
        """Guess now and then, until it is cancelled or goes wrong."""
        try:
            await self._play(number)
        except (WebSocketException, OSError) as error:
            self.faults.append(f"an honest player was cut off: {error}")

    async def _play(self, number: int) -> None:
        maker, breaker = [await Player.meet(self._address, HOME) for _ in range(2)]
        log = await maker.open(rules=RULES, maker="me", breaker="open", public=True)
        self.match = log.match
        await breaker.ask(requests.Join, match=log.match)
        await maker.ask(requests.Secret, match=log.match, v=2, code=SECRET)
        version = 3
        while True:
            self._asked[number] = self._read_clocks()
            answer = await breaker.ask(requests.Guess, match=log.match, v=version, code=WRONG)
            self._taken.append(self._read_since(self._asked.pop(number)))
            if isinstance(answer, wire.Happened):
                version += 1
            else:
                self.faults.append(f"an honest guess was answered with {answer}")
            await asyncio.sleep(PAUSE)

    # What whoever comes has to be able to do: each returns whether it is.

    async def lists(self) -> bool:
        """See the match that waits among those that are listed."""
        answer = await self._insist(self._guest, requests.ListMatches, what="waiting")
        return isinstance(answer, wire.Listing) and any(
            found.match == self._waiting for found in answer.matches
        )

    async def finds(self) -> bool:
        """Seek a match, and get the one that waits."""
        seeker = await Player.meet(self._address, "127.0.8.1")
        answer = await self._insist(seeker, requests.Seek, rules=SOUGHT)
        return isinstance(answer, wire.Log) and answer.match == self._waiting

    async def returns(self) -> bool:
        """Come back from the attackers' address, by the token, and follow a match by its code."""
        end = time.monotonic() + PATIENCE
        while True:  # a client tries again, too
            try:
                again = await Player.meet(self._address, HOME, self._guest.token)
            except (WebSocketException, OSError):
                if time.monotonic() > end:
                    return False
                await asyncio.sleep(PAUSE)
            else:
                break
        answer = await self._insist(again, requests.Follow, match=self.match)
        return isinstance(answer, wire.Log)

    async def _insist(
        self, player: Player, kind: type[requests.Request], **fields: object
    ) -> wire.AnyMessage:
        """Ask again as long as there is too much to do, as clients do."""
        end = time.monotonic() + PATIENCE
        while True:
            answer = await player.ask(kind, **fields)
            overloaded = (
                isinstance(answer, wire.Error)
                and (answer.details or {}).get("reason") == "overloaded"
            )
            if not (overloaded and time.monotonic() < end):
                return answer
            await asyncio.sleep(1)
