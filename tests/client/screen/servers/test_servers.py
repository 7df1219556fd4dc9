import asyncio
import re
from contextlib import ExitStack
from functools import partial

import pytest
from msgspec.structs import replace

from kit.people import PATIENCE, sit_down
from kit.players import identities
from kit.screen.stage import stage
from mastermind_client.cli.process import make_context
from mastermind_client.config.options import OFFLINE, ReviewOptions
from mastermind_client.config.settings import Settings
from mastermind_client.figures import combine_statistics
from mastermind_client.network.embedded import GAMES_FILE, embedded_server
from mastermind_client.network.failures import ServerUnreachable
from mastermind_client.network.opening import open_session
from mastermind_client.network.updates import (
    Connection,
    ConnectionLost,
    Moved,
    Reconnected,
    SessionEnded,
    Update,
)
from mastermind_client.screen.pages.matches.player import PlayerScreen
from mastermind_client.screen.screen import MenuPage
from mastermind_client.screen.servers.server import MAX_CHAINED_REMATCHES, Server
from mastermind_client.screen.servers.servers import Servers
from mastermind_protocol.commands import ResignRound
from mastermind_protocol.errors import Refused
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Error
from mastermind_protocol.requests import ShowStatistics


async def test_offline_places_have_bots(listener):
    connected = await listener.servers.connect(OFFLINE, "Ada")
    assert connected.address == OFFLINE
    assert connected.session.player.name == "Ada"
    assert connected.me == connected.session.player.id
    assert {bot.name for bot in await connected.session.list_bots()} >= {"random", "knuth"}
    assert identities().offline_folder.is_dir()


async def test_the_offline_player_keeps_the_identity(listener):
    first = await listener.servers.connect(OFFLINE, "Ada")
    await listener.servers.close()
    second = await listener.servers.connect(OFFLINE, None)
    assert second is not first
    assert second.me == first.me


async def test_a_server_place_reports_moves_and_keeps_a_feed(listener, server):
    connected = await listener.servers.connect(server.address, "Ada")
    assert connected.address != OFFLINE
    assert connected.address == server.address
    mirror = await connected.session.open("classic", maker="me", breaker="open")
    await listener.until(lambda: listener.heard(Moved))
    assert listener.told[0][0] is connected
    assert connected.feed(mirror) is connected.feeds[mirror.code]

    match = mirror.state
    assert connected.list_rematch_series(match) == [match]
    circle = replace(match, opened=replace(match.opened, previous=mirror.code))
    mirror.states.append(circle)
    series = connected.list_rematch_series(circle)  # a hostile server's
    assert series == [circle] * MAX_CHAINED_REMATCHES


async def test_concurrent_requests_share_one_connection(listener, server):
    first, second = await asyncio.gather(
        listener.servers.connect(server.address, "Ada"),
        listener.servers.connect(server.address, "Ada"),
    )
    third = await listener.servers.connect(server.address, None)
    assert first is second is third


async def test_cancelling_one_request_does_not_cancel_another(listener, relay):
    relay.hold()
    first = asyncio.create_task(listener.servers.connect(relay.address, "Ada"))
    second = asyncio.create_task(listener.servers.connect(relay.address, "Ada"))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    relay.release()
    assert (await second).session.connected


async def test_a_refused_name_can_be_changed(listener, server):
    with pytest.raises(Refused):
        await listener.servers.connect(server.address, "\x1b")
    assert (await listener.servers.connect(server.address, "Ada")).session.player.name == "Ada"


async def test_a_place_tracks_its_connection(listener, relay):
    connected = await listener.servers.connect(relay.address, "Ada")

    relay.hold()
    relay.cut()
    await listener.until(lambda: listener.heard(ConnectionLost))
    assert connected.connection.lost
    await listener.until(lambda: connected.connection.attempt >= 1)

    relay.release()
    await listener.until(lambda: listener.heard(Reconnected))
    await listener.until(lambda: connected.connection == Connection())


def count_lost(*servers: Server) -> int:
    """Return the number of lost matches on servers."""
    answers = [server.statistics for server in servers if server.statistics is not None]
    return combine_statistics(answers).total.lost


async def test_a_record_counts_one_server_and_statistics_count_all(listener, server):
    connected = await listener.servers.connect(server.address, "Ada")
    for games in (1, 2):
        mirror = await connected.session.open("mini", maker="random", breaker="me")
        await listener.until(lambda: mirror.state.phase is Phase.BREAKING)  # noqa: B023 - at once
        assert connected.record(mirror).games == games - 1
        await connected.session.perform(mirror, ResignRound())
        assert connected.record(mirror).games == games - 1
        await listener.until(lambda: count_lost(connected) == games)  # noqa: B023
        assert connected.record(mirror).games == games - 1
    assert connected.record(mirror).unbroken == 1, "a match is compared with those before it"
    offline = await listener.servers.connect(OFFLINE, "Ada")
    mirror = await offline.session.open("mini", maker="random", breaker="me")
    await listener.until(lambda: mirror.state.phase is Phase.BREAKING)
    await offline.session.perform(mirror, ResignRound())
    await listener.until(lambda: count_lost(offline) == 1)
    assert offline.record(mirror).games == 0, "a record has the matches of one server"
    assert count_lost(offline, connected) == 3


async def test_a_player_without_statistics_can_play(listener, relay):
    unknown = partial(Error, code="unknown_message", message="no")
    relay.answer(ShowStatistics, lambda request: unknown(id=request.id))
    connected = await listener.servers.connect(relay.address, "Ada")
    mirror = await connected.session.open("mini", maker="random", breaker="me")
    await listener.until(lambda: mirror.state.phase is Phase.BREAKING)
    assert connected.record(mirror).games == 0
    assert connected.connection.ended is None
    await listener.until(lambda: connected.uncounted is not None)
    assert connected.uncounted == "the server is older than this client, and has no statistics"


async def test_an_ended_session_is_reported_and_replaced(listener, relay):
    connected = await listener.servers.connect(relay.address, "Ada")
    await relay.say("this is no frame of ours")
    await listener.until(lambda: connected.connection.ended is not None)
    assert isinstance(connected.connection.ended, ServerUnreachable)
    assert listener.told[-1] == (connected, SessionEnded(connected.connection.ended))
    again = await listener.servers.connect(relay.address, "Ada")
    assert again is not connected
    assert again.session.connected


async def test_a_second_process_plays_offline_without_saving(listener):
    folder = identities().offline_folder
    folder.mkdir(parents=True)
    async with embedded_server(folder):
        connected = await listener.servers.connect(OFFLINE, "Ada")
        assert (await connected.session.list_bots()) != ()
        assert list(folder.glob("player.json")) == []
        assert not connected.kept


async def test_an_unreadable_games_file_is_named_and_kept(listener):
    folder = identities().offline_folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / GAMES_FILE).write_bytes(b"these were games once " * 400)
    with pytest.raises(OSError, match=re.escape(str(folder / GAMES_FILE))):
        await listener.servers.connect(OFFLINE, "Ada")
    assert (folder / GAMES_FILE).read_bytes().startswith(b"these were games once")


async def test_closing_cancels_a_pending_connection(listener, relay):
    relay.hold()
    reaching = asyncio.create_task(listener.servers.connect(relay.address, "Ada"))
    await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE):
        await listener.servers.close()
    with pytest.raises(asyncio.CancelledError):
        await reaching
    relay.release()


async def test_an_exception_in_the_callback_is_reported(server):
    def fail(_place: Server, update: Update | None) -> None:
        if update is not None:
            raise LookupError("on purpose")

    failures: list[BaseException] = []
    servers = Servers(make_context(), fail, failures.append, print)
    connected = await servers.connect(server.address, "Ada")
    await connected.session.open("classic", maker="me", breaker="open")
    assert [type(failure) for failure in failures] == [LookupError]
    assert connected.connection.ended is None
    await servers.close()


async def test_each_player_of_one_computer_returns_to_their_seat(listener, server, people):
    codes, ids = [], []
    eve = await people.meet("Eve")
    with ExitStack() as terminals:
        for name in ("Ada", "Bob"):
            identity = terminals.enter_context(identities().claim(server.address))
            person = await people.meet(name, identity=identity)
            codes.append((await sit_down(person, eve))[0].code)
            ids.append(person.id)
    await people.close_all()

    bob = await listener.servers.connect(server.address, "Ada", codes[1])
    ada = await listener.servers.connect(server.address, "Ada", codes[0])
    again = await listener.servers.connect(server.address, "Ada", codes[0])

    assert (ada.me, bob.me) == tuple(ids)
    assert bob.session.player.name == "Bob"
    assert again is ada
    assert await listener.servers.connect(server.address, "Ada") is bob
    assert listener.servers.open == [bob, ada]


async def test_the_name_selects_between_two_players_of_one_match(listener, server, people):
    with identities().claim(server.address) as hers, identities().claim(server.address) as his:
        ada = await people.meet("Ada", identity=hers)
        bob = await people.meet("Bob", identity=his)
        mirror, _theirs = await sit_down(ada, bob)
    await people.close_all()
    for name, person in (("Bob", bob), ("Ada", ada), ("Bob", bob)):
        connected = await listener.servers.connect(server.address, name, mirror.code)
        assert connected.me == person.id


async def test_another_player_of_the_computer_can_accept_an_invitation(listener, server, people):
    with identities().claim(server.address) as identity:
        ada = await people.meet("Ada", identity=identity)
        code = (await ada.session.open("mini", maker="me", breaker="open")).code
    await people.close_all()

    bob = await listener.servers.connect(server.address, "Bob", code)
    again = await listener.servers.connect(server.address, "Ada", code)

    assert bob.me != ada.id
    assert again.me == ada.id
    assert bob.session.player.name == "Bob"


async def test_a_player_elsewhere_meets_bots_at_the_server_and_sees_no_path(server):
    settings = Settings(server=server.address, pace=0.0)
    async with stage(120, 40, settings=settings, local=False) as shown:
        shown.app.go(MenuPage.PLAY)
        await shown.until(server.address)
        assert " here " not in shown.text()
        shown.press("enter")
        await shown.wait_for_screen(PlayerScreen)
        assert [connected.address for connected in shown.app.open_servers] == [server.address]
        shown.app.go(MenuPage.SETTINGS)
        await shown.until("Mark what is excluded")
        assert "Kept in" not in shown.text()
        shown.app.go(ReviewOptions(None, OFFLINE))
        await shown.until("You have finished no match there.")
        assert not identities().offline_folder.exists()
        with pytest.raises(ValueError, match="no server may be started"):
            async with open_session(shown.app.context, OFFLINE, None):
                pass
