"""What is said at a match, how many look on, and what became of older matches: by the session."""

from __future__ import annotations

import asyncio

import pytest

from kit.people import PATIENCE, Person, sit_down, unreachable
from kit.relay import Relay
from mastermind_client.net.mirror import Mirror
from mastermind_client.net.updates import (
    ConnectionLost,
    Heard,
    Moved,
    Reconnected,
    SpectatorsChanged,
    Update,
)
from mastermind_client.words.chat import PHRASES
from mastermind_protocol.chat import ChatLine
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import Finished, MatchEnd
from mastermind_protocol.messages import MAX_ROWS, Chat, Done, Error, Log, Spectators
from mastermind_protocol.requests import AnyRequest, Archive, Follow, Say


def words_of(mirror: Mirror) -> list[str]:
    """Return what a mirror has heard, phrases in English."""
    return [line.text or PHRASES[(line.phrase or 0) - 1] for line in mirror.chat]


async def until_asked(person: Person, relay: Relay, kind: type[AnyRequest], times: int = 1) -> None:
    """Wait until so many requests of a kind have gone through the relay, and been answered."""
    async with asyncio.timeout(PATIENCE):
        while sum(isinstance(request, kind) for request in relay.asked) < times:
            await person.session.list_matches("waiting")
        await person.session.list_matches("waiting")


async def hear_all(person: Person) -> list[Update]:
    """Take every update that has come when a further request is answered; return all so far."""
    await person.session.list_matches("waiting")
    await person.drain()
    return person.updates


async def test_what_is_said_is_heard_by_all_and_by_who_says_it(ada, bob, people):
    ours, theirs = await sit_down(ada, bob)
    eve = await people.meet("Eve")
    watched = await eve.session.follow(ours.code)
    await ada.session.say(ours, " Good evening! ")
    await bob.session.say(theirs, phrase=2)
    assert (await eve.hear(Heard)).line.text == "Good evening!"
    assert (await eve.hear(Heard, lambda heard: heard.mirror is watched)).line.phrase == 2
    heard = await ada.hear(Heard, lambda heard: heard.line.by == bob.id)
    assert (heard.mirror, heard.line.name, heard.line.room) == (ours, "Bob", "players")
    for mirror in (ours, theirs, watched):
        assert words_of(mirror) == ["Good evening!", "Good luck!"]
    updates = [update for update in await hear_all(bob) if isinstance(update, Heard)]
    assert [update.line for update in updates] == theirs.chat
    assert ours.version == 2


async def test_spectators_are_heard_by_the_players_when_the_round_is_over(ada, bob, people):
    ours, theirs = await sit_down(ada, bob)
    eve = await people.meet("Eve")
    watched = await eve.session.follow(ours.code)
    await eve.session.say(watched, "Try red.")
    await ada.set(ours, "1234")
    assert not [update for update in await hear_all(ada) if isinstance(update, Heard)]
    await bob.guess(theirs, "1234")
    heard = await bob.hear(Heard)
    assert (heard.line.room, heard.line.text) == ("spectators", "Try red.")
    assert isinstance(bob.updates[-2], Moved)  # the end of the round comes first
    assert theirs.chat == watched.chat


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
async def test_what_cannot_be_said_is_refused_here_and_nothing_is_sent(
    bob, relay, words, code, field
):
    mirror = await bob.session.open("mini", maker="me", breaker="open")
    with pytest.raises(Refused) as refused:
        await bob.session.say(mirror, **words)
    assert (refused.value.code, refused.value.field) == (code, field)
    await bob.session.list_matches("waiting")
    assert not [request for request in relay.asked if isinstance(request, Say)]


async def test_what_is_said_too_soon_is_refused_and_not_said_later(bob, relay):
    mirror = await bob.session.open("mini", maker="me", breaker="open")
    relay.answer(
        Say,
        lambda request: Error(
            id=request.id, code="rate_limited", message="too many lines", retry_after=0.01
        ),
    )
    with pytest.raises(Refused) as refused:
        await bob.session.say(mirror, "too soon")
    assert refused.value.code == ErrorCode.RATE_LIMITED
    assert refused.value.retry_after == 0.01
    await bob.session.say(mirror, "later")
    asked = [request.text for request in relay.asked if isinstance(request, Say)]
    assert asked == ["too soon", "later"]
    assert [line.text for line in mirror.chat] == ["later"]


async def test_what_could_not_be_saved_is_said_again_by_itself(bob, relay):
    mirror = await bob.session.open("mini", maker="me", breaker="open")
    relay.answer(
        Say,
        lambda request: Error(
            id=request.id, code=ErrorCode.STORAGE_FAILED, message="not saved", retry_after=0.01
        ),
    )
    await bob.session.say(mirror, "Hello")
    assert words_of(mirror) == ["Hello"]


async def test_a_line_whose_answer_was_lost_is_said_once(ada, bob, relay):
    ours, theirs = await sit_down(ada, bob)
    relay.cut_before_answer(Say)
    async with asyncio.timeout(PATIENCE):
        await bob.session.say(theirs, "Hello?")
    await bob.session.say(theirs, "Hello!")
    await hear_all(ada)
    assert words_of(ours) == words_of(theirs) == ["Hello?", "Hello!"]
    updates = [type(update) for update in await hear_all(bob)]
    assert (updates.count(Heard), updates.count(Reconnected)) == (2, 1)


async def test_what_is_said_as_the_line_drops_is_said_when_the_match_is_caught_up_with(
    ada, bob, people
):
    relay = await people.relay()
    eve = await people.meet("Eve", relay.address)
    ours, theirs = await sit_down(ada, bob, "knuth")
    watched = await eve.session.follow(ours.code)
    relay.answer(Say, lambda _: None)  # this one gets nowhere
    saying = asyncio.create_task(eve.session.say(watched, "Hello?"))
    await until_asked(eve, relay, Say)
    relay.hold()
    relay.cut()
    await eve.hear(ConnectionLost)
    await ada.set(ours, "1234")
    for _ in range(MAX_ROWS + 3):
        await bob.guess(theirs, "6666")
    relay.release()
    async with asyncio.timeout(PATIENCE):
        await saying
    assert words_of(watched) == ["Hello?"]
    assert watched.version == ours.version


async def test_what_is_to_be_said_while_a_match_is_caught_up_with_is_said_after_that(
    ada, bob, relay
):
    _ours, theirs = await sit_down(ada, bob)
    saying: list[asyncio.Task[None]] = []

    def send_in_parts(request):
        saying.append(asyncio.create_task(bob.session.say(theirs, "Hello?")))
        return Log(id=request.id, match=theirs.code, rows=(), more=True)

    relay.answer(Follow, send_in_parts)
    relay.cut()
    await bob.hear(Heard)
    await saying[0]
    assert [type(request) for request in relay.asked[-3:]] == [Follow, Follow, Say]


async def test_what_was_to_be_said_at_a_match_that_was_left_meanwhile_is_refused(bob, relay):
    mirror = await bob.session.open("mini", maker="me", breaker="open")
    relay.answer(Say, lambda _: None)
    saying = asyncio.create_task(bob.session.say(mirror, "Hello?"))
    await until_asked(bob, relay, Say)
    relay.answer(Follow, lambda _: None)
    relay.cut()
    await bob.hear(Reconnected)
    await until_asked(bob, relay, Follow)
    assert not saying.done()  # it is to be said when the match has been caught up with
    await bob.session.unfollow(mirror)
    (follow,) = [request for request in relay.asked if isinstance(request, Follow)]
    await relay.say(Log(id=follow.id, match=mirror.code, rows=()))
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(Refused) as refused:
            await saying
    assert refused.value.code == ErrorCode.NOT_FOLLOWED


async def test_what_was_said_while_the_line_was_down_is_heard_when_it_is_back(ada, bob, relay):
    ours, theirs = await sit_down(ada, bob)
    await ada.session.say(ours, "before")
    await bob.hear(Heard)
    relay.hold()
    relay.cut()
    await bob.hear(ConnectionLost)
    await ada.session.say(ours, "meanwhile")
    relay.release()
    assert (await bob.hear(Heard)).line.text == "meanwhile"
    assert words_of(theirs) == ["before", "meanwhile"]


async def test_what_was_said_outlives_the_server(server, people):
    ada, bob = await people.meet("Ada"), await people.meet("Bob")
    ours, _ = await sit_down(ada, bob)
    await ada.session.say(ours, "Hello")
    await server.stop()
    await server.start()
    eve = await people.meet("Eve")
    watched = await eve.session.follow(ours.code)
    await eve.hear(Heard)
    assert words_of(watched) == ["Hello"]
    await ada.hear(Reconnected)
    await hear_all(ada)
    assert words_of(ours) == ["Hello"]


async def test_what_was_said_is_heard_anew_where_the_log_was_put_back(ada, bob, relay):
    ours, theirs = await sit_down(ada, bob)
    await ada.session.say(ours, "Hello")
    await bob.hear(Heard)
    relay.answer(
        Follow,
        lambda request: Error(
            id=request.id, code=ErrorCode.STALE_VERSION, message="version 1, not 2", limit=1
        ),
    )
    relay.cut()
    await bob.hear(Heard)
    assert words_of(theirs) == ["Hello"]


@pytest.mark.parametrize("words", [{}, {"text": "Hello", "phrase": 1}])
async def test_a_line_that_says_nothing_or_two_things_is_the_servers_fault(bob, relay, words):
    mirror = await bob.session.open("mini", maker="me", breaker="open")
    line = ChatLine(room="players", n=1, by="ADA", name="Ada", **words)
    await relay.say(Chat(match=mirror.code, lines=(line,)))
    with unreachable("contradicts itself"):
        await bob.hear(Heard)


async def test_an_answer_of_the_wrong_kind_to_a_line_is_the_servers_fault(bob, relay):
    mirror = await bob.session.open("mini", maker="me", breaker="open")
    relay.answer(Say, lambda request: Done(id=request.id))
    with unreachable("the server answered with done"):
        await bob.session.say(mirror, "Hello")


async def test_what_is_said_at_a_match_that_we_follow_no_more_is_refused(ada, bob):
    ours, theirs = await sit_down(ada, bob)
    await bob.session.unfollow(theirs)
    with pytest.raises(Refused) as refused:
        await bob.session.say(theirs, "Hello")
    assert refused.value.code == ErrorCode.NOT_FOLLOWED
    await ada.session.say(ours, "Hello?")
    assert not [update for update in await hear_all(bob) if isinstance(update, Heard)]


async def test_it_is_news_how_many_look_on(ada, bob, people):
    ours, _ = await sit_down(ada, bob)
    eve = await people.meet("Eve")
    watched = await eve.session.follow(ours.code)
    assert watched.spectators == 1
    news = await ada.hear(SpectatorsChanged)
    assert (news.mirror, ours.spectators) == (ours, 1)
    await eve.session.unfollow(watched)
    await ada.hear(SpectatorsChanged)
    assert ours.spectators == 0


async def test_a_number_that_is_known_is_no_news(bob, relay):
    mirror = await bob.session.open("mini", maker="me", breaker="open")
    for count in (2, 2, 0):
        await relay.say(Spectators(match=mirror.code, count=count))
    updates = [update for update in await hear_all(bob) if isinstance(update, SpectatorsChanged)]
    assert (len(updates), mirror.spectators) == (2, 0)


async def test_ones_own_finished_matches_are_listed(ada, bob, relay):
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "1234")
    await bob.guess(theirs, "1234")
    await ada.hear_of(Finished)
    page = await bob.session.list_archive()
    (kept,) = page.matches
    assert (kept.match, kept.opponent, kept.won, kept.how) == (
        *(theirs.code, "Ada", True),
        MatchEnd.PLAYED,
    )
    assert not page.more
    assert not (await bob.session.list_archive(before=theirs.code)).matches
    with pytest.raises(Refused) as refused:
        await bob.session.list_archive(before="ZZZZZZ")
    assert (refused.value.code, refused.value.field) == (ErrorCode.UNKNOWN_MATCH, "before")
    assert [request.before for request in relay.asked if isinstance(request, Archive)] == [
        *(None, theirs.code, "ZZZZZZ")
    ]
