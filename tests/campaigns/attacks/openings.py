"""Attacks by new matches and new players."""

from __future__ import annotations

import asyncio

from campaigns.attacks.attackers import act, find_source
from campaigns.attacks.honest import HOME, SOUGHT
from campaigns.attacks.player import Player, find_version
from mastermind_protocol import messages as wire
from mastermind_protocol import requests


async def open_many(address: str, players: int, matches: int, **fields: object) -> None:
    """Open `matches` matches by each of `players` players, which wait after refusals."""

    async def begin(number: int) -> None:
        player, opened = await Player.meet(address, find_source(10 * number)), 0
        while opened < matches:
            answer = await player.request(requests.Open, **fields)
            if isinstance(answer, wire.Error):
                await asyncio.sleep(answer.retry_after or 1)
            else:
                opened += 1
        await asyncio.Event().wait()

    await act(players, begin)


async def open_shows(address: str) -> None:
    """Open 600 matches of two bots, by twenty spectating players."""
    await open_many(address, 20, 30, rules="knuth", maker="random", breaker="easy")


async def open_large(address: str) -> None:
    """Open 100 matches of two bots at 6x10."""
    await open_many(address, 20, 5, rules="6x10", maker="random", breaker="random")


async def play_devious(address: str) -> None:
    """Guess at 5x8 against `devious` without a pause, by twenty players."""

    async def play(number: int) -> None:
        player = await Player.meet(address, find_source(number))
        while True:
            try:
                log = await player.open(rules="5x8/99", maker="devious", breaker="me")
            except ConnectionRefusedError:
                await asyncio.sleep(1)
                continue
            match, version = log.match, log.rows[-1].v
            for turn in range(99):
                code = (turn % 8, turn // 8 % 8, turn % 7, turn % 5, turn % 3)
                answer = await player.request(requests.Guess, match=match, v=version, code=code)
                version = find_version(answer, version)
                if isinstance(answer, wire.Error):
                    await asyncio.sleep(answer.retry_after or 0.05)

    await act(20, play)


async def seek(address: str) -> None:
    """Seek a match and leave it, by a hundred players without a pause."""

    async def repeat(number: int) -> None:
        player = await Player.meet(address, find_source(number))
        while True:
            answer = await player.request(requests.Seek, rules="mini")
            if isinstance(answer, wire.Log):
                await player.request(requests.Leave, match=answer.match)
            elif isinstance(answer, wire.Error):
                await asyncio.sleep(answer.retry_after or 1)

    await act(100, repeat)


async def fill_list(address: str) -> None:
    """Open 25 public matches by each of two players."""
    await open_many(address, 2, 25, rules="mini", maker="me", breaker="open", public=True)


async def fill_lobbies(address: str) -> None:
    """Open 27 public matches, under the rules of honest seekers, by each of nineteen players."""
    await open_many(address, 19, 27, rules=SOUGHT, maker="me", breaker="open", public=True)


async def make_players(address: str) -> None:
    """Create new players without a pause, at the address of honest players."""

    async def create(_: int) -> None:
        while True:
            player = await Player.meet(address, HOME)
            await player.websocket.close()

    await act(10, create)
