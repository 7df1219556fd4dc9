"""Conditions: what a node has read in one transaction, and relies on in a later write.

The write checks its conditions in its own transaction. Each condition names an advisory lock, which
all writes with a condition of this name acquire. So of two such writes at the same moment, at
different nodes too, the second one checks after the commit of the first. Locks are acquired in the
order of their names, so that two writes cannot deadlock. These writes belong to
`Store.write_locking`, because moves must not wait for locks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from mastermind_server.storage.rows import WriteRejected

if TYPE_CHECKING:
    from collections.abc import Collection

    from mastermind_server.storage.engines.database import Session


class ConditionFailed(WriteRejected):
    """Nothing was written, because what the node had read has changed. It must read it again."""


class Condition(Protocol):
    """A condition of a write."""

    @property
    def lock(self) -> str:
        """The name of the advisory lock of all writes that must not overlap."""
        ...

    def holds(self, session: Session) -> bool:
        """Return whether the store still has what was read."""
        ...


def check_conditions(session: Session, conditions: Collection[Condition]) -> None:
    """Acquire the locks of `conditions` until the transaction ends, then check the conditions.

    The caller has begun the transaction, and has written nothing. Raises ConditionFailed.
    """
    for lock in sorted({condition.lock for condition in conditions}):
        session.advisory_lock(lock)
    if not all(condition.holds(session) for condition in conditions):
        raise ConditionFailed
