"""Searches of players who begin to play are closed, and lobbies of banned players."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from kit.client import PeerStub, RawClient
from kit.clock import ManualTimer
from kit.faults import full_disk
from kit.matches import state_of
from kit.server import GameServer
from kit.store import WatchedStore
from mastermind_protocol.events import Finished, Left, MatchEnd
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Happened, Log
from mastermind_protocol.requests import Challenge, Open
from mastermind_server.network.operator_commands import POLL_SECONDS
from mastermind_server.storage.statements.lobby import open_match

RATED: dict[str, Any] = {"rules": "classic", "rounds": 2, "rated": True, "clock": "5+3"}


async def find_phase(hall: GameServer, match: str) -> Phase:
    """Return the phase of a match in the store."""
    async with hall.server.tables.use(match) as table:
        return table.log.state.phase


async def play_a_bot(ada: RawClient, _bob: RawClient) -> None:
    await ada.open(maker="knuth", breaker="me", clock="5+3")


async def join_another(ada: RawClient, bob: RawClient) -> None:
    await ada.join((await bob.open(clock="5+3")).match)


async def be_joined(ada: RawClient, bob: RawClient) -> None:
    await bob.join((await ada.open(clock="5+3")).match)


async def seek_by_other_rules(ada: RawClient, bob: RawClient) -> None:
    await bob.seek("mini", clock="3+2")
    await ada.seek("mini", clock="3+2")


@pytest.mark.parametrize("begin", [play_a_bot, join_another, be_joined, seek_by_other_rules])
async def test_a_search_closes_when_its_player_begins_another_match(ada, bob, eve, begin):
    search = (await ada.seek(**RATED)).match
    await begin(ada, bob)
    told = await ada.until(Happened, lambda told: told.match == search)
    assert told.events == (Left(player=ada.id), Finished(how=MatchEnd.CLOSED))
    assert (await eve.seek(**RATED)).match != search


@pytest.mark.parametrize(
    "terms", [{}, {"clock": "3d/move", "public": True}, {"clock": "5+3", "public": False}]
)
async def test_other_lobbies_stay_open(hall, ada, bob, terms):
    lobby = (await ada.open(**terms)).match
    await be_joined(ada, bob)
    assert await find_phase(hall, lobby) is Phase.GATHERING


async def test_the_searches_of_a_program_stay_open(hall, bob):
    robot = await hall.meet("Robot", program=True)
    search = (await robot.open(clock="5+3", public=True)).match
    await be_joined(robot, bob)
    assert await find_phase(hall, search) is Phase.GATHERING


async def test_a_player_who_plays_without_hurry_can_search(ada, bob, eve):
    await bob.join((await ada.open(clock="3d/move")).match)
    search = (await ada.seek(**RATED)).match
    assert state_of(await eve.join(search)).phase is Phase.SETTING


async def test_a_search_that_is_opened_during_a_match_can_be_joined(ada, bob, eve):
    await be_joined(ada, bob)
    search = (await ada.seek(**RATED)).match
    assert state_of(await eve.join(search)).phase is Phase.SETTING


async def open_lobbies(ada: RawClient, bob: RawClient) -> list[str]:
    """Open an invitation, a public lobby and a challenge of Ada; return their codes."""
    challenge = await ada.ask(ada.new(Challenge, player=bob.id, rules="mini"))
    assert isinstance(challenge, Log)
    return [(await ada.open()).match, (await ada.open(public=True)).match, challenge.match]


def is_poll(timer: ManualTimer) -> bool:
    return timer.seconds == POLL_SECONDS


async def ban(hall: GameServer, subject: str, *nodes: GameServer) -> None:
    """Ban a player or an address, and let all `nodes` poll."""
    assert await hall.command("ban", subject) == 0
    for node in nodes:
        await poll(node)


async def poll(node: GameServer) -> None:
    """Let a node carry out the operator's commands."""
    await node.clock.until(is_poll)
    node.clock.skip(POLL_SECONDS)
    await node.clock.until(is_poll)  # the next one: this one is over


@pytest.mark.parametrize("by", ["player", "address"])
async def test_the_lobbies_of_a_banned_player_close(hall, ada, bob, by):
    lobbies = await open_lobbies(ada, bob)
    running = (await bob.open()).match
    await ada.join(running)
    await ban(hall, ada.id if by == "player" else "127.0.0.1", hall)
    assert {await find_phase(hall, lobby) for lobby in lobbies} == {Phase.FINISHED}
    assert await find_phase(hall, running) is Phase.SETTING


async def test_any_node_closes_the_lobbies_of_a_banned_player(start_node):
    here, there = await start_node(), await start_node()
    ada, bob = await here.meet("Ada"), await here.meet("Bob")
    lobbies = await open_lobbies(ada, bob)
    await here.kill()
    await ban(there, ada.id, there)
    assert {await find_phase(there, lobby) for lobby in lobbies} == {Phase.FINISHED}


async def test_lobbies_that_cannot_be_closed_are_closed_later(hall, ada, bob):
    lobbies = await open_lobbies(ada, bob)
    assert await hall.command("ban", ada.id) == 0
    with full_disk():
        await poll(hall)
    assert {await find_phase(hall, lobby) for lobby in lobbies} == {Phase.GATHERING}
    await ban(hall, bob.id, hall)
    assert {await find_phase(hall, lobby) for lobby in lobbies} == {Phase.FINISHED}


class Held(WatchedStore):
    """A store that writes no new match until the event is set."""

    asked, release = asyncio.Event(), asyncio.Event()

    async def before(self, statement: Callable[..., object], _: tuple[Any, ...]) -> None:
        if statement is open_match:
            self.asked.set()
            await self.release.wait()


async def test_a_lobby_that_is_opened_during_the_ban_closes(idle_hall):
    Held.asked, Held.release = asyncio.Event(), asyncio.Event()
    await idle_hall.start(store=Held)
    ada = PeerStub(await idle_hall.meet("Ada"))
    asked = ada.call(Open(id=1, rules="mini", maker="me", breaker="open"))
    opening = asyncio.create_task(idle_hall.server.lobby.open(asked))
    await Held.asked.wait()
    await ban(idle_hall, asked.player.id, idle_hall)
    Held.release.set()
    await opening
    (lobby,) = ada.followed
    assert await find_phase(idle_hall, lobby) is Phase.FINISHED
