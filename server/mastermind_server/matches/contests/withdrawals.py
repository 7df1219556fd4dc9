"""Withdrawing days: by the operator, after a loss of tries, and after a jump of the clock.

A store that goes back to an earlier state may lose tries of open days. Their players then know the
codes, and could try again. The store has another epoch afterwards (see `epochs`). A promoted
standby has all rows up to some commit. So a day has lost nothing if each node that had a lease at
the change finds its last rows and its last lease::

    first node in the new epoch     copies the leases into `loss_checks`, before it renews its own
    each node that wrote before     deletes its row there if it finds its last rows
    the node that deletes the last  moves the open days to the new epoch
    a node that misses a row, or    withdraws the open days of other epochs
    needs a day after the deadline

Until the decision, requests for open days of another epoch fail. A day is treated as ended if a
later one was drawn after all its tries had ended: the store then has these tries, although no node
has needed to reveal the code. All is decided under one lock. Times are in milliseconds since 1970,
by the clock of the database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.days import FINISH_MS, REVEAL_DELAY_MS, find_day
from mastermind_server.storage.schema import days, loss_checks, nodes

if TYPE_CHECKING:
    from sqlalchemy.sql.elements import ColumnElement

    from mastermind_server.matches.contests.places import DayKey
    from mastermind_server.storage.engines.database import Session

PROOF_MS = 30_000  # two leases: a node that runs has renewed its own by then
EARLY_MS = 5 * 60_000  # before its day: an exact clock is less wrong
_LOCK = "days"


class Proof(NamedTuple):
    """The comparison of the last writes of `node` with a new epoch of the store.

    `until` is the end of its last lease in the earlier history. `lost_at` is the time of its last
    row if the store has lost it, otherwise None.
    """

    node: str
    until: int
    lost_at: int | None


def check_losses(
    session: Session, epoch: str, now: int, proof: Proof | None = None, *, shared: bool = True
) -> list[DayKey]:
    """Decide whether the open days of other epochs than `epoch`, the store's, have lost tries.

    A node that wrote nothing in an earlier epoch has no `proof`. If the store is not `shared`,
    no node can prove anything, and the days are withdrawn. Return the withdrawn ones.
    """
    session.advisory_lock(_LOCK)
    earlier = days.c.epoch != epoch
    newest = session.connection.scalar(sa.select(sa.func.max(days.c.drawn)).where(earlier)) or 0
    has_tries = days.c.day >= find_day(newest - FINISH_MS - REVEAL_DELAY_MS)
    of_others = _is_open & earlier
    session.connection.execute(_move_days(of_others & ~has_tries, epoch))
    withdrawn: list[DayKey] = []
    if proof is not None and proof.lost_at is not None:
        withdrawn += _withdraw(session, now, _is_open & (days.c.drawn <= proof.lost_at) & has_tries)
    if not session.connection.scalar(sa.select(sa.exists().where(of_others))):
        session.connection.execute(sa.delete(loss_checks))  # of days withdrawn by the operator
        return withdrawn
    deadline = _begin_check(session, epoch, now) if shared else now
    lost = proof is not None and (
        proof.lost_at is not None or not _pass_check(session, epoch, proof)
    )
    pending = session.connection.scalar(sa.select(sa.exists().where(loss_checks.c.epoch == epoch)))
    if lost or now >= deadline:
        withdrawn += _withdraw(session, now, of_others)
    elif not pending:
        session.connection.execute(_move_days(of_others, epoch))
    else:
        return withdrawn
    session.connection.execute(sa.delete(loss_checks))
    return withdrawn


def is_undecided(session: Session, epoch: str, now: int) -> bool:
    """Return whether nodes may still prove that the open days of other epochs lost nothing."""
    awaited = (loss_checks.c.epoch == epoch) & (loss_checks.c.deadline > now)
    return bool(session.connection.scalar(sa.select(sa.exists().where(awaited))))


def withdraw_day(session: Session, day: int, rules: str | None, now: int) -> list[str]:
    """Withdraw the codes of a day number, or only that of one of the rules.

    Return the names of their rules in alphabetical order, without codes withdrawn before.
    """
    chosen = (days.c.day == day) & (sa.true() if rules is None else days.c.rules == rules)
    return [name for _, name in _withdraw(session, now, chosen)]


def list_drawn_rules(session: Session, day: int) -> list[str]:
    """Return the names of the rules that have a code for a day number, in alphabetical order."""
    return sorted(session.connection.scalars(sa.select(days.c.rules).where(days.c.day == day)))


def find_drawn_days(session: Session) -> tuple[int, int] | None:
    """Return the numbers of the first and the last day that have a code, or None without any."""
    query = sa.select(sa.func.min(days.c.day), sa.func.max(days.c.day))
    first, last = session.connection.execute(query).one()
    return None if first is None else (first, last)


def has_early_days(session: Session, now: int) -> bool:
    """Return whether a wrong clock drew or closed days too early, which are not withdrawn yet.

    By the present time `now`, such a day begins more than EARLY_MS later, or its tries have not
    ended although its code is revealed.
    """
    early = _find_early(now) & days.c.withdrawn.is_(None)
    return bool(session.connection.scalar(sa.select(sa.exists().where(early))))


def withdraw_early_days(session: Session, now: int) -> list[DayKey]:
    """Withdraw the days of `has_early_days`, and return them."""
    return _withdraw(session, now, _find_early(now))


def _begin_check(session: Session, epoch: str, now: int) -> int:
    """Copy the leases, unless a node has done so. Return the time until which nodes are awaited.

    A check of another epoch has not ended: the store has changed twice, which proves nothing.
    """
    query = sa.select(loss_checks.c.epoch, loss_checks.c.deadline).limit(1)
    if session.connection.execute(query).first() is None:
        values = [sa.literal(epoch), nodes.c.node, nodes.c.until, sa.literal(now + PROOF_MS)]
        leases = sa.select(*values)
        names = ["epoch", "node", "until", "deadline"]
        session.connection.execute(sa.insert(loss_checks).from_select(names, leases))
    found = session.connection.execute(query).first()
    return now if found is None or found.epoch != epoch else found.deadline


def _pass_check(session: Session, epoch: str, proof: Proof) -> bool:
    """Delete the node's row. Return False, and keep the row, if the store has lost its last lease.

    The check does not wait for a node without a row: its lease had ended before the change.
    """
    awaited = (loss_checks.c.epoch == epoch) & (loss_checks.c.node == proof.node)
    passed = sa.delete(loss_checks).where(awaited, loss_checks.c.until >= proof.until)
    session.connection.execute(passed)
    return not session.connection.scalar(sa.select(sa.exists().where(awaited)))


def _find_early(now: int) -> ColumnElement[bool]:
    has_tries = days.c.day >= find_day(now - FINISH_MS)  # searched by the primary key
    return has_tries & (days.c.revealed.is_not(None) | (days.c.day > find_day(now + EARLY_MS)))


def _move_days(chosen: ColumnElement[bool], epoch: str) -> sa.Update:
    return sa.update(days).where(chosen).values(epoch=epoch)


def _withdraw(session: Session, now: int, chosen: ColumnElement[bool]) -> list[DayKey]:
    statement = sa.update(days).where(chosen, days.c.withdrawn.is_(None))
    statement = statement.values(withdrawn=now, key=sa.null())
    found = session.connection.execute(statement.returning(days.c.day, days.c.rules))
    return sorted((row.day, row.rules) for row in found)


_is_open = days.c.revealed.is_(None) & days.c.withdrawn.is_(None)
