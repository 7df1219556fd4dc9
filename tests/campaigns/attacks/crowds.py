"""Attacks by crowds of those who look on at an honest match."""

from __future__ import annotations

import asyncio

from campaigns.attacks.attackers import COMING, act, find_home
from campaigns.attacks.honest import RULES
from campaigns.attacks.player import Player
from mastermind_protocol import messages as wire
from mastermind_protocol import requests


async def find_match(address: str) -> str:
    """Return the code of an honest match, as it is listed."""
    player = await Player.meet(address)
    while True:
        listing = await player.ask(requests.ListMatches, what="running")
        assert isinstance(listing, wire.Listing), listing
        for found in listing.matches:
            if found.rules == RULES:
                return found.match


async def look_on(address: str, number: int, *, reading: bool) -> None:
    """Have so many follow an honest match, and read what they are sent or nothing."""
    match, room = await find_match(address), asyncio.Semaphore(COMING)

    async def look(index: int) -> None:
        async with room:
            player = await Player.meet(address, find_home(index))
            await player.ask(requests.Follow, match=match)
        if reading:
            await read_all(player)
        else:
            player.websocket.transport.pause_reading()
            await player.websocket.wait_closed()

    await act(number, look)


async def look_away_200(address: str) -> None:
    """Follow an honest match by 200 spectators that never read."""
    await look_on(address, 200, reading=False)


async def look_away_1000(address: str) -> None:
    """Follow an honest match by 1,000 spectators that never read."""
    await look_on(address, 1000, reading=False)


async def join_crowd(address: str) -> None:
    """Follow an honest match by 1,000 spectators, who come one after another and read."""
    await look_on(address, 1000, reading=True)


async def come_back(address: str) -> None:
    """Follow and unfollow, by ten players without a pause, beside 500 who look on."""
    match = await find_match(address)

    async def waver(number: int) -> None:
        player = await Player.meet(address, find_home(500 + number))
        while True:
            await player.ask(requests.Follow, match=match)
            await player.ask(requests.Unfollow, match=match)

    await asyncio.gather(look_on(address, 500, reading=True), act(10, waver))


async def read_all(player: Player) -> None:
    """Read on until the connection ends."""
    while True:
        await player.websocket.recv(decode=False)
