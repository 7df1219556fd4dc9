"""Dead lines, slow servers, and pings."""

import asyncio

import pytest

from kit.clock import ManualClock
from kit.matches import SeededRandom, pegs
from kit.people import PATIENCE, People, SessionClient, sit_down, skip_until_suspected
from kit.proxy import Proxy
from mastermind_client.context import Network
from mastermind_client.network.connection import line as lines
from mastermind_client.network.connection import link, reconnecting
from mastermind_client.network.connection.keepalive import (
    ANSWER_SECONDS,
    IDLE_SECONDS,
    QUIET_SECONDS,
    Keepalive,
)
from mastermind_client.network.failures import DisconnectReason, Fault
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.session import Session
from mastermind_client.network.updates import (
    ConnectionLost,
    Moved,
    Reconnected,
    Reconnecting,
)
from mastermind_protocol.events import SecretSet
from mastermind_protocol.match import Phase
from mastermind_server.app import listen

LONGEST_ANSWER = 1.5 * ANSWER_SECONDS
LOST = ConnectionLost(DisconnectReason(Fault.NO_ANSWER))
REPLACED = [LOST, Reconnecting(1), Reconnected()]


class Watched:
    """A keepalive on a clock, and the times of its pings."""

    def __init__(self, *, urgent: bool = False) -> None:
        self.clock, self.urgent = ManualClock(), urgent
        self.pings: list[float] = []
        self._began = self.clock.now()
        self.keepalive = Keepalive(
            self.clock, SeededRandom(1), lambda: self.urgent, lambda: self.pings.append(self.now)
        )

    @property
    def now(self) -> float:
        return self.clock.now() - self._began

    def is_suspected(self) -> bool:
        assert self.keepalive.alive.is_set() is not self.keepalive.suspected.is_set()
        return self.keepalive.suspected.is_set()


@pytest.mark.parametrize(("urgent", "silence"), [(True, QUIET_SECONDS), (False, IDLE_SECONDS)])
async def test_a_silent_line_is_pinged_and_then_suspected(urgent, silence):
    watched = Watched(urgent=urgent)
    watched.clock.skip(silence + ANSWER_SECONDS - 0.01)
    assert watched.pings == [silence]
    assert not watched.is_suspected()
    watched.clock.skip(LONGEST_ANSWER - ANSWER_SECONDS + 0.01)
    assert watched.is_suspected()
    watched.clock.skip(1000)
    assert watched.pings == [silence]


async def test_any_data_ends_the_silence_and_the_suspicion():
    watched = Watched(urgent=True)
    watched.clock.skip(QUIET_SECONDS - 1)
    watched.keepalive.record_data()
    watched.clock.skip(QUIET_SECONDS)
    assert watched.pings == [2 * QUIET_SECONDS - 1]
    watched.clock.skip(1)
    watched.keepalive.record_data()  # a pong
    pong = watched.now
    watched.clock.skip(QUIET_SECONDS)
    assert watched.pings[1:] == [pong + QUIET_SECONDS]
    assert not watched.is_suspected()
    watched.clock.skip(LONGEST_ANSWER)
    assert watched.is_suspected()
    watched.keepalive.record_data()
    assert not watched.is_suspected()
    again = watched.now
    watched.clock.skip(QUIET_SECONDS)
    assert watched.pings[2:] == [again + QUIET_SECONDS]


async def test_silence_counts_from_the_request():
    watched = Watched()
    watched.clock.skip(IDLE_SECONDS - 1)
    watched.urgent = True
    watched.keepalive.check()
    asked = watched.now
    watched.clock.skip(1)
    watched.keepalive.check()  # another request
    watched.clock.skip(QUIET_SECONDS)
    assert watched.pings == [asked + QUIET_SECONDS]


async def test_an_answered_or_cancelled_request_makes_the_line_idle_again():
    watched = Watched(urgent=True)
    watched.keepalive.record_data()
    watched.urgent = False  # without a message, as after a cancelled request
    watched.clock.skip(QUIET_SECONDS)
    assert watched.pings == []
    watched.clock.skip(IDLE_SECONDS - QUIET_SECONDS)
    assert watched.pings == [IDLE_SECONDS]


async def test_a_closed_line_is_neither_pinged_nor_alive():
    watched = Watched(urgent=True)
    watched.keepalive.close()
    watched.keepalive.check()  # a request before the next connection
    watched.clock.skip(1000)
    assert watched.pings == []
    assert not watched.keepalive.alive.is_set()
    assert not watched.keepalive.suspected.is_set()


# Sessions behind a proxy.


@pytest.fixture
def clock() -> ManualClock:
    """The clock of Bob's pings."""
    return ManualClock()


@pytest.fixture
async def bob(people: People, proxy: Proxy, clock: ManualClock) -> SessionClient:
    return await people.meet("Bob", proxy.address, network=Network(clock=clock))


def list_faults(user: SessionClient) -> list[object]:
    """Return all updates about the line and about the presence of players."""
    user.drain()
    return [update for update in user.updates if not isinstance(update, Moved)]


async def test_a_request_on_a_dead_line_is_sent_on_another_connection(
    server, ada, bob, proxy, clock
):
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.wait_for_turn(theirs)
    proxy.swallow()
    guess = asyncio.create_task(bob.session.guess(theirs, pegs("1111")))
    await skip_until_suspected(clock)
    async with asyncio.timeout(PATIENCE):
        await guess
    assert list_faults(bob) == REPLACED
    proxy.restore()  # the server reads the first guess as well, and the end of that connection
    await server.until_connections(2)
    await bob.guess(theirs, "1234")
    await ada.wait_for_version(ours, 5)
    assert ours.state == theirs.state
    assert ours.state.phase is Phase.FINISHED
    assert list_faults(ada) == []  # Bob was connected all the time


async def test_a_dead_line_is_found_while_a_clock_runs(ada, bob, proxy, clock):
    theirs = await ada.session.open("classic", maker="open", breaker="me", clock="10/move")
    ours = await bob.session.join(theirs.code)
    await bob.set(ours, "1234")
    await bob.wait_for_event(SecretSet)
    proxy.swallow()
    await ada.guess(theirs, "1111")
    await skip_until_suspected(clock)
    await bob.wait_for_version(ours, 4)
    assert list_faults(bob) == REPLACED


async def test_an_answer_on_the_old_connection_ends_the_attempt(server, ada, bob, proxy, clock):
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.wait_for_turn(theirs)
    with listen("127.0.0.1", 0) as silent:
        proxy.swallow(silent.getsockname()[1])
        guess = asyncio.create_task(bob.session.guess(theirs, pegs("1234")))
        await skip_until_suspected(clock)
        await bob.wait_for_update(Reconnecting)
        assert not bob.session.connected
        proxy.restore()
        async with asyncio.timeout(PATIENCE):
            await guess
        assert bob.session.connected
        assert list_faults(bob) == REPLACED
        assert server.server.gateway.count_connections() == 2
        assert await bob.session.list_matches("waiting") == ()


async def test_an_attempt_without_an_answer_is_followed_by_another(bob, proxy, clock, monkeypatch):
    monkeypatch.setattr(reconnecting, "REPLACEMENT_SECONDS", (0.01,))
    monkeypatch.setattr(link, "OPEN_SECONDS", 1000.0)  # of other attempts
    with listen("127.0.0.1", 0) as silent:
        proxy.swallow(silent.getsockname()[1])
        asking = asyncio.create_task(bob.session.list_matches("waiting"))
        await skip_until_suspected(clock)
        await bob.wait_for_update(Reconnecting, lambda update: update.attempt == 2)
        proxy.restore()
        async with asyncio.timeout(PATIENCE):
            assert await asking == ()


async def test_the_end_of_a_session_does_not_wait_for_a_dead_line(proxy, clock, monkeypatch):
    monkeypatch.setattr(lines, "CLOSE_SECONDS", 1000.0)
    address = proxy.address
    with listen("127.0.0.1", 0) as silent:
        async with (
            asyncio.timeout(PATIENCE),
            Session.connect(address, Identity(), network=Network(clock=clock)) as session,
        ):
            bob = SessionClient(session, Identity())
            proxy.swallow(silent.getsockname()[1])
            asking = asyncio.create_task(session.list_bots())
            await skip_until_suspected(clock)
            await bob.wait_for_update(Reconnecting)
            asking.cancel()


@pytest.mark.parametrize(
    ("clock_name", "seated", "urgent"),
    [
        ("10/move", True, True),
        ("1d/move", True, False),
        (None, True, False),
        ("10/move", False, False),
    ],
    ids=["live clock", "clock of days", "no clock", "spectator"],
)
async def test_a_line_is_urgent_while_a_live_clock_runs(
    ada, bob, people, clock_name, seated, urgent
):
    ours = await ada.session.open("classic", maker="me", breaker="open", clock=clock_name)
    assert not ada.session.receiver.is_urgent()
    await bob.session.join(ours.code)
    await ada.wait_for_turn(ours)
    eve = await people.meet("Eve")
    await eve.session.follow(ours.code)
    assert (ada if seated else eve).session.receiver.is_urgent() is urgent
    asking = asyncio.create_task(eve.session.list_bots())
    await asyncio.sleep(0)
    assert eve.session.receiver.is_urgent()
    await asking
    assert not eve.session.receiver.is_urgent()
