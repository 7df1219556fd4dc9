from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from kit.desk import Desk
from kit.people import People, Person
from kit.relay import Relay
from kit.server import RestartableServer
from mastermind_server.clock import Clock
from mastermind_server.logs.logging_thread import quiet_libraries


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
async def server(tmp_path: Path) -> AsyncIterator[RestartableServer]:
    """A running server whose games follow the machine's clock."""
    server = RestartableServer(tmp_path, clock=Clock())
    await server.start()
    yield server
    await server.close()


@pytest.fixture
async def people(server: RestartableServer) -> AsyncIterator[People]:
    people = People(server)
    yield people
    await people.go_home()


@pytest.fixture
async def ada(people: People) -> Person:
    return await people.meet("Ada")


@pytest.fixture
async def relay(people: People) -> Relay:
    """The line between Bob and the server."""
    return await people.relay()


@pytest.fixture
async def bob(people: People, relay: Relay) -> Person:
    return await people.meet("Bob", relay.address)


@pytest.fixture
async def new_desk() -> AsyncIterator[Callable[..., Desk]]:
    """Make desks, `new_desk(person=True)` for a person's; they are closed in the end."""
    desks: list[Desk] = []

    def new(*, person: bool = False) -> Desk:
        desks.append(Desk(person=person))
        return desks[-1]

    yield new
    for desk in desks:
        await desk.close()
