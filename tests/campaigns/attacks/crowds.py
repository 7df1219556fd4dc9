"""Attacks by many spectators of an honest match."""

from __future__ import annotations

import asyncio

from campaigns.attacks.attackers import CONNECTING, act, find_source
from campaigns.attacks.honest import RULES
from campaigns.attacks.player import Player
from mastermind_protocol import messages as wire
from mastermind_protocol import requests


async def find_match(address: str) -> str:
    """Return the code of a listed honest match."""
    player = await Player.meet(address)
    while True:
        listing = await player.request(requests.ListMatches, what="running")
        assert isinstance(listing, wire.Listing), listing
        for found in listing.matches:
            if found.rules == RULES:
                return found.match


async def spectate(address: str, number: int, *, reading: bool) -> None:
    """Follow an honest match by `number` spectators, which read everything or nothing."""
    match, room = await find_match(address), asyncio.Semaphore(CONNECTING)

    async def follow(index: int) -> None:
        async with room:
            player = await Player.meet(address, find_source(index))
            await player.request(requests.Follow, match=match)
        if reading:
            await read_all(player)
        else:
            player.websocket.transport.pause_reading()
            await player.websocket.wait_closed()

    await act(number, follow)


async def spectate_unread_200(address: str) -> None:
    """Follow an honest match by 200 spectators that never read."""
    await spectate(address, 200, reading=False)


async def spectate_unread_1000(address: str) -> None:
    """Follow an honest match by 1,000 spectators that never read."""
    await spectate(address, 1000, reading=False)


async def spectate_reading(address: str) -> None:
    """Follow an honest match by 1,000 spectators that read."""
    await spectate(address, 1000, reading=True)


async def follow_unfollow(address: str) -> None:
    """Follow and unfollow, by ten players without a pause, with 500 other spectators."""
    match = await find_match(address)

    async def toggle(number: int) -> None:
        player = await Player.meet(address, find_source(500 + number))
        while True:
            await player.request(requests.Follow, match=match)
            await player.request(requests.Unfollow, match=match)

    await asyncio.gather(spectate(address, 500, reading=True), act(10, toggle))


async def read_all(player: Player) -> None:
    """Read until the connection ends."""
    while True:
        await player.websocket.recv(decode=False)
