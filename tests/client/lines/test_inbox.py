from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from client.people import PATIENCE, Person, sit_down
from mastermind_client.lines.inbox import Inbox
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.net.unreachable import ServerUnreachable
from mastermind_client.net.updates import (
    ConnectionLost,
    Moved,
    Reconnected,
    Reconnecting,
    Update,
)
from mastermind_protocol.events import (
    Player,
)
from mastermind_protocol.messages import ListMatches

if TYPE_CHECKING:
    from collections.abc import Callable

    from client.desk import Desk
    from client.relay import Relay

    NewDesk = Callable[..., Desk]

ADA = Player(id="ADA", name="Ada\x1b[2J")


@pytest.fixture
async def desk(new_desk: NewDesk) -> Desk:
    return new_desk()


async def test_what_happened_goes_before_what_was_typed(bob: Person, desk: Desk) -> None:
    inbox = Inbox(bob.session, desk.terminal)
    desk.type("1122")
    async with asyncio.timeout(PATIENCE):
        await desk.terminal.activity.wait()
        await bob.session.open("classic", maker="me", breaker="open")
        assert isinstance(await inbox.next(lines=True), Moved)
        assert await inbox.next(lines=True) == "1122"


async def test_lines_wait_while_they_are_not_wanted(ada: Person, bob: Person, desk: Desk) -> None:
    inbox = Inbox(bob.session, desk.terminal)
    desk.type("1122")
    desk.hang_up()
    waiting = asyncio.create_task(inbox.next(lines=False))
    await sit_down(bob, ada)
    async with asyncio.timeout(PATIENCE):
        assert isinstance(await waiting, Moved)
        while not isinstance(got := await inbox.next(lines=True), str):
            pass
        assert got == "1122"
        await bob.drain()
        with pytest.raises(InputEnded):
            await inbox.next(lines=True)


async def test_what_ended_the_session_is_raised_after_all_that_happened(
    bob: Person, desk: Desk, relay: Relay
) -> None:
    inbox = Inbox(bob.session, desk.terminal)
    await bob.session.open("classic", maker="me", breaker="open")
    await relay.close(1008, "abuse")
    async with asyncio.timeout(PATIENCE):
        assert isinstance(await inbox.next(lines=True), Moved)
        with pytest.raises(ServerUnreachable, match="abuse"):
            await inbox.next(lines=True)


async def test_what_happens_during_a_request_is_shown_meanwhile(
    ada: Person, bob: Person, desk: Desk, relay: Relay
) -> None:
    inbox = Inbox(bob.session, desk.terminal)
    await sit_down(ada, bob)
    await bob.drain()
    relay.hold()
    relay.cut()
    shown: list[Update] = []

    def show(update: Update) -> None:
        shown.append(update)
        if isinstance(update, Reconnecting):
            relay.release()  # only now can there be an answer

    async with asyncio.timeout(PATIENCE):
        assert await inbox.perform(bob.session.list_matches("waiting"), show) == ()
    assert [type(update) for update in shown][:2] == [ConnectionLost, Reconnecting]


async def test_a_request_that_fails_raises_what_it_raises(bob: Person, desk: Desk) -> None:
    inbox = Inbox(bob.session, desk.terminal)

    async def fail() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        await inbox.perform(fail(), lambda _: None)


async def test_a_request_that_is_given_up_is_not_asked_again(
    bob: Person, desk: Desk, relay: Relay
) -> None:
    inbox = Inbox(bob.session, desk.terminal)
    relay.hold()
    relay.cut()
    tried = asyncio.Event()
    asking = asyncio.create_task(
        inbox.perform(
            bob.session.open("classic", maker="me", breaker="open"),
            lambda update: tried.set() if isinstance(update, Reconnecting) else None,
        )
    )
    async with asyncio.timeout(PATIENCE):
        await tried.wait()
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    relay.release()
    await bob.hear(Reconnected)
    assert await bob.session.list_matches("waiting") == ()
    assert [type(request) for request in relay.asked] == [ListMatches]
