"""Attacks by matches and players that are new."""

from __future__ import annotations

import asyncio

from campaigns.attacks.attackers import act, find_home
from campaigns.attacks.honest import HOME, SOUGHT
from campaigns.attacks.player import Player, find_version
from mastermind_protocol import messages as wire
from mastermind_protocol import requests


async def open_many(address: str, players: int, matches: int, **fields: object) -> None:
    """Open so many matches by each of so many players, who wait where that is refused."""

    async def begin(number: int) -> None:
        player, opened = await Player.meet(address, find_home(10 * number)), 0
        while opened < matches:
            answer = await player.ask(requests.Open, **fields)
            if isinstance(answer, wire.Error):
                await asyncio.sleep(answer.retry_after or 1)
            else:
                opened += 1
        await asyncio.Event().wait()

    await act(players, begin)


async def open_shows(address: str) -> None:
    """Open 600 matches of two bots, by twenty players who look on."""
    await open_many(address, 20, 30, rules="knuth", maker="random", breaker="easy")


async def open_large(address: str) -> None:
    """Open 100 matches of 6x10 in which `random` breaks what another bot makes."""
    await open_many(address, 20, 5, rules="6x10", maker="random", breaker="random")


async def dodge(address: str) -> None:
    """Guess at 5x8 against `devious` without a pause, by twenty players."""

    async def play(number: int) -> None:
        player = await Player.meet(address, find_home(number))
        while True:
            answer = await player.ask(requests.Open, rules="5x8/99", maker="devious", breaker="me")
            while not isinstance(answer, wire.Log):
                await asyncio.sleep(1)
                answer = await player.ask(
                    requests.Open, rules="5x8/99", maker="devious", breaker="me"
                )
            match, version = answer.match, answer.rows[-1].v
            for turn in range(99):
                code = (turn % 8, turn // 8 % 8, turn % 7, turn % 5, turn % 3)
                told = await player.ask(requests.Guess, match=match, v=version, code=code)
                version = find_version(told, version)
                if isinstance(told, wire.Error):
                    await asyncio.sleep(told.retry_after or 0.05)

    await act(20, play)


async def seek(address: str) -> None:
    """Seek a match and leave it, by a hundred players without a pause."""

    async def go(number: int) -> None:
        player = await Player.meet(address, find_home(number))
        while True:
            answer = await player.ask(requests.Seek, rules="mini")
            if isinstance(answer, wire.Log):
                await player.ask(requests.Leave, match=answer.match)
            elif isinstance(answer, wire.Error):
                await asyncio.sleep(answer.retry_after or 1)

    await act(100, go)


async def crowd_list(address: str) -> None:
    """Open 25 public matches by each of two players."""
    await open_many(address, 2, 25, rules="mini", maker="me", breaker="open", public=True)


async def crowd_lobbies(address: str) -> None:
    """Open 27 public matches, of the rules that others seek, by each of nineteen players."""
    await open_many(address, 19, 27, rules=SOUGHT, maker="me", breaker="open", public=True)


async def make_players(address: str) -> None:
    """Come as somebody new again and again, at the address of honest players."""

    async def come(_: int) -> None:
        while True:
            player = await Player.meet(address, HOME)
            await player.websocket.close()

    await act(10, come)
