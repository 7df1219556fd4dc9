import asyncio

import pytest

from kit.people import PATIENCE, sit_down, unreachable
from mastermind_client.lines.inbox import Inbox
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.network.updates import ConnectionLost, Moved, Reconnecting, Update


@pytest.fixture
async def inbox(bob, desk):
    """The inbox of Bob's session at his desk."""
    with Inbox.open(bob.session, desk.terminal) as inbox:
        yield inbox


async def test_updates_are_read_before_typed_lines(bob, desk, inbox):
    told: list[Update] = []
    desk.type("1122")
    async with asyncio.timeout(PATIENCE):
        await desk.terminal.activity.wait()
        await bob.session.open("classic", maker="me", breaker="open")
        with inbox.subscribed(told.append):
            assert await inbox.next() is None
            assert [type(update) for update in told] == [Moved]
            assert await inbox.next() == "1122"


async def test_earlier_updates_are_delivered_to_a_new_subscriber(ada, bob, inbox):
    await sit_down(bob, ada)
    await bob.session.list_matches("waiting")
    told: list[Update] = []
    with inbox.subscribed(told.append):
        assert [type(update) for update in told] == [Moved, Moved]


async def test_lines_wait_until_they_are_requested(ada, bob, desk, inbox):
    desk.type("1122")
    desk.end_input()
    waiting = asyncio.create_task(inbox.next(lines=False))
    await sit_down(bob, ada)
    async with asyncio.timeout(PATIENCE):
        assert await waiting is None
        assert await inbox.read_line() == "1122"
        with pytest.raises(InputEnded):
            await inbox.read_line()


async def test_the_end_of_the_session_is_raised_after_the_last_update(bob, inbox, relay):
    told: list[Update] = []
    await bob.session.open("classic", maker="me", breaker="open")
    await relay.close(1008, "abuse")
    async with asyncio.timeout(PATIENCE):
        with inbox.subscribed(told.append), unreachable("abuse"):
            await inbox.read_line()
    assert [type(update) for update in told] == [Moved]


async def test_updates_are_delivered_during_a_request(bob, inbox, relay):
    told: list[Update] = []

    def tell(update: Update) -> None:
        told.append(update)
        if isinstance(update, Reconnecting):
            relay.release()  # the answer can arrive only after this

    relay.hold()
    relay.cut()
    async with asyncio.timeout(PATIENCE):
        with inbox.subscribed(tell):
            assert await bob.session.list_matches("waiting") == ()
    assert [type(update) for update in told][:2] == [ConnectionLost, Reconnecting]


async def test_a_subscribers_exception_is_raised(bob, inbox):
    def fail(_update: Update) -> None:
        raise LookupError

    with inbox.subscribed(fail):
        await bob.session.open("classic", maker="me", breaker="open")
        with pytest.raises(LookupError):
            await inbox.next()


async def test_the_displayed_state_waits_for_a_subscriber(ada, bob, inbox):
    _theirs, ours = await sit_down(ada, bob)
    assert inbox.find_displayed(ours) is not ours.state
    with inbox.subscribed(lambda _update: None):
        assert inbox.find_displayed(ours) is ours.state
