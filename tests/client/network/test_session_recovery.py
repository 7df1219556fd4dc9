"""Faults of the line and of the server: the session's updates, and its requests afterwards."""

import asyncio
from functools import partial

import pytest
from msgspec.structs import replace

from kit.matches import pegs
from kit.people import PATIENCE, SessionClient, sit_down, unreachable
from kit.proxy import RelayProxy
from mastermind_client.messages.updates import describe_session_update
from mastermind_client.network.connection import exchange
from mastermind_client.network.failures import DisconnectReason, Fault
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.updates import (
    Announced,
    ChallengeReceived,
    ConnectionLost,
    Moved,
    Reconnected,
    Reconnecting,
    RequestDelayed,
)
from mastermind_protocol.chat import ChatLine
from mastermind_protocol.commitment import commit
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import (
    Finished,
    Guessed,
    Left,
    Opened,
    RoundEnd,
    RoundEnded,
    SecretSet,
)
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import (
    MAX_ROWS,
    Announcement,
    Chat,
    Done,
    Error,
    Happened,
    Log,
    Presence,
    Row,
    Said,
    Spectators,
)
from mastermind_protocol.requests import Follow, Guess, Join, Leave, ListMatches, Open, Secret

NONCE, SWAPPED = bytes(16), pegs("6666")


async def cut(relay: RelayProxy, _: Mirror) -> None:
    relay.cut()


async def close(relay: RelayProxy, _: Mirror, *, code: int) -> None:
    await relay.close(code, "")


async def refuse_once(relay: RelayProxy, _: Mirror, *, code: str, limit: int | None = None) -> None:
    """Cut the line, and refuse the first request to follow the match again."""
    relay.refuse(Follow, code, limit=limit)
    relay.cut()


async def send_row(relay: RelayProxy, mirror: Mirror, *, version: int) -> None:
    await relay.say(Happened(match=mirror.code, v=version, events=(mirror.state.opened,)))


async def send_unasked(relay: RelayProxy, _: Mirror) -> None:
    """Send answers to no request, and messages about a match that is not followed."""
    line = ChatLine(room="players", n=1, by="ADA", name="Ada", phrase=1)
    for message in (
        Done(id=1),
        Error(id=1, code=ErrorCode.INTERNAL, message="the server failed"),
        Log(id=1, match="ZZZZZZ", rows=()),
        Presence(match="ZZZZZZ", player="ADA", here=False),
        Happened(match="ZZZZZZ", v=1, events=(Opened(rules="mini", rounds=1),)),
        Said(match="ZZZZZZ", line=line, id=1),
        Chat(match="ZZZZZZ", lines=(line,)),
        Spectators(match="ZZZZZZ", count=3),
    ):
        await relay.say(message)


BROKEN, AGAIN = ConnectionLost(DisconnectReason(Fault.BROKEN)), [Reconnecting(1), Reconnected()]
NOT_NOW = [
    *(
        BROKEN,
        Reconnecting(1),
        Reconnected(),
        ConnectionLost(DisconnectReason(Fault.OTHER, "not now")),
    ),
    *(Reconnecting(2), Reconnected()),
]


@pytest.mark.parametrize(
    ("fault", "reported", "followed", "moves"),
    [
        (cut, [BROKEN, *AGAIN], [2], 3),
        (
            partial(close, code=1012),
            [ConnectionLost(DisconnectReason(Fault.RESTARTING)), *AGAIN],
            [2],
            3,
        ),
        (
            partial(close, code=1000),
            [ConnectionLost(DisconnectReason(Fault.CLOSED)), *AGAIN],
            [2],
            3,
        ),
        (partial(refuse_once, code=ErrorCode.INTERNAL), NOT_NOW, [2, 2], 3),
        (partial(refuse_once, code=ErrorCode.STORAGE_FAILED), NOT_NOW, [2, 2], 3),
        (partial(refuse_once, code=ErrorCode.STALE_VERSION, limit=1), [BROKEN, *AGAIN], [2, 0], 3),
        (partial(send_row, version=1), [], [], 3),
        (partial(send_row, version=4), [], [2], 3),
        (send_unasked, [], [], 3),
    ],
    ids=[
        *("cut", "restart", "closed", "internal error", "storage failed", "older log"),
        *("known row", "gap", "unasked"),
    ],
)
async def test_a_fault_is_reported_and_the_match_is_followed_again(
    ada, bob, relay, fault, reported, followed, moves
):
    ours, theirs = await sit_down(ada, bob)
    await bob.wait_for_version(theirs, 2)
    await fault(relay, theirs)
    for update in reported:
        await bob.wait_for_update(type(update))
    await ada.session.set_secret(ours, pegs("1234"))
    await bob.wait_for_event(SecretSet)
    assert [update for update in bob.updates if not isinstance(update, Moved)] == reported
    assert [request.v for request in relay.asked if isinstance(request, Follow)] == followed
    assert len(bob.moves) == moves
    assert {id(move.mirror) for move in bob.moves} == {id(theirs)}
    async with asyncio.timeout(PATIENCE):
        await bob.session.guess(theirs, pegs("1234"))
    assert isinstance(relay.asked[-1], Guess)
    assert theirs.state.phase is Phase.FINISHED


async def test_a_challenge_that_ends_during_a_disconnection_is_forgotten(ada, bob, relay):
    theirs = await ada.session.challenge(bob.id, "mini")
    await bob.wait_for_update(ChallengeReceived)
    relay.hold()
    relay.cut()
    await bob.wait_for_update(ConnectionLost)
    await ada.session.leave(theirs)
    relay.release()
    await bob.wait_for_update(Reconnected)
    assert bob.session.challenges == {}


async def test_a_challenge_received_before_the_subscription_is_not_lost(ada, bob):
    await ada.session.challenge(bob.id, "mini")
    await bob.wait_for_update(ChallengeReceived)
    late = SessionClient(bob.session, bob.identity)
    await late.wait_for_update(ChallengeReceived)


async def test_a_log_of_several_messages_is_read_whole(ada, bob, people):
    relay = await people.relay()
    eve = await people.meet("Eve", relay.address)
    ours, theirs = await sit_down(ada, bob, "knuth")
    watched = await eve.session.follow(ours.code)
    relay.hold()
    relay.cut()
    await eve.wait_for_update(ConnectionLost)
    await ada.set(ours, "1234")
    for _ in range(MAX_ROWS + 3):
        await bob.guess(theirs, "6666")
    relay.release()
    await eve.wait_for_version(watched, MAX_ROWS + 6)
    await bob.guess(theirs, "1234")
    await eve.wait_for_event(Finished)
    assert [type(request) for request in relay.asked] == [Follow, Follow, Follow]
    assert len(eve.moves) == watched.version == MAX_ROWS + 7
    late = await people.meet("Zoe")
    assert (await late.session.follow(ours.code)).state == ours.state


@pytest.mark.parametrize("kind", [Open, Join, Secret, Guess, ListMatches, Leave])
async def test_a_request_whose_answer_was_lost_is_sent_again_and_done_once(people, relay, kind):
    ada = await people.meet("Ada", relay.address)
    bob = await people.meet("Bob", relay.address)
    relay.cut_before_answer(kind)
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.guess(theirs, "4321")
    await bob.session.list_matches("waiting")
    await bob.guess(theirs, "1234")
    await ada.wait_for_event(Finished)
    await bob.session.leave(theirs)

    first, *later = [request for request in relay.asked if isinstance(request, kind)]
    assert first in later
    bob.drain()
    ada.drain()
    assert [type(update) for update in ada.updates + bob.updates].count(Reconnected) == 1
    assert [e for e in ada.events if isinstance(e, Guessed)] == [
        Guessed(code=pegs("4321"), black=0, white=4),
        Guessed(code=pegs("1234"), black=4, white=0),
    ]
    assert [type(event) for event in ada.events].count(Opened) == 1
    assert theirs.version == 5


@pytest.mark.parametrize("given_up", [False, True])
async def test_a_request_waits_for_the_line_unless_it_is_cancelled(ada, bob, relay, given_up):
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.wait_for_turn(theirs)
    relay.hold()
    relay.cut()
    await bob.wait_for_update(ConnectionLost)
    guess = asyncio.create_task(bob.session.guess(theirs, pegs("1234")))
    await bob.wait_for_update(Reconnecting)
    assert not guess.done()
    if given_up:
        guess.cancel()
    relay.release()
    async with asyncio.timeout(PATIENCE):
        await asyncio.wait({guess})
        await bob.session.list_matches("waiting")
    assert (theirs.state.phase is Phase.FINISHED) is not given_up
    assert [isinstance(request, Guess) for request in relay.asked].count(True) == (not given_up)


async def test_a_session_survives_a_restart_of_its_server(server, people):
    ada, bob = await people.meet("Ada"), await people.meet("Bob")
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await server.stop()
    lost = await ada.wait_for_update(ConnectionLost)
    await bob.wait_for_update(ConnectionLost)
    await server.start()
    await bob.guess(theirs, "1234")
    await ada.wait_for_event(Finished)
    assert lost.reason == DisconnectReason(Fault.RESTARTING)
    assert ours.state == theirs.state
    assert len(ada.moves) == 4


async def test_a_match_that_was_left_while_the_line_was_down_is_not_followed(ada, bob, relay):
    ours, theirs = await sit_down(ada, bob)
    relay.hold()
    relay.cut()
    await bob.wait_for_update(ConnectionLost)
    leaving = asyncio.create_task(bob.session.leave(theirs))
    await bob.wait_for_update(Reconnecting)
    relay.release()
    async with asyncio.timeout(PATIENCE):
        await leaving
    await ada.wait_for_event(Left)
    assert [type(request) for request in relay.asked] == [Join, Leave]
    assert ours.state.departed == {bob.id}


async def test_an_answer_lost_with_its_connection_is_not_awaited(ada, bob, relay):
    _ours, theirs = await sit_down(ada, bob)
    asked = asyncio.Event()
    relay.answer(Follow, lambda _: asked.set())
    relay.cut()
    async with asyncio.timeout(PATIENCE):
        await asked.wait()
    relay.cut()
    await bob.wait_for_update(Reconnected)
    await bob.wait_for_update(Reconnected)
    await bob.session.unfollow(theirs)
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(Refused) as refused:
            await bob.session.say(theirs, phrase=1)
    assert refused.value.code == ErrorCode.NOT_FOLLOWED


async def test_another_run_of_the_client_has_other_request_ids(people):
    identity = Identity()
    first = await people.meet("Ada", identity=identity)
    second = await people.meet("Ada", identity=identity)
    ours = await first.session.open("classic", maker="me", breaker="open")
    others = await second.session.open("classic", maker="me", breaker="open")
    assert ours.code != others.code


# A server that is wrong, cheats, or delays.


async def test_an_answer_of_the_wrong_kind_is_the_servers_fault(bob, relay):
    relay.answer(ListMatches, lambda request: Done(id=request.id))
    with unreachable("the server answered with done"):
        await bob.session.list_matches("waiting")


@pytest.mark.parametrize("later", [False, True])
async def test_a_codemaker_learns_that_the_secret_was_swapped(ada, bob, relay, later):
    theirs, _ = await sit_down(bob, ada)
    await bob.wait_for_update(Moved, lambda move: move.mirror.state.to_move is not None)
    swapped = SecretSet(by=bob.id, commitment=commit(NONCE, SWAPPED), code=SWAPPED, nonce=NONCE)

    def swap(request):
        return Happened(id=request.id, match=theirs.code, v=3, events=(swapped,))

    if not later:
        relay.answer(Secret, swap)
        with unreachable("cheats: it set another secret than yours"):
            await bob.session.set_secret(theirs, pegs("1122"))
        return
    await bob.session.set_secret(theirs, pegs("1122"))
    ended = RoundEnded(how=RoundEnd.RESIGNED, code=SWAPPED, nonce=NONCE, points=1)
    await relay.say(Happened(match=theirs.code, v=4, events=(ended,)))
    with unreachable("contradicts itself"):
        await bob.wait_for_event(RoundEnded)


async def test_unknown_rules_are_named(bob, relay):
    mirror = await bob.session.open("mini", maker="me", breaker="open")
    rows = (Row(1, (replace(mirror.state.opened, rules="super"),)),)
    relay.answer(Follow, lambda request: Log(id=request.id, match="ABCDEF", rows=rows))
    with unreachable("plays by rules that this client does not know"):
        await bob.session.follow("ABCDEF")


async def test_a_long_wait_is_refused(bob, relay):
    relay.refuse(ListMatches, ErrorCode.RATE_LIMITED, retry_after=60.0)
    with pytest.raises(Refused) as refused:
        await bob.session.list_matches("waiting")
    assert refused.value.retry_after == 60.0
    assert await bob.session.list_matches("waiting") == ()


async def test_a_delay_is_reported_once_and_has_a_limit(bob, relay, monkeypatch):
    monkeypatch.setattr(exchange, "RETRY_PERIODS", {ErrorCode.STORAGE_FAILED: 0.3})
    message = "the server could not save this"

    def put_off(request):
        relay.answer(ListMatches, put_off)
        code = ErrorCode.STORAGE_FAILED
        return Error(id=request.id, code=code, message=message, retry_after=0.01)

    relay.answer(ListMatches, put_off)
    with pytest.raises(Refused, match="could not save"):
        await bob.session.list_matches("running")
    assert len(relay.asked) > 1
    bob.drain()
    (told,) = [update for update in bob.updates if isinstance(update, RequestDelayed)]
    assert describe_session_update(told) == (
        "Not done yet: the server could not save this. Trying again."
    )


async def test_an_announcement_is_an_update(bob, relay):
    await relay.say(Announcement(text="down at midnight"))
    assert await bob.wait_for_update(Announced) == Announced("down at midnight", None)
