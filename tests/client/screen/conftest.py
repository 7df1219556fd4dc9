from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest
from prompt_toolkit.application import application
from prompt_toolkit.key_binding.defaults import load_key_bindings
from prompt_toolkit.styles import Style, style

from client.screen.seats import seats_at
from client.screen.slate import Slate
from client.screen.stage import stage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from client.screen.seats import Seats
    from client.screen.stage import Stage
    from kit.people import People
    from kit.server import RestartableServer


@pytest.fixture(autouse=True, scope="session")
def _toolkit_made_once() -> Iterator[None]:
    """prompt_toolkit's own keys and styles, the same for every Application, are read only once.

    Each of some hundred apps would spend a third of its time on those that we never use.
    """
    made: dict[tuple[tuple[str, str], ...], Style] = {}

    def merge(rules: list[tuple[str, str]]) -> Style:
        if (found := made.get(key := tuple(rules))) is None:
            found = made[key] = Style(rules)
            found.get_attrs_for_style_str = cache(found.get_attrs_for_style_str)  # type: ignore[method-assign]
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(application, "load_key_bindings", cache(load_key_bindings))
        patch.setattr(style, "_parse_style_str", cache(style._parse_style_str))
        patch.setattr(style, "Style", merge)
        yield


@pytest.fixture
async def offline() -> AsyncIterator[Seats]:
    """Seats in this process, across from bots."""
    async with seats_at() as seats:
        yield seats


@pytest.fixture
async def online(server: RestartableServer, people: People) -> AsyncIterator[Seats]:  # noqa: ARG001 - the relay is theirs
    """Seats at a server, which are left before a relay to it is gone."""
    async with seats_at(server.address) as seats:
        yield seats


@pytest.fixture
async def shown() -> AsyncIterator[Stage]:
    """A running app that shows a slate."""
    async with stage(opening=Slate) as shown:
        yield shown
