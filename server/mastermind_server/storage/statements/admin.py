"""Bans, and admin commands, which every node carries out once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from mastermind_server.bans import Ban
from mastermind_server.storage.schema import bans, orders
from mastermind_server.storage.statements.matches import build_upsert

if TYPE_CHECKING:
    from mastermind_server.storage.engines.database import Session

BANS_CHANGED = ""  # the text of a command to read the bans again
LIST_BANS = (
    sa.select(*(bans.c[name] for name in Ban._fields))
    .where(bans.c.until.is_(None) | (bans.c.until > sa.bindparam("now", type_=sa.BigInteger)))
    .order_by(bans.c.subject)
)
MAX_BANS = 10_000  # some 3 MiB at every node; against more, use a firewall
COMMAND_KEPT_HOURS = 24  # before a command is deleted: a node may not reach the database for hours


class AdminCommand(NamedTuple):
    """Command number `n` of an operator, for all nodes.

    With a `match`, the command ends this match, and `text` is the reason. Otherwise `text` is an
    announcement, or BANS_CHANGED, and then nodes read the bans again. It was given at `at`, in
    milliseconds since 1970: after the store has gone back, an operator may repeat a lost command,
    which then has the same number.
    """

    n: int
    at: int
    match: str | None
    text: str


class NewAdminCommands(NamedTuple):
    """New admin commands. `bans` are all bans in force, or None if they have not changed."""

    commands: list[AdminCommand]
    bans: list[Ban] | None


def read_admin_commands(session: Session, after: int, now: int) -> NewAdminCommands:
    """Return the commands with a number above `after`, and the bans if they may have changed.

    Bans that have expired at `now`, in milliseconds since 1970, are omitted. If `after` is 0, the
    bans are always returned.
    """
    commands = [AdminCommand(*row) for row in session.run(_LIST_COMMANDS, {"after": after})]
    if after and not commands:
        return NewAdminCommands([], None)
    # Read after the commands: a ban that is added in between has a later command.
    return NewAdminCommands(commands, [Ban(*row) for row in session.run(LIST_BANS, {"now": now})])


def add_ban(session: Session, ban: Ban, now: int) -> bool:
    """Add a ban, or replace the earlier ban of the same player or network. Return True.

    If MAX_BANS others are banned, add nothing and return False. Deletes bans that have expired at
    `now`, in milliseconds since 1970.
    """
    with session.transaction():
        session.advisory_lock("orders")
        session.connection.execute(sa.delete(bans).where(bans.c.until <= now))
        others = sa.select(sa.func.count()).where(bans.c.subject != ban.subject)
        if session.connection.execute(others).scalar_one() >= MAX_BANS:
            return False
        session.run(build_upsert(session.insert, bans), ban._asdict())
        _append_command(session, None, BANS_CHANGED, now)
        return True


def replace_hashed_ban(session: Session, hashed: str, network: str, now: int) -> None:
    """Replace the subject of a ban by `network` if the subject is `hashed`, the hash of `network`.

    If there is such a ban, all nodes read the bans again. `now` is in milliseconds since 1970.
    """
    query = sa.select(*(bans.c[name] for name in Ban._fields)).where(bans.c.subject == hashed)
    with session.transaction():
        session.advisory_lock("orders")
        if (row := session.connection.execute(query).one_or_none()) is None:
            return
        session.connection.execute(sa.delete(bans).where(bans.c.subject == hashed))
        named = Ban(*row)._replace(subject=network)
        session.run(build_upsert(session.insert, bans), named._asdict())
        _append_command(session, None, BANS_CHANGED, now)


def lift_ban(session: Session, subject: str, now: int) -> bool:
    """Delete the ban of `subject` (see `Ban`). Return whether the ban existed.

    If it existed, all nodes read the bans again. `now` is in milliseconds since 1970.
    """
    lifted = sa.delete(bans).where(bans.c.subject == subject)
    with session.transaction():
        session.advisory_lock("orders")
        if not session.connection.execute(lifted).rowcount:
            return False
        _append_command(session, None, BANS_CHANGED, now)
        return True


def add_admin_command(session: Session, match: str | None, text: str, now: int) -> None:
    """Add an `AdminCommand` for all nodes, and delete commands older than COMMAND_KEPT_HOURS.

    `now` is in milliseconds since 1970.
    """
    with session.transaction():
        session.advisory_lock("orders")
        _append_command(session, match, text, now)


def _append_command(session: Session, match: str | None, text: str, now: int) -> None:
    n = session.connection.execute(_FIND_LAST_NUMBER).scalar_one() + 1
    row = {"n": n, "at": now, "match": match, "text": text}
    session.connection.execute(sa.insert(orders).values(row))
    # The last command stays, so that a node which missed deleted ones reads the bans again.
    old = (orders.c.at < now - COMMAND_KEPT_HOURS * 3_600_000) & (orders.c.n < n)
    session.connection.execute(sa.delete(orders).where(old))


_FIND_LAST_NUMBER = sa.select(sa.func.coalesce(sa.func.max(orders.c.n), 0))
_LIST_COMMANDS = (
    sa.select(*(orders.c[name] for name in AdminCommand._fields))
    .where(orders.c.n > sa.bindparam("after", type_=sa.Integer))
    .order_by(orders.c.n)
)
