"""Days are withdrawn after a change of the store's history, unless it is proven to lose nothing."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from mastermind_protocol.days import DAY_MS, find_day_start, find_reveal, find_tries_end
from mastermind_server.matches.contests.withdrawals import (
    EARLY_MS,
    PROOF_MS,
    Proof,
    check_losses,
    withdraw_day,
    withdraw_early_days,
)
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.schema import days, loss_checks, nodes
from mastermind_server.storage.store import Store

DAY = 147
NOON = find_day_start(DAY) + DAY_MS // 2
UNTIL = NOON + 15_000  # the end of leases at the change


def add_day(session: Session, day: int, **changes: Any) -> None:
    row = {
        "day": day, "rules": "mini", "code": b"\1\2\3", "nonce": bytes(16),
        "commitment": bytes(32), "key": b"key", "epoch": "old", "drawn": find_day_start(day),
    }  # fmt: skip
    session.connection.execute(sa.insert(days).values(row | changes))


def add_lease(session: Session, node: str) -> None:
    row = {
        "node": node, "address": "", "version": "", "started": 0, "until": UNTIL, "connections": 0,
        "draining": False,
    }  # fmt: skip
    session.connection.execute(sa.insert(nodes).values(row))


def list_days(session: Session) -> dict[tuple[int, str], str]:
    """Map days and rules to an epoch or, if they were withdrawn, to the text "withdrawn"."""
    rows = session.connection.execute(sa.select(days)).all()
    assert all((row.key is None) == (row.withdrawn is not None) for row in rows if not row.revealed)
    return {
        (row.day, row.rules): row.epoch if row.withdrawn is None else "withdrawn" for row in rows
    }


async def prepare(store: Store, *leases: str) -> None:
    """Store an open day of the epoch "old", and leases."""

    def add(session: Session) -> None:
        add_day(session, DAY)
        for node in leases:
            add_lease(session, node)

    await store.write(add)


async def check(
    store: Store, node: str | None = None, lost_at: int | None = None, **changes: int
) -> str:
    """Check the store in the epoch "new" as a node that survived. Return the day's state."""
    proof = None if node is None else Proof(node, changes.get("until", UNTIL), lost_at)
    await store.write(check_losses, "new", changes.get("now", NOON), proof)
    return (await store.look_up(list_days))[DAY, "mini"]


async def test_a_day_continues_when_each_node_with_a_lease_has_found_its_last_rows(any_store):
    await prepare(any_store, "A", "B")
    assert await check(any_store) == "old"  # by a new node
    assert await check(any_store, "A") == "old"
    assert await check(any_store, "A") == "old"  # its renewal has failed
    await any_store.write(lambda session: session.connection.execute(sa.delete(nodes)) and None)
    assert await check(any_store, "late") == "old"  # its lease had ended before the change
    assert await check(any_store, "B", now=NOON + PROOF_MS - 1) == "new"
    assert not await any_store.look_up(
        lambda session: session.connection.scalar(sa.select(sa.func.count(loss_checks.c.node)))
    )


@pytest.mark.parametrize(
    "loss", [{"lost_at": NOON - 1}, {"until": UNTIL + 1}], ids=["a row", "a lease"]
)
async def test_a_day_is_withdrawn_when_a_node_misses_what_it_wrote(any_store, loss):
    await prepare(any_store, "A", "B")
    assert await check(any_store, "A", **loss) == "withdrawn"
    assert await check(any_store, "B") == "withdrawn"


async def test_a_node_without_a_lease_at_the_change_that_misses_a_row_withdraws_too(any_store):
    await prepare(any_store, "A")
    assert await check(any_store, "A") == "new"
    await any_store.write(lambda session: add_day(session, DAY + 1, epoch="new"))
    assert await check(any_store, "late", lost_at=NOON) == "withdrawn"
    assert (await any_store.look_up(list_days))[DAY + 1, "mini"] == "new"  # drawn after the loss


async def test_a_day_is_withdrawn_when_a_node_with_a_lease_proves_nothing_in_time(any_store):
    await prepare(any_store, "A", "killed")
    assert await check(any_store, "A") == "old"
    assert await check(any_store, now=NOON + PROOF_MS) == "withdrawn"


async def test_a_day_is_withdrawn_when_no_node_has_seen_the_earlier_history(any_store):
    await prepare(any_store)
    assert await check(any_store) == "withdrawn"


async def test_a_day_is_withdrawn_when_the_history_changes_again_before_the_proof(any_store):
    await prepare(any_store, "A", "B")
    assert await check(any_store, "A") == "old"
    await any_store.write(check_losses, "newest", NOON, Proof("A", UNTIL, None))
    assert (await any_store.look_up(list_days))[DAY, "mini"] == "withdrawn"


async def test_a_check_ends_when_the_operator_has_withdrawn_the_days(any_store):
    await prepare(any_store, "A", "B")
    assert await check(any_store, "A") == "old"
    await any_store.write(withdraw_day, DAY, None, NOON)
    assert await check(any_store, "B") == "withdrawn"
    await any_store.write(lambda session: add_day(session, DAY + 1, epoch="new"))
    for node in ("A", "B"):
        await any_store.write(check_losses, "newest", NOON, Proof(node, UNTIL, None))
    assert (await any_store.look_up(list_days))[DAY + 1, "mini"] == "newest"


async def test_days_of_a_private_store_are_withdrawn_at_once(any_store):
    await prepare(any_store, "killed")
    await any_store.write(check_losses, "new", NOON, shared=False)
    assert (await any_store.look_up(list_days))[DAY, "mini"] == "withdrawn"


async def test_only_open_days_of_other_epochs_are_withdrawn(any_store):
    def add(session: Session) -> None:
        add_day(session, DAY - 1, revealed=find_reveal(DAY - 1))
        add_day(session, DAY)
        add_day(session, DAY, rules="eight", epoch="new")

    await any_store.write(add)
    await any_store.write(check_losses, "new", NOON)
    assert await any_store.look_up(list_days) == {
        (DAY - 1, "mini"): "old", (DAY, "mini"): "withdrawn", (DAY, "eight"): "new",
    }  # fmt: skip


async def test_a_day_is_kept_if_a_later_one_was_drawn_after_its_tries_had_ended(any_store):
    def add(session: Session) -> None:
        add_day(session, DAY - 1)  # no request has needed its code since
        add_day(session, DAY, drawn=find_reveal(DAY - 1))

    await any_store.write(add)
    await any_store.write(check_losses, "new", NOON)
    assert await any_store.look_up(list_days) == {
        (DAY - 1, "mini"): "new", (DAY, "mini"): "withdrawn",
    }  # fmt: skip


async def test_a_day_is_withdrawn_by_rules_or_as_a_whole_and_only_once(any_store):
    def add(session: Session) -> None:
        for rules in ("classic", "mini", "eight"):
            add_day(session, DAY, rules=rules)
        add_day(session, DAY + 1)

    await any_store.write(add)
    assert await any_store.write(withdraw_day, DAY, "mini", NOON) == ["mini"]
    assert await any_store.write(withdraw_day, DAY, None, NOON + 1) == ["classic", "eight"]
    assert await any_store.write(withdraw_day, DAY, None, NOON + 1) == []
    found = await any_store.look_up(list_days)
    assert [key for key, epoch in found.items() if epoch != "withdrawn"] == [(DAY + 1, "mini")]


@pytest.mark.parametrize(
    ("now", "revealed", "state"),
    [
        (find_day_start(DAY) - EARLY_MS - 1, False, "withdrawn"),
        (find_day_start(DAY) - EARLY_MS, False, "old"),
        (find_tries_end(DAY) - 1, True, "withdrawn"),
        (find_tries_end(DAY), True, "old"),
    ],
)
async def test_a_day_that_a_clock_drew_or_closed_too_early_is_withdrawn(
    any_store, now, revealed, state
):
    at = find_reveal(DAY) if revealed else None
    await any_store.write(lambda session: add_day(session, DAY, revealed=at))
    await any_store.write(withdraw_early_days, now)
    assert (await any_store.look_up(list_days))[DAY, "mini"] == state
