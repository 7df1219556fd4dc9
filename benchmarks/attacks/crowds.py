"""Attacks by crowds of those who look on at an honest match."""

from __future__ import annotations

import asyncio
import contextlib

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from attacks.honest import RULES
from attacks.player import Player, find_home
from mastermind_protocol import messages as wire
from mastermind_protocol import requests

COMING = 20  # at a time


async def find_match(address: str) -> str:
    """Return the code of an honest match, as it is listed."""
    player = await Player.meet(address)
    while True:
        listing = await player.ask(requests.ListMatches, what="running")
        assert isinstance(listing, wire.Listing), listing
        for found in listing.matches:
            if found.rules == RULES:
                return found.match


async def gather_crowd(address: str, number: int, *, reading: bool = True) -> list[Player]:
    """Have so many follow an honest match; return those who were let in."""
    match, crowd, room = await find_match(address), list[Player](), asyncio.Semaphore(COMING)

    async def come(index: int) -> None:
        async with room:
            with contextlib.suppress(ConnectionClosed, InvalidHandshake, OSError):
                player = await Player.meet(address, find_home(index))
                await player.ask(requests.Follow, match=match)
                if not reading:
                    player.websocket.transport.pause_reading()
                crowd.append(player)

    await asyncio.gather(*map(come, range(number)))
    return crowd


async def look_away(address: str, number: int) -> None:
    """Let so many look on who read nothing that they are sent."""
    crowd = await gather_crowd(address, number, reading=False)
    await asyncio.Event().wait()
    del crowd


async def look_away_200(address: str) -> None:
    """Follow an honest match by 200 spectators that never read."""
    await look_away(address, 200)


async def look_away_1000(address: str) -> None:
    """Follow an honest match by 1,000 spectators that never read."""
    await look_away(address, 1000)


async def join_crowd(address: str) -> None:
    """Follow an honest match by 1,000 spectators, who come one after another and read."""
    crowd = await gather_crowd(address, 1000)
    await asyncio.gather(*map(read_all, crowd))


async def come_back(address: str) -> None:
    """Follow and unfollow, by ten players without a pause, beside 500 who look on."""
    match = await find_match(address)
    crowd = await gather_crowd(address, 500)

    async def waver(number: int) -> None:
        player = await Player.meet(address, find_home(500 + number))
        while True:
            await player.ask(requests.Follow, match=match)
            await player.ask(requests.Unfollow, match=match)

    await asyncio.gather(*map(waver, range(10)), *map(read_all, crowd))


async def read_all(player: Player) -> None:
    """Read on until the connection ends."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            await player.websocket.recv(decode=False)
