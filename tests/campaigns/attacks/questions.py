"""Attacks by expensive or refused requests."""

from __future__ import annotations

import asyncio
import itertools
from random import Random

from campaigns.attacks.attackers import CONNECTING, PER_ADDRESS, act, find_source
from campaigns.attacks.history import ARCHIVED, GUESSES, LONG, RANKED, RANKED_RULES
from campaigns.attacks.honest import HOME
from campaigns.attacks.player import Player, find_version
from mastermind_protocol import messages as wire
from mastermind_protocol import requests
from mastermind_protocol.codec import encode
from mastermind_protocol.events import MATCH_CODE_ALPHABET, MATCH_CODE_LENGTH
from mastermind_protocol.messages import MAX_REVIEWED_GUESSES
from mastermind_protocol.rules import MAX_PEGS


async def repeat(
    address: str, players: int, kind: type[requests.Request], **fields: object
) -> None:
    """Send the same request without a pause, by `players` players."""

    async def ask(number: int) -> None:
        player = await Player.meet(address, find_source(number))
        while True:
            await player.request(kind, **fields)

    await act(players, ask)


async def ask_unread(address: str) -> None:
    """Request 250 long logs on each of 190 connections, and read none."""
    room = asyncio.Semaphore(CONNECTING)

    async def ask(number: int) -> None:
        async with room:
            player = await Player.meet(address, find_source(number))
        player.websocket.transport.pause_reading()
        for index in range(250):
            follow = player.new(requests.Follow, match=LONG[index % len(LONG)])
            await player.send(encode(follow))
        await asyncio.Event().wait()

    await act(190, ask)


async def list_matches(address: str) -> None:
    """List running matches without a pause, by four players."""
    await repeat(address, 4, requests.ListMatches, what="running")


async def meet_archived(address: str, number: int) -> Player:
    """Connect a player with a long archive, from an address of its own."""
    return await Player.meet(address, find_source(number * PER_ADDRESS), ARCHIVED[number])


async def list_archives(address: str) -> None:
    """Request the pages of long archives, from the newest to the oldest and again."""

    async def ask(number: int) -> None:
        player, before = await meet_archived(address, number), None
        while True:
            answer = await player.request(requests.Archive, before=before)
            if isinstance(answer, wire.Archived):
                before = answer.matches[-1].match if answer.more else None

    await act(len(ARCHIVED), ask)


async def list_ranked(address: str) -> None:
    """Request pages of a long leaderboard and places on it without a pause, by forty players."""

    async def ask(number: int) -> None:
        player = await Player.meet(address, find_source(number))
        for after in itertools.cycle(range(0, RANKED, RANKED // 9)):
            await player.request(requests.ShowLeaderboard, rules=RANKED_RULES, after=after)
            await player.request(requests.ShowProfile, player=f"player-{after}")

    await act(40, ask)


async def sum_archives(address: str) -> None:
    """Request statistics of long archives without a pause."""

    async def ask(number: int) -> None:
        player = await meet_archived(address, number)
        while True:
            await player.request(requests.ShowStatistics)

    await act(len(ARCHIVED), ask)


async def take_snapshots(address: str) -> None:
    """Request snapshots of long matches, which the server must load, by forty players."""

    async def ask(number: int) -> None:
        player = await Player.meet(address, find_source(number))
        for match in itertools.cycle(LONG):
            await player.request(requests.ShowSnapshot, match=match)

    await act(40, ask)


async def guess_refused(address: str) -> None:
    """Guess in finished matches, which the server must load to refuse."""

    async def guess(_: int) -> None:
        player = await Player.meet(address)
        for match in itertools.cycle(LONG):
            await player.request(requests.Guess, match=match, v=1, code=(0,) * 4)

    await act(1, guess)


async def review(address: str) -> None:
    """Request reviews of long matches, by twenty players."""

    async def ask(number: int) -> None:
        player = await Player.meet(address, find_source(number))
        for match, start in itertools.product(LONG, range(1, GUESSES, MAX_REVIEWED_GUESSES)):
            answer = await player.request(requests.Review, match=match, start=start)
            if isinstance(answer, wire.Error):
                await asyncio.sleep(answer.retry_after or 1)

    await act(20, ask)


async def advise(address: str) -> None:
    """Request advice late in a game at 5x8, by twenty players."""

    async def ask(number: int) -> None:
        player = await Player.meet(address, find_source(number))
        log = await player.open(rules="5x8", maker="random", breaker="me")
        version, guessed = log.rows[-1].v, 0
        while guessed < 4:
            code = (guessed,) * 5
            answer = await player.request(requests.Guess, match=log.match, v=version, code=code)
            version = find_version(answer, version)
            guessed += isinstance(answer, wire.Happened)
            await asyncio.sleep(0.05)
        while True:
            answer = await player.request(requests.Advise, match=log.match, v=version)
            version = find_version(answer, version)
            if isinstance(answer, wire.Error):
                await asyncio.sleep(answer.retry_after or 0)

    await act(20, ask)


def make_contradiction() -> tuple[requests.GivenTurn, ...]:
    """Return turns of 9x12 that no code fits, which a search notices only at the last peg.

    A guess of one colour gets no white. The others have one peg of another colour each.
    """
    pegs = range(MAX_PEGS)
    almost = [
        tuple(other if peg == at else 0 for peg in pegs) for other in range(1, 5) for at in pegs
    ]
    turns = [requests.GivenTurn(code, 0, 1) for code in almost[: requests.MAX_GIVEN_TURNS - 1]]
    return (requests.GivenTurn((0,) * MAX_PEGS, 1, 1), *turns)


async def analyse(address: str) -> None:
    """Request the costliest analysis, by twenty players."""
    turns = make_contradiction()

    async def ask(number: int) -> None:
        player = await Player.meet(address, find_source(number))
        while True:
            answer = await player.request(requests.Analyse, rules="9x12", turns=turns)
            if isinstance(answer, wire.Error):
                await asyncio.sleep(answer.retry_after or 1)

    await act(20, ask)


async def try_codes(address: str) -> None:
    """Try match codes, by ten players at the address of honest players."""

    async def ask(number: int) -> None:
        player, chance = await Player.meet(address, HOME), Random(number)  # noqa: S311 - a guess
        while True:
            match = "".join(chance.choices(MATCH_CODE_ALPHABET, k=MATCH_CODE_LENGTH))
            await player.request(requests.Follow, match=match)

    await act(10, ask)
