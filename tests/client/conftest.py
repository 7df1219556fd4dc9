from __future__ import annotations

import itertools
import logging
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from kit.days import begin_day
from kit.people import People, SessionClient
from kit.players import identities
from kit.proxy import Proxy, RelayProxy
from kit.server import MANUAL, GameServer
from kit.terminal_user import TerminalUser
from mastermind_client.network.session import Session
from mastermind_server.clock import Clock
from mastermind_server.monitoring.logs import quiet_libraries


@pytest.fixture(autouse=True, scope="session")
def _quiet() -> None:
    quiet_libraries()


_USERS = itertools.count()


@pytest.fixture(autouse=True)
def data_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this test's programs keep a user's data: never in the home of who runs the tests.

    It is no `tmp_path`, which takes longer to make than most tests take.
    """
    home = tmp_path_factory.getbasetemp() / f"user-{next(_USERS)}"
    home.mkdir()
    for kind in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
    monkeypatch.setenv("HOME", str(home))
    return home / "data"


@pytest.fixture
async def server(
    request: pytest.FixtureRequest, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> AsyncIterator[GameServer]:
    """A running server that logs no slow requests.

    Its games follow the machine's clock, or `server.clock` if a test has the parameter MANUAL.
    """
    caplog.set_level(logging.ERROR, "mastermind_server.monitoring.usage")
    manual = getattr(request, "param", "") == MANUAL
    server = GameServer(tmp_path, clock=None if manual else Clock())
    await server.start()
    yield server
    await server.close()


@pytest.fixture
async def hall(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[GameServer]:
    """A server at noon of a day with codes, on which the user has played before as Ada."""
    caplog.set_level(logging.ERROR, "mastermind_server.monitoring.usage")
    hall = GameServer(tmp_path)
    await hall.start()
    with identities().claim(hall.address) as identity:
        async with Session.connect(hall.address, identity, "Ada"):
            pass
    await begin_day(hall, "classic", "mini")
    yield hall
    await hall.close()


@pytest.fixture
async def people(server: GameServer) -> AsyncIterator[People]:
    people = People(server)
    yield people
    await people.close_all()


@pytest.fixture
async def ada(people: People) -> SessionClient:
    return await people.meet("Ada")


@pytest.fixture
async def relay(people: People) -> RelayProxy:
    """The line between Bob and the server."""
    return await people.relay()


@pytest.fixture
async def proxy(server: GameServer) -> AsyncIterator[Proxy]:
    """A proxy to the server, which can lose packets."""
    async with Proxy.to(server.port) as proxy:
        yield proxy


@pytest.fixture
async def bob(people: People, relay: RelayProxy) -> SessionClient:
    return await people.meet("Bob", relay.address)


@pytest.fixture
async def new_desk() -> AsyncIterator[Callable[..., TerminalUser]]:
    """Make desks, `new_desk(person=True)` for a person's; they are closed in the end."""
    desks: list[TerminalUser] = []

    def new(*, person: bool = False) -> TerminalUser:
        desks.append(TerminalUser(person=person))
        return desks[-1]

    yield new
    for desk in desks:
        await desk.close()
