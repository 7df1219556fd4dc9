from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from client.people import PATIENCE, Person, sit_down
from mastermind_client.mirror import Mirror
from mastermind_client.plain.inbox import Inbox, describe_connection
from mastermind_client.plain.terminal import InputEnded
from mastermind_client.trouble import ServerUnreachable
from mastermind_client.updates import (
    ConnectionLost,
    Moved,
    PresenceChanged,
    Reconnected,
    Reconnecting,
    Update,
)
from mastermind_protocol.commitment import commit
from mastermind_protocol.events import (
    Finished,
    Guessed,
    Joined,
    MatchEnd,
    Opened,
    Player,
    RematchOffered,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
)
from mastermind_protocol.messages import ListMatches, Row

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


@pytest.mark.parametrize(
    ("update", "words"),
    [
        (
            ConnectionLost("the \x1b[2J broke"),
            "*** CONNECTION LOST: the ?[2J broke. Your seat is kept; trying to come back. ***",
        ),
        (Reconnecting(3), "*** RECONNECTING, try 3 ... ***"),
        (Reconnected(), "*** CONNECTED AGAIN. ***"),
    ],
)
def test_connections_are_told_loudly(update: Update, words: str) -> None:
    assert describe_connection(update) == words


def test_who_is_away_or_back_is_told_by_name() -> None:
    mirror = Mirror("ABC234")
    events = (Opened(rules="classic", rounds=1), Joined(player=ADA, seat=Seat.MAKER))
    mirror.apply(Row(1, events))
    assert describe_connection(PresenceChanged(mirror, "ADA", here=False)) == (
        "Ada?[2J has lost the connection; the seat is kept."
    )
    assert describe_connection(PresenceChanged(mirror, "ADA", here=True)) == "Ada?[2J is back."
    assert describe_connection(PresenceChanged(mirror, "BOB", here=True)) == "Somebody is back."
    assert describe_connection(Moved(mirror, events, None)) is None


def test_nobody_is_said_to_be_away_from_a_match_that_has_a_rematch() -> None:
    mirror, secret, nonce = Mirror("ABC234"), (0, 0, 1, 1), bytes(16)
    events = (
        Opened(rules="classic", rounds=1),
        Joined(player=ADA, seat=Seat.MAKER),
        Joined(player=Player(id="BOB", name="Bob"), seat=Seat.BREAKER),
        SecretSet(by="ADA", commitment=commit(nonce, secret)),
        Guessed(code=secret, black=4, white=0),
        RoundEnded(how=RoundEnd.BROKEN, code=secret, points=1, nonce=nonce),
        Finished(how=MatchEnd.PLAYED, winner="BOB"),
    )
    mirror.apply(Row(1, events))
    gone = PresenceChanged(mirror, "ADA", here=False)
    assert describe_connection(gone) is not None
    mirror.apply(Row(2, (RematchOffered(by="BOB", match="DEF567"),)))
    assert describe_connection(gone) is None
