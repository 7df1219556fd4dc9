from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.net.leaving import leave_in_time
from mastermind_client.net.updates import ConnectionLost
from mastermind_protocol.messages import Leave

if TYPE_CHECKING:
    import pytest

    from client.people import Person
    from client.relay import Relay


async def test_what_is_left_without_a_connection_is_left_when_there_is_one_again(
    ada: Person, bob: Person, relay: Relay
) -> None:
    mirror = await bob.session.open("classic", maker="me", breaker="open")
    await ada.session.join(mirror.code)
    relay.hold()
    relay.cut()
    await bob.hear(ConnectionLost)
    leaving = asyncio.create_task(leave_in_time(partial(bob.session.leave, mirror)))
    await asyncio.sleep(0)
    assert not [request for request in relay.asked if isinstance(request, Leave)]

    relay.release()

    await leaving
    assert [request.match for request in relay.asked if isinstance(request, Leave)] == [mirror.code]


async def test_that_the_server_refuses_or_the_session_ends_is_not_raised(
    bob: Person, relay: Relay, caplog: pytest.LogCaptureFixture
) -> None:
    mirror = await bob.session.open("classic", maker="me", breaker="random")
    await bob.session.leave(mirror)
    caplog.set_level("DEBUG", "mastermind_client.net.leaving")
    await leave_in_time(partial(bob.session.leave, mirror))
    assert "could not leave" in caplog.text
    caplog.clear()

    again = await bob.session.open("classic", maker="me", breaker="random")
    relay.answer(Leave, lambda _request: None)
    leaving = asyncio.create_task(leave_in_time(partial(bob.session.leave, again)))
    await asyncio.sleep(0)
    await relay.say("this is no frame of ours")
    await leaving
    assert "could not leave" in caplog.text
