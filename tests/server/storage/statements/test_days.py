"""The codes of days and the tries at them, in both databases."""

from __future__ import annotations

from dataclasses import replace

import psycopg
import pytest

from kit.days import DAY, NOON, REVEAL, Try, make_day, read_tries, withdraw
from mastermind_protocol.events import RoundEnd
from mastermind_server.storage.day_rows import DayNotOpen, NewTry, TryEnd, TryTaken
from mastermind_server.storage.statements.days import (
    add_day,
    add_try,
    end_try,
    read_day,
    reveal_day,
)
from mastermind_server.storage.statements.log import read_log
from mastermind_server.storage.store import SessionMode, Store, open_session
from server.storage.builders import listed, row

HASH, OTHER_HASH = b"hash of one home", b"hash of another "
BROKEN = TryEnd(DAY, "classic", "A", NOON, RoundEnd.BROKEN, 5, 61_000, 0.25)


@pytest.fixture
async def day_store(any_store: Store) -> Store:
    """A store with the code of a day."""
    await any_store.write(add_day, make_day())
    return any_store


def new_try(player: str = "A", address: bytes | None = HASH, *, counted: bool = True) -> NewTry:
    return NewTry(DAY, "classic", player, counted, address)


async def begin(store: Store, *new: NewTry) -> list[Try]:
    """Store tries, each with a match of its own; return all tries."""
    for n, each in enumerate(new):
        await store.write(add_try, each, f"AAAAA{n}", NOON + n)
    return list((await store.read(read_tries, "classic")).values())


async def test_a_day_keeps_the_code_that_is_stored_first(day_store):
    await day_store.write(add_day, make_day(code="4321"))
    stored = await day_store.read(read_day, DAY, "classic")
    assert (stored, stored.secret, stored.state) == (make_day(), (0, 1, 2, 3), "open")
    assert await day_store.read(read_day, DAY, "mini") is None
    assert await day_store.read(read_day, DAY + 1, "classic") is None


async def test_a_reveal_forgets_the_key_of_the_addresses_and_happens_once(day_store):
    await day_store.write(reveal_day, DAY, "classic", REVEAL)
    await day_store.write(reveal_day, DAY, "classic", REVEAL + 1)
    stored = await day_store.read(read_day, DAY, "classic")
    assert stored == make_day()._replace(key=None, revealed=REVEAL)
    assert stored.state == "closed"


async def test_a_withdrawn_day_is_not_revealed(day_store):
    await day_store.write(withdraw)
    await day_store.write(reveal_day, DAY, "classic", REVEAL)
    stored = await day_store.read(read_day, DAY, "classic")
    assert (stored.revealed, stored.state) == (None, "withdrawn")


async def test_a_player_has_one_try(day_store):
    (first,) = await begin(day_store, new_try())
    with pytest.raises(TryTaken):
        await begin(day_store, new_try(address=OTHER_HASH))
    assert await begin(day_store) == [first]


@pytest.mark.parametrize(
    ("first", "second", "counted"),
    [
        (new_try("A"), new_try("B"), False),
        (new_try("A"), new_try("B", OTHER_HASH), True),
        (new_try("A", None), new_try("B", None), True),
        (new_try("A", counted=False), new_try("B"), True),
        (new_try("A"), new_try("B", OTHER_HASH, counted=False), False),
    ],
)
async def test_the_first_counted_try_of_an_address_is_counted(day_store, first, second, counted):
    stored = await begin(day_store, first, second)
    assert [each.counted for each in stored] == [first.counted, counted]
    assert stored[0].address == (first.address if first.counted else None)
    assert stored[1].address == (second.address if counted else None)


@pytest.mark.parametrize("withdrawn", [True, False], ids=["withdrawn", "revealed"])
async def test_a_try_neither_begins_nor_ends_when_the_day_is_not_open(day_store, withdrawn):
    (running,) = await begin(day_store, new_try())
    if withdrawn:
        await day_store.write(withdraw)
    else:
        await day_store.write(reveal_day, DAY, "classic", REVEAL)
    for write, *values in ((add_try, new_try("B"), "BBBBBB", NOON), (end_try, BROKEN)):
        with pytest.raises(DayNotOpen) as caught:
            await day_store.write(write, *values)
        assert caught.value.withdrawn is withdrawn
    assert await begin(day_store) == [running]


async def test_a_try_ends_in_the_commit_of_its_last_row(day_store):
    (running,) = await begin(day_store, new_try())
    ending = replace(listed("AAAAA0"), ended=BROKEN)
    await day_store.append(row("AAAAA0"), projections=[ending])
    (ended,) = await begin(day_store)
    assert ended == running._replace(
        ended=NOON, how="broken", guesses=5, milliseconds=61_000, luck=0.25
    )
    assert len(await day_store.read(read_log, "AAAAA0")) == 1
    await day_store.append(
        row("AAAAA0", 2), projections=[replace(ending, ended=BROKEN._replace(guesses=1))]
    )
    assert await begin(day_store) == [ended]


async def test_the_last_row_of_a_try_is_not_stored_after_the_reveal(day_store):
    (running,) = await begin(day_store, new_try())
    await day_store.write(reveal_day, DAY, "classic", REVEAL)
    with pytest.raises(DayNotOpen):
        await day_store.append(row("AAAAA0"), projections=[replace(listed("AAAAA0"), ended=BROKEN)])
    assert await begin(day_store) == [running]
    assert await day_store.read(read_log, "AAAAA0") == []


async def test_the_end_of_a_deleted_try_is_ignored(day_store):
    await day_store.write(end_try, BROKEN)
    assert await begin(day_store) == []


def test_a_reveal_and_the_end_of_a_try_wait_for_each_other(postgres_url):
    with (
        open_session(postgres_url, SessionMode.WRITE) as here,
        open_session(postgres_url, SessionMode.WRITE) as there,
    ):
        add_day(here, make_day())
        there.driver.execute("SET lock_timeout = '1ms'")
        with here.transaction():
            end_try(here, BROKEN)
            end_try(there, BROKEN)  # ends do not wait for each other
            with pytest.raises(psycopg.errors.LockNotAvailable):
                reveal_day(there, DAY, "classic", REVEAL)
        with here.transaction():
            reveal_day(here, DAY, "classic", REVEAL)
            with pytest.raises(psycopg.errors.LockNotAvailable):
                end_try(there, BROKEN)
        with pytest.raises(DayNotOpen):
            end_try(there, BROKEN)
