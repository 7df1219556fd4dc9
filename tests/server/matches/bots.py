"""Bots that a test controls."""

from __future__ import annotations

import asyncio
import threading
from random import Random

import pytest

from kit.client import RawClient
from mastermind_protocol.code import Code
from mastermind_protocol.events import AnyEvent
from mastermind_protocol.match import BreakerView, Phase
from mastermind_protocol.messages import Happened
from mastermind_server import bots
from mastermind_server.bots import Bot
from mastermind_server.bots.consistent import ConsistentBot

SECRET = (5, 4, 3, 2)  # not the first guess of a Thinker


def register(monkeypatch: pytest.MonkeyPatch, bot: Bot) -> None:
    """Register a bot under its name."""
    monkeypatch.setattr(bots, "BOTS", {**bots.BOTS, bot.name: bot})


class Thinker(ConsistentBot):
    """A bot that counts its calls and answers when `may` is set; the first `free` calls at once.

    Its guesses do not depend on chance: a first guess that breaks the code would end the match.
    """

    name = "thinker"

    def __init__(self) -> None:
        self._asked = threading.Semaphore(0)
        self.may = threading.Event()
        self.count = self.free = 0

    def choose(self, view: BreakerView, random: Random) -> Code:
        self.count += 1
        self._asked.release()
        assert self.count <= self.free or self.may.wait(10)
        random.seed(1)
        return super().choose(view, random)

    async def asked(self) -> None:
        """Wait for the next call."""
        assert await asyncio.to_thread(self._asked.acquire, timeout=10)


async def watch_to_the_end(wire: RawClient, match: str) -> list[AnyEvent]:
    """Return the events of a match up to its end."""
    events: list[AnyEvent] = []
    while wire.matches[match].phase is not Phase.FINISHED:
        events.extend((await wire.until(Happened)).events)
    return events
