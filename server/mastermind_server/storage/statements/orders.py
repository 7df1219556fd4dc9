"""What an operator tells all nodes by way of the store: whom to ban, and what to do once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from mastermind_protocol.match import Phase
from mastermind_server.bans import Ban
from mastermind_server.storage.schema import bans, matches, orders
from mastermind_server.storage.statements.inserts import write_replacement
from mastermind_server.tuning import MAX_BANS, ORDER_HOURS

if TYPE_CHECKING:
    from mastermind_server.storage.database import Session

BANS_CHANGED = ""  # the text of an order to read them again
LIST_BANS = (
    sa.select(*(bans.c[name] for name in Ban._fields))
    .where(bans.c.until.is_(None) | (bans.c.until > sa.bindparam("now", type_=sa.BigInteger)))
    .order_by(bans.c.subject)
)


class Order(NamedTuple):
    """The `n`th thing that all nodes are to do: announce a text, or end a match for it.

    Or, without a text, to read the bans again.
    """

    n: int
    match: str | None
    text: str


class Orders(NamedTuple):
    """What is to be done, and all bans there are; None if there are the same as before."""

    orders: list[Order]
    bans: list[Ban] | None


def read_orders(session: Session, after: int, now: int) -> Orders:
    """Return what was ordered after a number, in order, and the bans at a time if they may differ.

    After 0, which is no order's, they do.
    """
    ordered = [Order(*row) for row in session.run(_LIST_ORDERS, {"after": after})]
    if after and not ordered:
        return Orders([], None)
    # Later than the orders: of a ban of which nobody was told yet there will be another.
    return Orders(ordered, [Ban(*row) for row in session.run(LIST_BANS, {"now": now})])


def add_ban(session: Session, ban: Ban, now: int) -> bool:
    """Ban somebody, in place of an earlier ban; tell whether there was room for one more."""
    with session.transaction():
        session.take_turns("orders")
        session.connection.execute(sa.delete(bans).where(bans.c.until <= now))
        others = sa.select(sa.func.count()).where(bans.c.subject != ban.subject)
        if session.connection.execute(others).scalar_one() >= MAX_BANS:
            return False
        session.run(write_replacement(session.insert, bans), ban._asdict())
        _append(session, None, BANS_CHANGED, now)
        return True


def name_ban(session: Session, hashed: str, network: str, now: int) -> None:
    """Ban a network in place of the hash by which it was banned, if it still is."""
    query = sa.select(*(bans.c[name] for name in Ban._fields)).where(bans.c.subject == hashed)
    with session.transaction():
        session.take_turns("orders")
        if (row := session.connection.execute(query).one_or_none()) is None:
            return
        session.connection.execute(sa.delete(bans).where(bans.c.subject == hashed))
        named = Ban(*row)._replace(subject=network)
        session.run(write_replacement(session.insert, bans), named._asdict())
        _append(session, None, BANS_CHANGED, now)


def lift_ban(session: Session, subject: str, now: int) -> bool:
    """Ban somebody no more; tell whether it was banned."""
    lifted = sa.delete(bans).where(bans.c.subject == subject)
    with session.transaction():
        session.take_turns("orders")
        if not session.connection.execute(lifted).rowcount:
            return False
        _append(session, None, BANS_CHANGED, now)
        return True


def add_order(session: Session, match: str | None, text: str, now: int) -> None:
    """Let all nodes do something once; what was ordered long ago is forgotten."""
    with session.transaction():
        session.take_turns("orders")
        _append(session, match, text, now)


def _append(session: Session, match: str | None, text: str, now: int) -> None:
    n = session.connection.execute(_FIND_LAST).scalar_one() + 1
    row = {"n": n, "at": now, "match": match, "text": text}
    session.connection.execute(sa.insert(orders).values(row))
    # The last one stays: who has missed some that are gone knows by it that the bans may differ.
    old = (orders.c.at < now - ORDER_HOURS * 3_600_000) & (orders.c.n < n)
    session.connection.execute(sa.delete(orders).where(old))


def is_running(session: Session, match: str) -> bool:
    """Tell whether there is a match of this code that is not over."""
    found = sa.exists().where(matches.c.match == match, matches.c.phase != Phase.FINISHED.value)
    return bool(session.connection.scalar(sa.select(found)))


_FIND_LAST = sa.select(sa.func.coalesce(sa.func.max(orders.c.n), 0))
_LIST_ORDERS = (
    sa.select(*(orders.c[name] for name in Order._fields))
    .where(orders.c.n > sa.bindparam("after", type_=sa.Integer))
    .order_by(orders.c.n)
)
