import asyncio

import pytest

from kit.people import sit_down
from kit.players import identities
from kit.screen.listener import Listener
from kit.server import GameServer
from mastermind_client.network.failures import ServerUnreachable
from mastermind_client.network.session import Session
from mastermind_client.network.updates import ConnectionLost, Reconnected
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.requests import Hello, ShowStatistics

TOKEN = "t" * 43  # of no server


async def register(address: str) -> str:
    """Store Bob as the player of this computer on a server, and return the player's id."""
    with identities().claim(address) as identity:
        async with Session.connect(address, identity, "Bob") as session:
            return session.player.id


def count_connections(server: GameServer) -> int:
    return server.server.gateway.count_connections()


@pytest.fixture
async def second(listener):  # noqa: ARG001 - both are in one event loop
    """The servers of another terminal of the same user."""
    other = Listener()
    yield other
    await other.servers.close()
    assert not other.failures


async def test_a_new_user_connects_to_nothing(listener, server):
    await listener.servers.home.keep_open(server.address, "Ada")
    assert listener.servers.open == []
    assert count_connections(server) == 0
    assert not identities().list_registered(server.address)


async def test_a_known_player_is_online_without_being_claimed_or_renamed(listener, relay):
    me = await register(relay.address)
    await listener.servers.home.keep_open(relay.address, "Robert")
    (home,) = listener.servers.open
    assert (home.me, home.session.player.name, home.idle) == (me, "Bob", True)
    assert ShowStatistics not in map(type, relay.asked)
    with identities().claim(relay.address) as free:
        assert free.tokens == home.session.identity.tokens


async def test_a_page_uses_the_session_of_home(listener, server):
    await register(server.address)
    await listener.servers.home.keep_open(server.address, "Bob")
    (home,) = listener.servers.open
    used = await listener.servers.connect(server.address, "Bob")
    assert used is home
    assert not used.idle
    await listener.until(lambda: used.statistics is not None)
    await listener.servers.home.keep_open(server.address, "Bob")
    assert listener.servers.open == [used]
    assert count_connections(server) == 1
    mirror = await used.session.open("mini", maker="me", breaker="open")
    await asyncio.to_thread(used.session.identity.save)
    assert listener.servers.home.identity is None
    with identities().claim(server.address) as other:
        assert not other.has_seat(mirror.code)


async def test_another_name_gets_a_session_of_its_own_which_replaces_that_of_home(
    listener, server, ada
):
    me = await register(server.address)
    await listener.servers.home.keep_open(server.address, "Bob")
    (home,) = listener.servers.open
    await ada.session.challenge(me, "mini")
    await listener.until(lambda: bool(home.session.challenges))
    used = await listener.servers.connect(server.address, "Robert")
    assert (used.me, used.session.player.name) == (me, "Robert")
    await server.until_connections(2)
    assert listener.servers.open == [used]
    await listener.until(lambda: bool(used.session.challenges))
    assert not home.session.challenges, "the question of the closed session ends"


async def test_a_page_opened_while_home_connects_needs_no_second_connection(listener, relay):
    await register(relay.address)
    relay.sent.clear()
    relay.hold()
    keeping = asyncio.create_task(listener.servers.home.keep_open(relay.address, "Bob"))
    await asyncio.sleep(0)
    using = asyncio.create_task(listener.servers.connect(relay.address, "Bob"))
    await keeping
    relay.release()
    used = await using
    assert listener.servers.open == [used]
    assert [type(request) for request in relay.sent].count(Hello) == 1


async def test_a_lost_session_of_home_reconnects_and_pages_do_not_wait_for_it(listener, relay):
    await register(relay.address)
    await listener.servers.home.keep_open(relay.address, "Bob")
    (home,) = listener.servers.open
    relay.reject_connections(503)
    relay.cut()
    await listener.until(lambda: listener.heard(ConnectionLost))
    await listener.servers.home.keep_open(relay.address, "Bob")
    assert listener.servers.open == [home]
    relay.reject_connections(None)
    await listener.until(lambda: listener.heard(Reconnected))
    assert home.session.connected

    relay.reject_connections(404)
    relay.cut()
    await listener.until(lambda: not home.session.connected)
    with pytest.raises(ServerUnreachable):
        await listener.servers.connect(relay.address, "Bob")


async def test_an_absent_server_is_tried_again_in_silence(listener, server):
    me = await register(server.address)
    await server.stop()
    await listener.servers.home.keep_open(server.address, "Bob")
    assert (listener.servers.open, listener.told, listener.rejected) == ([], [], [])
    await server.start()
    await listener.servers.home.keep_open(server.address, "Bob")
    assert [home.me for home in listener.servers.open] == [me]


async def test_a_player_whom_the_server_rejects_is_reported_once_and_stays(listener, relay):
    with identities().claim(relay.address) as identity:
        identity.store_token(TOKEN)
    for _attempt in range(3):
        await listener.servers.home.keep_open(relay.address, "Bob")
    assert listener.rejected == [(relay.address, ErrorCode.UNKNOWN_TOKEN)]
    assert [getattr(request, "token", None) for request in relay.sent] == [TOKEN]
    assert [known.tokens for known in identities().list_registered(relay.address)] == [(TOKEN,)]


async def test_a_rejected_player_is_tried_again_after_a_close(listener, server):
    with identities().claim(server.address) as identity:
        identity.store_token(TOKEN)
    await listener.servers.home.keep_open(server.address, "Bob")
    await listener.servers.close()
    me = await register(server.address)  # as after a transfer from another computer
    await listener.servers.home.keep_open(server.address, "Bob")
    assert [home.me for home in listener.servers.open] == [me]


async def test_a_player_logged_out_elsewhere_is_reported_once(listener, server, people):
    with identities().claim(server.address) as identity:
        bob = await people.meet("Bob", identity=identity)
    await listener.servers.home.keep_open(server.address, "Bob")
    (home,) = listener.servers.open
    await bob.session.log_out()
    await listener.until(lambda: home.connection.ended is not None)
    for _attempt in range(2):
        await listener.servers.home.keep_open(server.address, "Bob")
    assert listener.rejected == [(server.address, ErrorCode.LOGGED_OUT)]
    assert listener.servers.open == []


async def test_a_page_does_not_use_a_session_of_home_that_has_ended(listener, server, people):
    with identities().claim(server.address) as identity:
        bob = await people.meet("Bob", identity=identity)
    await listener.servers.home.keep_open(server.address, "Bob")
    (home,) = listener.servers.open
    await bob.session.log_out()
    await listener.until(lambda: home.connection.ended is not None)
    used = await listener.servers.connect(server.address, "Bob")
    assert used.me != home.me, "the server knows the player no longer"
    assert listener.servers.open == [used]


async def test_another_server_in_the_settings_ends_the_session(listener, server):
    await register(server.address)
    await listener.servers.home.keep_open(server.address, "Bob")
    await listener.servers.home.keep_open("ws://games.example:1", "Bob")
    assert listener.servers.open == []
    await server.until_connections(0)


async def test_the_home_of_a_second_terminal_connects_nothing_until_the_first_ends(
    listener, second, server
):
    me = await register(server.address)
    await listener.servers.home.keep_open(server.address, "Bob")
    await second.servers.home.keep_open(server.address, "Bob")
    assert second.servers.open == []
    assert count_connections(server) == 1
    await listener.servers.close()
    await second.servers.home.keep_open(server.address, "Bob")
    assert [home.me for home in second.servers.open] == [me]


async def test_a_terminal_that_plays_is_the_player_of_another_terminals_home(
    listener, second, server
):
    me = await register(server.address)
    await listener.servers.home.keep_open(server.address, "Bob")
    playing = await second.servers.connect(server.address, "Bob")
    assert playing.me == me
    await listener.servers.home.keep_open(server.address, "Bob")
    assert listener.servers.open == [], "the first terminal would be another player"
    other = await listener.servers.connect(server.address, "Bob")
    assert other.me != me, "two terminals that play are two players"


async def test_no_home_becomes_another_player_of_this_computer(listener, server, people):
    with identities().claim(server.address) as first, identities().claim(server.address) as other:
        bob = await people.meet("Bob", identity=first)
        eve = await people.meet("Eve", identity=other)
        await sit_down(bob, eve)  # both have an unfinished match
    with identities().claim(server.address) as claimed:
        await listener.servers.home.keep_open(server.address, claimed.stored.name)
        assert listener.servers.open == []
    with identities().connect_home(server.address, "Eve"):
        await listener.servers.home.keep_open(server.address, "Bob")
        assert listener.servers.open == []
