"""Chat at the server: order, storage, limits and refusals; the model has its rooms."""

from __future__ import annotations

import asyncio

import pytest

from kit.client import RawClient
from kit.clock import HurryingClock
from kit.faults import full_disk
from kit.matches import SeededRandom
from mastermind_protocol.chat import MAX_CHAT_SHOWN, ChatLine, Room
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.messages import Chat, Error, Happened, Said
from mastermind_protocol.requests import Say
from mastermind_server.limits import USUAL
from mastermind_server.storage.store import ChatRow


async def heard(wire: RawClient) -> list[str]:
    """Return the unread lines of chat of a connection, in order."""
    await wire.list("waiting")  # its answer follows all earlier messages
    lines: list[ChatLine] = []
    for message in wire.unread():
        if isinstance(message, Said):
            lines.append(message.line)
        elif isinstance(message, Chat):
            lines += message.lines
    return [line.text or f"#{line.phrase}" for line in lines]


@pytest.fixture
async def patient_hall(idle_hall):
    idle_hall.clock = HurryingClock()
    await idle_hall.start()
    return idle_hall


async def test_spectators_talk_among_themselves_until_the_round_is_over(hall, ada, bob, eve):
    zoe = await hall.meet("Zoe")
    match = (await ada.open(rounds=2)).match
    for spectator in (eve, zoe):
        await spectator.follow(match)
    said = await eve.say(match, "Who comes?")  # before there is a round it counts to the first
    assert (said.line.room, said.line.n) == ("spectators", 1)
    await bob.join(match)
    await ada.set(match, "1234")
    await zoe.say(match, "Red is in it.")
    await bob.guess(match, "4321")
    assert await heard(ada) == await heard(bob) == []
    assert await heard(eve) == ["Red is in it."]

    await bob.guess(match, "1234")
    assert await heard(bob) == ["Who comes?", "Red is in it."]
    told = await ada.until(Chat)
    assert [(line.room, line.n, line.name) for line in told.lines] == [
        ("spectators", 1, "Eve"),
        ("spectators", 2, "Zoe"),
    ]

    await zoe.say(match, "Round 2!")
    assert await heard(bob) == []
    await bob.set(match, "5555")
    assert await heard(ada) == []
    await bob.leave(match)
    assert await heard(ada) == ["Round 2!"]
    await eve.say(match, "All over.")  # and now there is nothing left to hold back
    assert await heard(ada) == ["All over."]


async def test_who_moves_is_told_of_the_move_before_what_was_said_meanwhile(ada, bob, eve, match):
    await eve.follow(match)
    await ada.set(match, "1234")
    await eve.say(match, "Easy!")
    guessed = await bob.guess(match, "1234")
    assert not [message for message in bob.unread() if isinstance(message, Chat)]
    assert guessed.id is not None
    assert (await bob.until(Chat)).lines[0].text == "Easy!"
    assert not [message for message in bob.unread() if isinstance(message, Happened)]


async def test_whoever_comes_is_told_the_last_that_was_said_and_it_may_read(patient_hall):
    ada, bob, eve = [await patient_hall.meet(name) for name in ("Ada", "Bob", "Eve")]
    match = (await ada.open()).match
    await bob.join(match)
    log = await eve.follow(match)
    assert await heard(eve) == []
    for number in range(MAX_CHAT_SHOWN + 2):
        await ada.say(match, f"player {number}")
        await eve.say(match, f"spectator {number}")

    assert len(await heard(bob)) == MAX_CHAT_SHOWN + 2

    players = [f"player {number}" for number in range(2, MAX_CHAT_SHOWN + 2)]
    spectators = [f"spectator {number}" for number in range(2, MAX_CHAT_SHOWN + 2)]
    for _ in range(2):
        again, back = await patient_hall.again(eve), await patient_hall.again(bob)
        await again.follow(match, log.rows[-1].v)
        await back.follow(match)
        assert await heard(again) == players + spectators
        assert await heard(back) == players
        await patient_hall.restart()  # and all the same when the server is started anew

    bob, ada = await patient_hall.again(bob), await patient_hall.again(ada)
    await ada.follow(match)
    await ada.leave(match)
    await ada.follow(match)
    assert (await heard(ada))[-MAX_CHAT_SHOWN:] == spectators


async def test_a_player_reads_older_talk_of_the_spectators_while_a_round_is_played(patient_hall):
    ada, bob, eve = [await patient_hall.meet(name) for name in ("Ada", "Bob", "Eve")]
    match = (await ada.open(rounds=2)).match
    await bob.join(match)
    await eve.follow(match)
    await eve.say(match, "in the first round")
    await ada.set(match, "1234")
    await bob.guess(match, "1234")
    for _ in range(MAX_CHAT_SHOWN):
        await eve.say(match, "in the second")
    back = await patient_hall.again(bob)
    await back.follow(match)
    assert await heard(back) == ["in the first round"]


@pytest.mark.parametrize(
    ("words", "code", "field"),
    [
        ({}, ErrorCode.INVALID_MESSAGE, "text"),
        ({"text": "Hello", "phrase": 1}, ErrorCode.INVALID_MESSAGE, "phrase"),
        ({"text": "   "}, ErrorCode.INVALID_TEXT, "text"),
        ({"text": "red\x1b[2J"}, ErrorCode.INVALID_TEXT, "text"),
        ({"text": "a\u202eb"}, ErrorCode.INVALID_TEXT, "text"),
        ({"text": "two\nlines"}, ErrorCode.INVALID_TEXT, "text"),
        ({"text": "\N{HANGUL FILLER}"}, ErrorCode.INVALID_TEXT, "text"),
        ({"text": ""}, ErrorCode.INVALID_MESSAGE, "text"),
        ({"text": "x" * 121}, ErrorCode.INVALID_MESSAGE, "text"),
        ({"phrase": 0}, ErrorCode.INVALID_MESSAGE, "phrase"),
        ({"phrase": 10}, ErrorCode.INVALID_MESSAGE, "phrase"),
    ],
)
async def test_what_cannot_be_said_is_refused_and_nobody_is_told(
    ada, bob, match, words, code, field
):
    refusal = await ada.refused(Say, match=match, **words)
    assert (refusal.code, refusal.field) == (code, field)
    assert await heard(bob) == []
    assert (await ada.say(match, "x" * 120)).line.n == 1


async def test_who_says_too_much_is_told_when_there_may_be_more(hall, ada, bob, match):
    for number in range(USUAL.chat.burst):
        await ada.say(match, f"{number}")
    refusal = await ada.refused(Say, match=match, text="and")
    assert (refusal.code, refusal.limit) == (ErrorCode.RATE_LIMITED, USUAL.chat.burst)
    assert refusal.retry_after is not None
    assert 0 < refusal.retry_after <= 1 / USUAL.chat.per_second
    second = await hall.again(ada)  # the rate is the player's, however many connections
    await second.follow(match)
    assert (await second.refused(Say, match=match, text="and")).code == ErrorCode.RATE_LIMITED
    assert len(await heard(bob)) == USUAL.chat.burst
    await bob.say(match, "My turn")


async def test_a_line_that_cannot_be_saved_is_not_said(hall, ada, bob, match):
    request = ada.new(Say, match=match, text="Hello")
    with full_disk():
        refusal = await ada.ask(request)
        assert isinstance(refusal, Error)
        assert refusal.code == ErrorCode.STORAGE_FAILED
    assert await heard(bob) == []
    assert isinstance(await ada.ask(request), Said)
    assert await heard(bob) == ["Hello"]
    assert len(await hall.store.read_chat(match)) == 1


async def test_two_who_speak_at_once_are_both_heard(ada, bob, match):
    answers = await asyncio.gather(ada.say(match, "Hello"), bob.say(match, "Hello"))
    assert sorted(answer.line.n for answer in answers) == [1, 2]
    assert await heard(ada) == await heard(bob) == ["Hello"]


async def test_a_line_that_another_node_wrote_is_taken_up_first(hall, ada, bob, match):
    await hall.store.append_chat(line_of(match, "players", 1, "from elsewhere"))
    said = await ada.say(match, "from here")
    assert said.line.n == 2
    assert await heard(bob) == ["from elsewhere", "from here"]


async def test_a_crowd_from_one_address_is_told_to_wait_and_nobody_is_silenced(hall, ada):
    match = (await ada.open()).match
    crowd = [await hall.meet() for _ in range(USUAL.chat_of_address.burst // USUAL.chat.burst)]
    for guest in crowd:
        await guest.follow(match)
        for _ in range(USUAL.chat.burst):
            await guest.say(match, phrase=1)
    one_more = await hall.meet()
    await one_more.follow(match)
    refusal = await one_more.refused(Say, match=match, phrase=1)
    assert (refusal.code, refusal.limit) == (ErrorCode.RATE_LIMITED, USUAL.chat_of_address.burst)
    assert refusal.retry_after is not None
    hall.clock.seconds += refusal.retry_after
    assert (await one_more.say(match, phrase=1)).line.n == USUAL.chat_of_address.burst + 1
    hall.clock.seconds += (USUAL.chat.burst - 1) / USUAL.chat_of_address.per_second
    for _ in range(USUAL.chat.burst - 1):  # what was refused has cost the player nothing
        await one_more.say(match, phrase=1)


async def test_what_one_round_pushes_out_of_another_is_shown_no_more(hall, ada, bob, eve):
    match = (await ada.open(rounds=2)).match
    await bob.join(match)
    await eve.follow(match)
    hall.limit(chat_lines=2)
    await eve.say(match, "in the first round")
    await ada.set(match, "1234")
    await bob.guess(match, "1234")
    for _ in range(2):
        await eve.say(match, "in the second")
    await eve.follow(match)
    assert await heard(eve) == ["in the second"] * 2


async def test_who_watches_two_bots_is_a_spectator(idle_hall):
    await idle_hall.start(random=SeededRandom(0))
    ada = await idle_hall.meet("Ada")
    match = (await ada.open("random", "random", rules="mini")).match
    assert (await ada.say(match, "Go!")).line.room == "spectators"


async def test_a_log_in_several_messages_brings_the_talk_with_its_last(ada, bob, eve):
    match = (await ada.open(rules="knuth")).match
    await bob.join(match)
    await ada.set(match, "1234")
    for _ in range(64):
        await bob.guess(match, "6666")
    await bob.say(match, "Hm.")
    log = await eve.follow(match)
    assert log.more
    assert await heard(eve) == []
    assert (await eve.refused(Say, match=match, phrase=1)).code == ErrorCode.NOT_FOLLOWED
    assert not (await eve.follow(match, log.rows[-1].v)).more
    assert await heard(eve) == await heard(ada) == ["Hm."]


def line_of(match: str, room: Room, n: int, text: str, request: int = 1) -> ChatRow:
    digest = str(request).encode()
    return ChatRow(match, room, n, 1, 0, "P", "Somebody", text, None, request, digest)
