"""A session passes its updates to one subscriber, in order."""

import asyncio

from kit.matches import pegs
from kit.people import PATIENCE, end_session, sit_down, unreachable
from mastermind_client.network.updates import (
    ChatReceived,
    Moved,
    PresenceChanged,
    SessionEnded,
    Update,
)
from mastermind_protocol.match import Phase


async def test_a_move_has_the_match_before_and_after(ada, bob):
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.guess(theirs, "1122")
    await bob.guess(theirs, "1234")
    bob.drain()

    assert bob.moves[0].before is None
    assert bob.moves[-1].after == theirs.state
    for earlier, later in zip(bob.moves, bob.moves[1:], strict=False):
        assert later.before == earlier.after
    phases = [move.after.phase for move in bob.moves]
    assert phases == [
        *(Phase.GATHERING, Phase.SETTING, Phase.BREAKING, Phase.BREAKING, Phase.FINISHED)
    ]


async def test_other_updates_have_the_match_of_their_time(ada, bob):
    ours, theirs = await sit_down(ada, bob)
    await bob.session.say(theirs, phrase=1)
    await bob.session.unfollow(theirs)
    await ada.session.set_secret(ours, pegs("1234"))

    said, gone = await ada.wait_for_update(ChatReceived), await ada.wait_for_update(PresenceChanged)
    assert said.match.phase is gone.match.phase is Phase.SETTING
    assert ours.state.phase is Phase.BREAKING


async def test_the_subscriber_is_called_before_a_request_returns(bob):
    told: list[Update] = []
    bob.session.updates.subscribe(told.append, end_session)
    await bob.session.open("classic", maker="me", breaker="open")
    assert [type(update) for update in told] == [Moved]


async def test_the_subscriber_reads_the_seats_of_the_move(bob):
    seats: list[int] = []
    bob.session.updates.subscribe(
        lambda _update: seats.append(len(bob.session.identity.stored.matches)), end_session
    )
    await bob.session.open("classic", maker="me", breaker="open")
    assert seats == [1]


async def test_a_subscribers_exception_does_not_end_the_session(bob):
    def fail(_update: Update) -> None:
        raise LookupError("on purpose")

    failures: list[Exception] = []
    bob.session.updates.subscribe(fail, failures.append)
    mirror = await bob.session.open("classic", maker="me", breaker="open")
    assert [type(failure) for failure in failures] == [LookupError]
    assert mirror.version == 1
    assert bob.session.connected


async def test_the_end_of_the_session_is_the_last_update(bob, relay):
    told: list[Update] = []
    ended = asyncio.Event()

    def receive(update: Update) -> None:
        told.append(update)
        if isinstance(update, SessionEnded):
            ended.set()

    bob.session.updates.subscribe(receive, end_session)
    await bob.session.open("classic", maker="me", breaker="open")
    await relay.close(1008, "abuse")
    async with asyncio.timeout(PATIENCE):
        await ended.wait()
    assert [type(update) for update in told] == [Moved, SessionEnded]
    assert told[-1] == SessionEnded(bob.session.updates.connection.ended)
    with unreachable("abuse"):
        await bob.session.list_matches("waiting")
