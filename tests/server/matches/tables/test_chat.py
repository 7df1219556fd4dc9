"""Chat at the server: order, storage, limits and refusals; the model has its rooms."""

from __future__ import annotations

import pytest

from kit.client import RawClient
from kit.clock import HurryingClock
from kit.faults import full_disk
from kit.matches import SeededRandom
from mastermind_protocol.chat import MAX_CHAT_LINES_SHOWN, ChatLine, Room
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.messages import Chat, Error, Happened, Said
from mastermind_protocol.requests import Say
from mastermind_server.storage.rows import ChatRow
from mastermind_server.storage.statements.log import append_chat, read_chat


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


async def test_a_move_is_answered_before_the_chat_that_it_reveals(ada, bob, eve, match):
    await eve.follow(match)
    await ada.set(match, "1234")
    await eve.say(match, "Easy!")
    guessed = await bob.guess(match, "1234")
    assert not [message for message in bob.unread() if isinstance(message, Chat)]
    assert guessed.id is not None
    assert (await bob.until(Chat)).lines[0].text == "Easy!"
    assert not [message for message in bob.unread() if isinstance(message, Happened)]


async def test_a_line_has_its_place_among_the_events(patient_hall):
    ada, bob, eve = [await patient_hall.meet(name) for name in ("Ada", "Bob", "Eve")]
    match = (await ada.open()).match
    await bob.join(match)
    await eve.follow(match)
    said = [await ada.say(match, "Ready?"), await eve.say(match, "Soon.")]
    await ada.set(match, "1234")
    said.append(await eve.say(match, "Easy!"))
    assert [each.line.v for each in said] == [2, 2, 3]
    times = [each.line.at for each in said]
    assert times == sorted(times)
    assert times[0] > 0
    again = await patient_hall.connect_again(eve)
    await again.follow(match)
    assert list((await again.until(Chat)).lines) == [each.line for each in said]


async def test_a_follower_gets_the_last_lines_that_it_may_read_in_the_order_of_time(patient_hall):
    ada, bob, eve = [await patient_hall.meet(name) for name in ("Ada", "Bob", "Eve")]
    match = (await ada.open()).match
    await bob.join(match)
    log = await eve.follow(match)
    assert await heard(eve) == []
    for number in range(MAX_CHAT_LINES_SHOWN + 2):
        await ada.say(match, f"player {number}")
        await eve.say(match, f"spectator {number}")

    assert len(await heard(bob)) == MAX_CHAT_LINES_SHOWN + 2

    numbers = range(2, MAX_CHAT_LINES_SHOWN + 2)
    players = [f"player {number}" for number in numbers]
    both = [line for number in numbers for line in (f"player {number}", f"spectator {number}")]
    for _ in range(2):
        again, back = await patient_hall.connect_again(eve), await patient_hall.connect_again(bob)
        await again.follow(match, log.rows[-1].v)
        await back.follow(match)
        assert await heard(again) == both
        assert await heard(back) == players
        await patient_hall.restart()  # and all the same when the server is started anew

    bob, ada = await patient_hall.connect_again(bob), await patient_hall.connect_again(ada)
    await ada.follow(match)
    await ada.leave(match)
    await ada.follow(match)
    assert (await heard(ada))[-len(both) :] == both


async def test_a_player_gets_older_lines_of_spectators_during_a_round(patient_hall):
    ada, bob, eve = [await patient_hall.meet(name) for name in ("Ada", "Bob", "Eve")]
    match = (await ada.open(rounds=2)).match
    await bob.join(match)
    await eve.follow(match)
    await eve.say(match, "in the first round")
    await ada.set(match, "1234")
    await bob.guess(match, "1234")
    for _ in range(MAX_CHAT_LINES_SHOWN):
        await eve.say(match, "in the second")
    back = await patient_hall.connect_again(bob)
    await back.follow(match)
    assert await heard(back) == ["in the first round"]


@pytest.mark.parametrize(
    ("words", "code"),
    [({"text": "a\u202eb"}, ErrorCode.INVALID_TEXT), ({"text": ""}, ErrorCode.INVALID_MESSAGE)],
)
async def test_a_refused_text_is_sent_to_nobody(ada, bob, match, words, code):
    refusal = await ada.refused(Say, match=match, **words)
    assert (refusal.code, refusal.field) == (code, "text")
    assert await heard(bob) == []
    assert (await ada.say(match, "x" * 120)).line.n == 1


async def test_a_line_that_cannot_be_saved_is_sent_to_nobody(hall, ada, bob, match):
    request = ada.new(Say, match=match, text="Hello")
    with full_disk():
        refusal = await ada.ask(request)
        assert isinstance(refusal, Error)
        assert refusal.code == ErrorCode.STORAGE_FAILED
    assert await heard(bob) == []
    assert isinstance(await ada.ask(request), Said)
    assert await heard(bob) == ["Hello"]
    assert len(await hall.store.read(read_chat, match)) == 1


async def test_lines_of_other_nodes_come_first(hall, ada, bob, match):
    await hall.store.write(append_chat, line_of(match, "players", 1, "from elsewhere"))
    said = await ada.say(match, "from here")
    assert said.line.n == 2
    assert await heard(bob) == ["from elsewhere", "from here"]


async def test_the_owner_of_a_match_of_two_bots_is_a_spectator(idle_hall):
    await idle_hall.start(random=SeededRandom(0))
    ada = await idle_hall.meet("Ada")
    match = (await ada.open("random", "random", rules="mini")).match
    assert (await ada.say(match, "Go!")).line.room == "spectators"


async def test_a_paged_log_brings_the_chat_with_its_last_page(ada, bob, eve):
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
