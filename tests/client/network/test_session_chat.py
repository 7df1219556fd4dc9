"""Chat, the number of spectators and the archive, as a session provides them."""

import asyncio
from contextlib import nullcontext

import pytest

from kit.people import PATIENCE, SessionClient, sit_down, unreachable
from kit.proxy import RelayProxy
from mastermind_client.messages.players import PHRASES
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.updates import (
    ChatReceived,
    ConnectionLost,
    Reconnected,
    SpectatorsChanged,
    Update,
)
from mastermind_protocol.chat import ChatLine
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.messages import MAX_ROWS, Chat, Done, Log, Spectators
from mastermind_protocol.requests import AnyRequest, Follow, Say


def words_of(mirror: Mirror) -> list[str]:
    """Return a mirror's chat, phrases in English."""
    return [line.text or PHRASES[(line.phrase or 0) - 1] for line in mirror.chat]


async def until_asked(
    person: SessionClient, relay: RelayProxy, kind: type[AnyRequest], times: int = 1
) -> None:
    """Wait until the relay has passed `times` requests of a kind and their answers."""
    async with asyncio.timeout(PATIENCE):
        while sum(isinstance(request, kind) for request in relay.asked) < times:
            await person.session.list_matches("waiting")
        await person.session.list_matches("waiting")


async def hear_all(person: SessionClient) -> list[Update]:
    """Take every update up to the answer of a further request; return all updates."""
    await person.session.list_matches("waiting")
    person.drain()
    return person.updates


async def test_chat_reaches_everyone_and_its_author(ada, bob, people):
    ours, theirs = await sit_down(ada, bob)
    eve = await people.meet("Eve")
    watched = await eve.session.follow(ours.code)
    await ada.session.say(ours, " Good evening! ")
    await bob.session.say(theirs, phrase=2)
    assert (await eve.wait_for_update(ChatReceived)).line.text == "Good evening!"
    assert (
        await eve.wait_for_update(ChatReceived, lambda heard: heard.mirror is watched)
    ).line.phrase == 2
    heard = await ada.wait_for_update(ChatReceived, lambda heard: heard.line.by == bob.id)
    assert (heard.mirror, heard.line.name, heard.line.room) == (ours, "Bob", "players")
    for mirror in (ours, theirs, watched):
        assert words_of(mirror) == ["Good evening!", "Good luck!"]
    updates = [update for update in await hear_all(bob) if isinstance(update, ChatReceived)]
    assert [update.line for update in updates] == theirs.chat
    assert ours.version == 2


@pytest.mark.parametrize(
    ("words", "code", "field"),
    [
        ({}, ErrorCode.INVALID_MESSAGE, "text"),
        ({"text": "Hello", "phrase": 1}, ErrorCode.INVALID_MESSAGE, "phrase"),
        ({"phrase": 10}, ErrorCode.INVALID_MESSAGE, "phrase"),
        ({"text": "x" * 121}, ErrorCode.INVALID_MESSAGE, "text"),
        ({"text": "\x1b[2J"}, ErrorCode.INVALID_TEXT, "text"),
    ],
)
async def test_invalid_chat_is_refused_locally(bob, relay, words, code, field):
    mirror = await bob.session.open("mini", maker="me", breaker="open")
    with pytest.raises(Refused) as refused:
        await bob.session.say(mirror, **words)
    assert (refused.value.code, refused.value.field) == (code, field)
    await bob.session.list_matches("waiting")
    assert not [request for request in relay.asked if isinstance(request, Say)]


@pytest.mark.parametrize("code", [ErrorCode.RATE_LIMITED, ErrorCode.STORAGE_FAILED])
async def test_refused_chat_is_sent_again_only_if_it_was_not_saved(bob, relay, code):
    mirror = await bob.session.open("mini", maker="me", breaker="open")
    relay.refuse(Say, code, retry_after=0.01)
    limited = code == ErrorCode.RATE_LIMITED
    refused = pytest.raises(Refused, match="not now") if limited else nullcontext()
    with refused:
        await bob.session.say(mirror, "Hello")
    await bob.session.say(mirror, "later")
    asked = [request.text for request in relay.asked if isinstance(request, Say)]
    assert asked == (["Hello", "later"] if limited else ["Hello", "Hello", "later"])
    assert words_of(mirror) == (["later"] if limited else ["Hello", "later"])


async def test_chat_whose_answer_was_lost_is_said_once(ada, bob, relay):
    ours, theirs = await sit_down(ada, bob)
    relay.cut_before_answer(Say)
    async with asyncio.timeout(PATIENCE):
        await bob.session.say(theirs, "Hello?")
    await bob.session.say(theirs, "Hello!")
    await hear_all(ada)
    assert words_of(ours) == words_of(theirs) == ["Hello?", "Hello!"]
    updates = [type(update) for update in await hear_all(bob)]
    assert (updates.count(ChatReceived), updates.count(Reconnected)) == (2, 1)


async def test_chat_lost_with_the_line_is_sent_after_the_missed_rows(ada, bob, people):
    relay = await people.relay()
    eve = await people.meet("Eve", relay.address)
    ours, theirs = await sit_down(ada, bob, "knuth")
    watched = await eve.session.follow(ours.code)
    relay.answer(Say, lambda _: None)
    saying = asyncio.create_task(eve.session.say(watched, "Hello?"))
    await until_asked(eve, relay, Say)
    relay.hold()
    relay.cut()
    await eve.wait_for_update(ConnectionLost)
    await ada.set(ours, "1234")
    for _ in range(MAX_ROWS + 3):
        await bob.guess(theirs, "6666")
    relay.release()
    async with asyncio.timeout(PATIENCE):
        await saying
    assert words_of(watched) == ["Hello?"]
    assert watched.version == ours.version


async def test_chat_during_catching_up_is_sent_afterwards(ada, bob, relay):
    _ours, theirs = await sit_down(ada, bob)
    saying: list[asyncio.Task[None]] = []

    def send_in_parts(request):
        saying.append(asyncio.create_task(bob.session.say(theirs, "Hello?")))
        return Log(id=request.id, match=theirs.code, rows=(), more=True)

    relay.answer(Follow, send_in_parts)
    relay.cut()
    await bob.wait_for_update(ChatReceived)
    await saying[0]
    assert [type(request) for request in relay.asked[-3:]] == [Follow, Follow, Say]


async def test_pending_chat_at_an_unfollowed_match_is_refused(bob, relay):
    mirror = await bob.session.open("mini", maker="me", breaker="open")
    relay.answer(Say, lambda _: None)
    saying = asyncio.create_task(bob.session.say(mirror, "Hello?"))
    await until_asked(bob, relay, Say)
    relay.answer(Follow, lambda _: None)
    relay.cut()
    await bob.wait_for_update(Reconnected)
    await until_asked(bob, relay, Follow)
    assert not saying.done()
    await bob.session.unfollow(mirror)
    (follow,) = [request for request in relay.asked if isinstance(request, Follow)]
    await relay.say(Log(id=follow.id, match=mirror.code, rows=()))
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(Refused) as refused:
            await saying
    assert refused.value.code == ErrorCode.NOT_FOLLOWED


async def test_missed_chat_is_received_after_reconnecting(ada, bob, relay):
    ours, theirs = await sit_down(ada, bob)
    await ada.session.say(ours, "before")
    await bob.wait_for_update(ChatReceived)
    relay.hold()
    relay.cut()
    await bob.wait_for_update(ConnectionLost)
    await ada.session.say(ours, "meanwhile")
    relay.release()
    assert (await bob.wait_for_update(ChatReceived)).line.text == "meanwhile"
    assert words_of(theirs) == ["before", "meanwhile"]


@pytest.mark.parametrize("words", [{}, {"text": "Hello", "phrase": 1}, None])
async def test_wrong_chat_is_the_servers_fault(bob, relay, words):
    mirror = await bob.session.open("mini", maker="me", breaker="open")
    if words is None:
        relay.answer(Say, lambda request: Done(id=request.id))
        with unreachable("the server answered with done"):
            await bob.session.say(mirror, "Hello")
        return
    line = ChatLine(room="players", n=1, by="ADA", name="Ada", **words)
    await relay.say(Chat(match=mirror.code, lines=(line,)))
    with unreachable("contradicts itself"):
        await bob.wait_for_update(ChatReceived)


async def test_chat_at_an_unfollowed_match_is_refused(ada, bob):
    ours, theirs = await sit_down(ada, bob)
    await bob.session.unfollow(theirs)
    with pytest.raises(Refused) as refused:
        await bob.session.say(theirs, "Hello")
    assert refused.value.code == ErrorCode.NOT_FOLLOWED
    await ada.session.say(ours, "Hello?")
    assert not [update for update in await hear_all(bob) if isinstance(update, ChatReceived)]


async def test_a_changed_number_of_spectators_is_an_update(ada, bob, people, relay):
    ours, theirs = await sit_down(ada, bob)
    eve = await people.meet("Eve")
    watched = await eve.session.follow(ours.code)
    assert watched.spectators == 1
    news = await ada.wait_for_update(SpectatorsChanged)
    assert (news.mirror, ours.spectators) == (ours, 1)
    await eve.session.unfollow(watched)
    await ada.wait_for_update(SpectatorsChanged)
    assert ours.spectators == 0
    await hear_all(bob)
    before = len(bob.updates)
    for count in (2, 2, 0):
        await relay.say(Spectators(match=theirs.code, count=count))
    updates = [type(update) for update in (await hear_all(bob))[before:]]
    assert (updates, theirs.spectators) == ([SpectatorsChanged] * 2, 0)
