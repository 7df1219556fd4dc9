"""Players of a match who meet at one node: their connections move to the address of the match."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from http import HTTPStatus
from typing import NamedTuple

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from kit.people import PATIENCE, People, SessionClient, sit_down
from kit.proxy import SPOKEN, MatchProxy
from kit.server import GameServer
from mastermind_client.network.connection import link
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.session import Session
from mastermind_client.network.updates import ConnectionLost, PresenceChanged, Reconnected
from mastermind_protocol.codec import encode
from mastermind_protocol.events import Player, find_part
from mastermind_protocol.messages import Welcome


class Hall(NamedTuple):
    """Two nodes behind a proxy that sends equal addresses of matches to one node."""

    nodes: list[GameServer]
    proxy: MatchProxy
    people: People

    async def meet(self, name: str) -> SessionClient:
        """Return a player who is connected to one of the nodes."""
        return await self.people.meet(name, self.proxy.address)

    def find_nodes(self, match: str, player: str) -> list[int]:
        """Return the indices of the nodes at which a player follows a match."""
        tables = [node.server.tables.get(match) for node in self.nodes]
        return [
            index
            for index, table in enumerate(tables)
            if table is not None and player in table.followers.here.players
        ]

    async def until_met(self, mirror: Mirror, *players: SessionClient) -> None:
        """Wait until all players follow a match at its node, and at no other."""
        path = f"/m/{find_part(mirror.code)}"
        expected = [self.proxy.find_target(path)]
        async with asyncio.timeout(PATIENCE):
            while True:
                found = [self.find_nodes(mirror.code, player.id) for player in players]
                moved = self.proxy.paths.count(path) >= len(players)
                if moved and all(nodes == expected for nodes in found):
                    return
                await asyncio.sleep(0)


@pytest.fixture
async def hall(start_node: Callable[..., Awaitable[GameServer]]) -> AsyncIterator[Hall]:
    nodes = [await start_node(), await start_node()]
    async with AsyncExitStack() as stack:
        proxy = await stack.enter_async_context(MatchProxy.to(*(node.port for node in nodes)))
        people = People(nodes[0])
        stack.push_async_callback(people.close_all)
        yield Hall(nodes, proxy, people)


async def test_players_meet_at_one_node_and_see_no_absence(hall):
    ada, bob = await hall.meet("Ada"), await hall.meet("Bob")
    ours = await ada.session.open("classic", maker="me", breaker="open")
    await hall.until_met(ours, ada)
    theirs = await bob.session.join(ours.code)
    await hall.until_met(ours, ada, bob)
    await ada.set(ours, "1234")
    await bob.guess(theirs, "1122")
    await ada.wait_for_version(ours, theirs.version)
    for player in (ada, bob):
        player.drain()
        unwanted = (PresenceChanged, ConnectionLost, Reconnected)
        assert not [each for each in player.updates if isinstance(each, unwanted)]


async def test_a_player_who_joins_by_code_connects_to_the_node_of_the_match(hall):
    ada = await hall.meet("Ada")
    ours = await ada.session.open("classic", maker="me", breaker="open")
    await hall.until_met(ours, ada)
    connecting = Session.connect(hall.proxy.address, Identity(), "Bob", match=ours.code)
    async with asyncio.timeout(PATIENCE), connecting as session:
        await session.join(ours.code)
        assert hall.find_nodes(ours.code, session.player.id) == hall.find_nodes(ours.code, ada.id)
        assert hall.proxy.paths == ["/", *[f"/m/{find_part(ours.code)}"] * 2]


async def test_a_player_of_several_matches_stays(hall):
    ada = await hall.meet("Ada")
    first = await ada.session.open("classic", maker="me", breaker="open")
    await hall.until_met(first, ada)
    second = await ada.session.open("classic", maker="me", breaker="open")
    assert ada.session.receiver.find_meeting() is None
    await ada.session.unfollow(first)
    await hall.until_met(second, ada)


async def test_a_player_stays_while_a_live_clock_runs(hall):
    ada, bob = await hall.meet("Ada"), await hall.meet("Bob")
    ours = await ada.session.open("classic", maker="me", breaker="open", clock="5+3")
    theirs = await bob.session.join(ours.code)
    await ada.wait_for_version(ours, theirs.version)
    assert ours.state.timer is not None
    assert ada.session.receiver.find_meeting() is None  # while the secret is set
    await ada.set(ours, "1234")
    assert ours.state.timer is not None
    assert ada.session.receiver.find_meeting() is None


async def test_a_player_whose_move_fails_stays_and_plays(hall):
    hall.proxy.knows_matches = False
    ada, bob = await hall.meet("Ada"), await hall.meet("Bob")
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.guess(theirs, "1122")
    assert f"/m/{find_part(ours.code)}" in hall.proxy.paths
    assert hall.find_nodes(ours.code, ada.id) != hall.find_nodes(ours.code, bob.id)


async def welcome(client: ServerConnection) -> None:
    await client.recv()
    await client.send(encode(Welcome(id=1, player=Player(id="B0B", name="Bob"))))
    await client.wait_closed()


async def test_a_player_whose_node_dies_during_a_move_reconnects_at_once(start_node, monkeypatch):
    monkeypatch.setattr(link, "OPEN_SECONDS", 2 * PATIENCE)
    nodes = [await start_node(), await start_node()]
    people = People(nodes[0])
    async with MatchProxy.to(*(node.port for node in nodes)) as proxy:
        proxy.hold_matches()
        ada = await people.meet("Ada", proxy.address)
        ours = await ada.session.open("classic", maker="me", breaker="open")
        async with asyncio.timeout(PATIENCE):
            await proxy.held.wait()
        await nodes[0].kill()
        await ada.wait_for_update(Reconnected)
        assert await ada.session.join(ours.code) is ours
        proxy.restore(nodes[1].port)
        await people.close_all()


@pytest.mark.parametrize("status", [HTTPStatus.NOT_FOUND, HTTPStatus.OK, HTTPStatus.FOUND])
async def test_a_proxy_that_knows_one_address_is_used_without_the_match(status):
    def refuse_other_addresses(_: ServerConnection, request: Request) -> Response | None:
        headers = Headers(Location="https://127.0.0.1/login")
        return None if request.path == "/" else Response(status, "another site", headers)

    serving = serve(
        welcome, "127.0.0.1", 0, subprotocols=SPOKEN, process_request=refuse_other_addresses
    )
    async with serving as server, asyncio.timeout(PATIENCE):
        address = "ws://{}:{}".format(*server.sockets[0].getsockname())
        async with Session.connect(address, Identity(), match="K7M2QX") as session:
            assert session.player.name == "Bob"
