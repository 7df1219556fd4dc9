"""Followers receive the writes of other nodes at once, or at the next poll."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import psycopg
import pytest

from kit.client import PATIENCE, RawClient
from kit.matches import events_of, pegs
from kit.store import WatchedStore
from mastermind_protocol.chat import ChatLine, Room
from mastermind_protocol.codec import decode_events, decode_message, encode, encode_events
from mastermind_protocol.errors import Reason
from mastermind_protocol.events import Guessed, Joined, find_part
from mastermind_protocol.messages import Advice, Chat, Happened, Log, Said
from mastermind_protocol.requests import (
    Advise,
    Follow,
    Guess,
    Join,
    Leave,
    Open,
    Rematch,
    Request,
    Resign,
    Say,
    Secret,
    Seek,
)
from mastermind_server import background
from mastermind_server.commands.player_data import hide_name
from mastermind_server.matches.nodes import subscription
from mastermind_server.matches.nodes.subscription import POLL_SECONDS
from mastermind_server.matches.tables.filled_lobby import JUST_JOINED_SECONDS
from mastermind_server.storage import notices
from mastermind_server.storage.engines.database import Database
from mastermind_server.storage.engines.listener import Listener
from mastermind_server.storage.notices import Notice, RowCopied, RowWritten
from mastermind_server.storage.rows import LogRow
from mastermind_server.storage.statements.log import read_chat, read_log
from mastermind_server.storage.threads import StorageFailed
from server.matches.nodes.stores import Deaf


async def reach(wire: RawClient, match: str, version: int) -> None:
    """Read messages up to a version of the match."""
    while wire.versions[match] < version:
        await wire.until(Happened)


async def hear_lines(wire: RawClient, room: Room, count: int) -> list[int]:
    """Return the line numbers received from a room, as soon as there are `count`."""
    while True:
        lines: list[ChatLine] = []
        for message in map(decode_message, wire.frames):
            if isinstance(message, Said):
                lines.append(message.line)
            elif isinstance(message, Chat):
                lines.extend(message.lines)
        numbers = [line.n for line in lines if line.room == room]
        if len(numbers) >= count:
            return numbers
        await wire.next()


async def test_chat_on_two_nodes_has_one_numbering_and_reaches_both(start_node):
    here, there = await start_node(), await start_node()
    ada, bob = await here.meet("Ada"), await there.meet("Bob")
    dan, eve = await here.meet("Dan"), await there.meet("Eve")
    match = (await ada.open()).match
    await bob.join(match)
    for spectator in (dan, eve):
        await spectator.follow(match)

    async def talk(wire):
        for number in range(4):
            await wire.say(match, f"{number}")

    await asyncio.gather(*map(talk, (ada, bob, dan, eve)))
    for person in (ada, bob, dan, eve):
        assert await hear_lines(person, "players", 8) == [*range(1, 9)]
    for person in (dan, eve):
        assert await hear_lines(person, "spectators", 8) == [*range(1, 9)]
    assert await hear_lines(bob, "spectators", 0) == []
    here.clock.skip(JUST_JOINED_SECONDS + 1)
    await ada.leave(match)
    assert await hear_lines(bob, "spectators", 8) == [*range(1, 9)]  # the match is over


async def test_missed_rows_and_lines_are_found_by_a_poll(start_node, monkeypatch):
    monkeypatch.setattr(subscription, "MATCHES_PER_QUERY", 1)
    here, there = await start_node(), await start_node(store=Deaf)
    ada, bob, eve = await here.meet("Ada"), await here.meet("Bob"), await there.meet("Eve")
    match, other = (await ada.open()).match, (await ada.open()).match
    for each in (match, other):
        await eve.follow(each)
        await bob.join(each)
    await ada.set(match, "1234")
    await bob.guess(match, "5566")
    await bob.say(match, "Hm.")
    await eve.list("running")  # the answer follows all earlier messages
    assert eve.versions[match] == 1
    await there.clock.until(lambda timer: timer.seconds == POLL_SECONDS)
    there.clock.skip(POLL_SECONDS)
    assert await hear_lines(eve, "players", 1) == [1]
    assert eve.matches[match].current == bob.matches[match].current
    await reach(eve, other, 2)


async def test_notifications_beyond_the_queue_are_found_by_a_poll(start_node, monkeypatch):
    monkeypatch.setattr(notices, "NOTIFY_SAMPLE_SECONDS", 0)
    here, there = await start_node(), await start_node()
    ada, eve = await here.meet("Ada"), await there.meet("Eve")
    match = (await ada.open()).match
    await eve.follow(match)
    part = find_part(match)
    with monkeypatch.context() as patch:
        patch.setattr("mastermind_server.matches.nodes.subscription.MAX_PENDING_READS", 0)
        await ada.leave(match)
        told = there.store.measure().notify.cumulative_buckets[-1]
        for version in itertools.count(1):  # its own notifications follow the others
            await there.store.append(LogRow(f"AAAA{part}", version, 0, b"\x90", "A", None, None))
            await eve.list("running")
            if there.store.measure().notify.cumulative_buckets[-1] != told:
                break
        await eve.list("running")
        assert eve.versions[match] == 1
    there.clock.skip(POLL_SECONDS)
    await reach(eve, match, 2)


_LISTENERS = (
    "FROM pg_stat_activity"
    " WHERE datname = current_database() AND query ~ '^(UN)?LISTEN \"|^SELECT 1$'"
)


async def until_listening(driver: psycopg.Connection) -> None:
    """Wait until two nodes receive notifications."""

    def count() -> tuple[Any, ...] | None:
        return driver.execute(f"SELECT count(*) {_LISTENERS}").fetchone()

    for _ in iter(count, (2,)):
        await asyncio.sleep(0)


def end_listeners(driver: psycopg.Connection) -> None:
    """End the connections on which two nodes receive notifications."""
    ended = driver.execute(f"SELECT count(pg_terminate_backend(pid, 10000)) {_LISTENERS}")
    assert ended.fetchone() == (2,)


async def test_missed_rows_are_read_when_the_listener_reconnects(
    start_node, postgres_url, monkeypatch
):
    monkeypatch.setattr("mastermind_server.storage.engines.postgresql.RETRY_SECONDS", 0.2)
    here, there = await start_node(), await start_node()
    with psycopg.connect(postgres_url, autocommit=True) as driver:
        await until_listening(driver)
        ada, bob, eve = await here.meet("Ada"), await here.meet("Bob"), await there.meet("Eve")
        match = (await ada.open()).match
        await eve.follow(match)
        end_listeners(driver)
    await bob.join(match)
    await reach(eve, match, 2)  # without a poll: the clock stops


async def test_a_log_rewritten_while_the_listener_was_disconnected_is_loaded_again(
    start_node, postgres_url, monkeypatch
):
    monkeypatch.setattr("mastermind_server.storage.engines.postgresql.RETRY_SECONDS", 0.2)
    here, there = await start_node(), await start_node()
    with psycopg.connect(postgres_url, autocommit=True) as driver:
        await until_listening(driver)
        ada, eve = await here.meet("Ada"), await there.meet("Eve")
        match = (await ada.open()).match
        await eve.follow(match)
        await eve.unfollow(match)
        (row,) = await here.store.read(read_log, match)
        hidden = encode_events(hide_name(decode_events(row.events), ada.id))
        driver.execute("UPDATE log SET events = %s WHERE match = %s", [hidden, match])
        assert there.server.tables.get(match) is not None  # no notification came
        end_listeners(driver)
    async with asyncio.timeout(PATIENCE):
        while there.server.tables.get(match) is not None:
            await eve.settle()
    _, joined = events_of(await eve.follow(match))
    assert isinstance(joined, Joined)
    assert joined.player.name != ada.player.name


async def test_a_node_reads_rows_that_another_node_has_acknowledged(start_node):
    here, there = await start_node(), await start_node(store=Deaf)
    ada, bob, eve = await here.meet("Ada"), await here.meet("Bob"), await there.meet("Eve")
    match = (await ada.open()).match
    await eve.follow(match)
    await eve.unfollow(match)
    await bob.join(match)
    await bob.say(match, "Hm.")
    assert (await eve.follow(match)).rows[-1].v == 2  # its table was kept, and read on
    assert await hear_lines(eve, "players", 1) == [1]
    await ada.set(match, "1234")
    moved = await there.connect_again(bob)
    assert (await moved.follow(match, 3)).rows == ()  # it is in use, and read on
    await bob.guess(match, "5566")
    answer = await moved.ask(moved.new(Guess, match=match, code=pegs("1234"), v=4))
    assert isinstance(answer, Happened)
    assert answer.v == 5
    other = (await ada.open()).match
    await eve.follow(other)
    await bob.join(other)
    assert (await moved.join(other)).rows[-1].v == 2  # the seat is the player's already


class Slow(WatchedStore):
    """A store that delays the chat of a match until a notification of a row."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.reading, self.told = asyncio.Event(), asyncio.Event()

    async def listen(self, callback: Callable[[Sequence[Notice]], None]) -> None:
        def note(news: Sequence[Notice]) -> None:
            callback(news)
            if any(isinstance(told, RowWritten) and told.version == 3 for told in news):
                self.told.set()

        await super().listen(note)

    async def after(self, statement: Callable[..., object], _: Any) -> None:
        if statement is read_chat:
            self.reading.set()
            await self.told.wait()


async def test_a_row_written_before_a_node_listens_to_its_part_is_not_missed(
    start_node, monkeypatch
):
    listening, execute = asyncio.Event(), Listener._execute

    async def execute_later(listener: Listener, statement: str) -> None:
        await listening.wait()
        await execute(listener, statement)

    here, there = await start_node(), await start_node()
    ada, bob, eve = await here.meet("Ada"), await here.meet("Bob"), await there.meet("Eve")
    match = (await ada.open()).match
    await bob.join(match)
    await ada.set(match, "1234")
    monkeypatch.setattr(Listener, "_execute", execute_later)
    for _ in range(3):  # each time the node begins to listen again
        listening.clear()
        await eve.follow(match)
        written = (await bob.guess(match, "5566")).v
        await eve.list("running")  # the answer follows all earlier messages
        assert eve.versions[match] < written
        listening.set()
        await reach(eve, match, written)  # no poll is due, because no clock runs
        await eve.unfollow(match)
        there.store.interests.keep(there.server.tables.list_codes())


async def test_a_notification_during_the_loading_of_a_match_is_not_lost(start_node):
    here, there = await start_node(), await start_node(store=Slow)
    ada, bob, eve = await here.meet("Ada"), await here.meet("Bob"), await there.meet("Eve")
    match = (await ada.open()).match
    await bob.join(match)
    await eve.send(encode(eve.new(Follow, match=match)))
    assert isinstance(there.store, Slow)
    await there.store.reading.wait()
    await ada.set(match, "1234")
    await eve.until(Log)
    await reach(eve, match, 3)


class SlowAndDeaf(Slow):
    """A slow store that delivers no notifications, until the test reports a part."""

    async def listen(self, callback: Callable[[Sequence[Notice]], None]) -> None:
        del callback


async def test_rows_and_lines_that_a_load_misses_are_read_when_notices_of_the_part_arrive(
    start_node,
):
    here, there = await start_node(), await start_node(store=SlowAndDeaf)
    ada, bob = await here.meet("Ada"), await here.meet("Bob")
    match = (await ada.open()).match
    await bob.join(match)
    moved = await there.connect_again(bob)
    await moved.send(encode(moved.new(Follow, match=match)))
    store = there.store
    assert isinstance(store, SlowAndDeaf)
    await store.reading.wait()
    await ada.set(match, "1234")
    await ada.say(match, "Hm.")
    tasks = asyncio.all_tasks()
    store.interests.report({find_part(match)})
    await asyncio.wait(asyncio.all_tasks() - tasks)
    store.told.set()
    await moved.until(Log)
    await reach(moved, match, 3)  # without a poll: the clock stops
    assert await hear_lines(moved, "players", 1) == [1]


class Failing(WatchedStore):
    """A store that fails to read its log while `fails` is set."""

    fails = False
    failed = 0

    async def before(self, statement: Callable[..., object], _: tuple[Any, ...]) -> None:
        if self.fails and statement is read_log:
            self.failed += 1
            raise StorageFailed(Reason.NOT_READ, retry_after=1.0)


async def test_a_failed_read_is_logged_once_and_repeated_at_the_next_poll(start_node, caplog):
    here, there = await start_node(), await start_node(store=Failing)
    ada, bob, eve = await here.meet("Ada"), await here.meet("Bob"), await there.meet("Eve")
    match = (await ada.open()).match
    await eve.follow(match)
    store = there.store
    assert isinstance(store, Failing)
    store.fails = True
    await bob.join(match)
    await ada.set(match, "1234")
    async with asyncio.timeout(10):
        while store.failed < 2:
            await eve.settle()
    told = [record for record in caplog.records if record.name == background.__name__]
    assert [record.levelname for record in told] == ["WARNING"]
    store.fails = False
    there.clock.skip(POLL_SECONDS)
    await reach(eve, match, 3)


class Counting(WatchedStore):
    """A store that counts the reads of later rows of a log."""

    looks = 0

    async def before(self, statement: Callable[..., object], args: tuple[Any, ...]) -> None:
        self.looks += statement is read_log and args[1] > 0


class CountingCopies(Counting):
    """A store that also keeps the copies of rows that it receives."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.copies: list[RowCopied] = []

    async def listen(self, callback: Callable[[Sequence[Notice]], None]) -> None:
        def note(news: Sequence[Notice]) -> None:
            callback(news)
            self.copies += [told for told in news if isinstance(told, RowCopied)]

        await super().listen(note)


async def test_guesses_and_no_secrets_are_copied_to_another_node_which_asks_no_query(start_node):
    here, there = await start_node(), await start_node(store=CountingCopies)
    ada, bob, eve = await here.meet("Ada"), await here.meet("Bob"), await there.meet("Eve")
    match = (await ada.open(rounds=2)).match
    await eve.follow(match)
    await bob.join(match)
    store = there.store
    assert isinstance(store, CountingCopies)
    for maker, breaker in ((ada, bob), (bob, ada)):
        await maker.set(match, "1234")
        await reach(eve, match, maker.versions[match])
        before = store.looks
        for code in ("1111", "2222"):
            await breaker.guess(match, code)
            await reach(eve, match, breaker.versions[match])
        await eve.list("running")  # the answer follows all notices
        assert store.looks == before
        await breaker.guess(match, "1234")
    await reach(eve, match, ada.versions[match])
    assert eve.matches[match].played == ada.matches[match].played
    devious = (await ada.open(maker="devious", breaker="me")).match
    await eve.follow(devious)
    await ada.wait_for_turn(devious)
    await ada.guess(devious, "1111")
    await reach(eve, devious, ada.versions[devious])
    copied = [event for told in store.copies for event in decode_events(told.row.events)]
    assert [type(event) for event in copied] == [Guessed] * 4


@pytest.mark.promise("claimed-version")
async def test_concurrent_claims_of_a_later_version_cause_two_reads(start_node):
    node = await start_node(store=Counting)
    ada = await node.meet("Ada")
    match = (await ada.open()).match
    store, tables = node.store, node.server.tables
    assert isinstance(store, Counting)
    before = store.looks

    async def use():
        async with tables.use(match, 2**31 - 1) as table:
            assert table.log.version == 1

    await asyncio.gather(*(use() for _ in range(50)))
    assert store.looks - before <= 2  # the first may begin before the last call


async def ask_twice(
    first: RawClient, second: RawClient, request: Request
) -> Log | Happened | Said | Advice:
    """Ask two nodes the same, check that the answers are equal, and return the first.

    The second log may have more rows and other presence.
    """
    answer, again = await first.ask(request), await second.ask(request)
    if isinstance(answer, Log):
        assert isinstance(again, Log)
        assert (answer.id, answer.match) == (again.id, again.match)
        assert answer.rows == again.rows[: len(answer.rows)]
    else:
        assert answer == again
    assert isinstance(answer, Log | Happened | Said | Advice)
    return answer


async def test_a_request_repeated_at_another_node_gets_the_same_answer(start_node):
    here, there = await start_node(), await start_node(store=Deaf)
    ada, bob = await here.meet("Ada"), await here.meet("Bob")
    other_ada, other_bob = await there.connect_again(ada), await there.connect_again(bob)
    opened = await ask_twice(
        ada, other_ada, ada.new(Open, rules="classic", maker="me", breaker="open")
    )
    assert isinstance(opened, Log)
    match = opened.match
    await ask_twice(bob, other_bob, bob.new(Join, match=match))
    await ask_twice(ada, other_ada, ada.new(Secret, match=match, v=2, code=pegs("1234")))
    await ask_twice(bob, other_bob, bob.new(Advise, match=match, v=3, most=1))
    await ask_twice(bob, other_bob, bob.new(Guess, match=match, v=4, code=pegs("1122")))
    await ada.say(match, "Well?")
    await ask_twice(bob, other_bob, bob.new(Say, match=match, text="Hm."))
    assert (await hear_lines(other_bob, "players", 3))[:2] == [1, 2]  # in order
    await ask_twice(bob, other_bob, bob.new(Resign, match=match, v=5))
    offered = await ask_twice(ada, other_ada, ada.new(Rematch, match=match))
    accepted = await ask_twice(bob, other_bob, bob.new(Rematch, match=match))
    assert isinstance(offered, Log)
    assert isinstance(accepted, Log)
    assert offered.match == accepted.match
    await ask_twice(bob, other_bob, bob.new(Leave, match=offered.match))
    sought = await ask_twice(ada, other_ada, ada.new(Seek, rules="mini"))
    assert isinstance(sought, Log)
    assert len(await here.store.read(read_log, sought.match)) == 1
    assert len(await here.store.read(read_log, match)) == 7
    assert len(await here.store.read(read_chat, match)) == 2


async def test_a_guess_at_devious_repeated_at_another_node_gets_the_same_answer(start_node):
    here, there = await start_node(), await start_node(store=Deaf)
    ada = await here.meet("Ada")
    match = (await ada.open(maker="devious", breaker="me")).match
    await ada.wait_for_turn(match)
    other = await there.connect_again(ada)
    await other.follow(match)
    for guess in ("1122", "3344"):
        asked = ada.new(Guess, match=match, code=pegs(guess))
        assert await ask_twice(ada, other, asked)
    assert ada.matches == other.matches
