"""Creates the tables, migrates them to this version's schema, and rejects unknown schemas.

Tables of newer servers, of servers before the first release, and of other programs are rejected.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import sqlalchemy as sa

from mastermind_server.look_alikes.skeletons import find_skeleton
from mastermind_server.storage.rating_rows import NAME_KEPT_MILLISECONDS
from mastermind_server.storage.schema import metadata, names, players

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

REVISION = "0016"  # of the tables in `schema`
BASELINE = "0006"  # of the first release: older tables are not migrated
LAST_COMMIT_BEFORE_BASELINE = (
    "c855271"  # the last commit that migrates tables older than the baseline
)
_MIGRATIONS = {  # what migrates a database, by SQLAlchemy's name of it
    "sqlite": "start a server on it, which migrates them",
    "postgresql": "run mastermind-server migrate",
}
_version_table = sa.Table(  # as Alembic makes it
    "alembic_version",
    sa.MetaData(naming_convention={"pk": "%(table_name)s_pkc"}),
    sa.Column("version_num", sa.String(32), primary_key=True),
)


class SchemaUnknown(Exception):
    """The tables have another version's schema."""


def find_revision(connection: Connection) -> str | None:
    """Return the revision of the tables, or None if the database has no tables of this server."""
    if not sa.inspect(connection).has_table(_version_table.name):
        return None
    return connection.scalar(sa.select(_version_table))


def check_schema(connection: Connection) -> None:
    """Raise SchemaUnknown unless the tables have this version's schema. Changes nothing."""
    revision = find_revision(connection)
    check_known(revision)
    if revision != REVISION:
        raise SchemaUnknown(
            f"its tables are at revision {revision or 'none'}, and this server needs {REVISION}:"
            f" {_MIGRATIONS[connection.dialect.name]}"
        )


def migrate(connection: Connection) -> None:
    """Create the tables, or migrate them to this version's schema. Raises SchemaUnknown.

    A migration also updates the skeletons of names. New tables are created directly. Only old
    tables need Alembic, which takes longer to import than the server takes to start.
    """
    present = set(sa.inspect(connection).get_table_names())
    if not present:
        metadata.create_all(connection, checkfirst=False)
        _version_table.create(connection, checkfirst=False)
        connection.execute(sa.insert(_version_table).values(version_num=REVISION))
    elif (revision := find_revision(connection)) != REVISION:
        if revision is None:
            raise SchemaUnknown("its tables belong to another program")
        check_known(revision)
        _upgrade(connection)
        update_skeletons(connection)


def update_skeletons(connection: Connection) -> list[str]:
    """Compute the skeletons of the names of rated players again. Return the names that changed.

    The caller has begun a transaction.

    Migrations import no code, because they must never change, but stored skeletons must be those of
    the running code. If two players' names have the same new skeleton, the older account keeps its
    name, because an imitator's account is newer; the other player must choose another name for
    rated matches. A claim that has expired gives way to one that has not. Of a player's own names,
    the last used is kept.
    """
    if connection.dialect.name == "postgresql":  # older nodes may still be writing claims
        connection.exec_driver_sql("LOCK TABLE names IN SHARE ROW EXCLUSIVE MODE")
    expired = names.c.seen < int(time.time() * 1000) - NAME_KEPT_MILLISECONDS
    by_age = (players.c.created.is_(None), players.c.created, names.c.player, names.c.seen.desc())
    accounts = names.outerjoin(players, players.c.id == names.c.player)
    owners: dict[str, sa.RowMapping] = {}
    claims = sa.select(names).select_from(accounts).order_by(expired, *by_age)
    rows = connection.execute(claims).mappings()
    stored, outdated_names = set(), []
    for row in rows:
        stored.add(row["skeleton"])
        skeleton = find_skeleton(row["name"])
        if skeleton != row["skeleton"]:
            outdated_names.append(row["name"])
        owners.setdefault(skeleton, row)
    changed = {skeleton: row for skeleton, row in owners.items() if row["skeleton"] != skeleton}
    unchanged = owners.keys() - changed.keys()
    if outdated := [{"outdated": skeleton} for skeleton in stored - unchanged]:
        old = names.c.skeleton == sa.bindparam("outdated")
        connection.execute(sa.delete(names).where(old), outdated)
    if changed:
        new = [{**row, "skeleton": skeleton} for skeleton, row in changed.items()]
        connection.execute(sa.insert(names), new)
    return outdated_names


def check_known(revision: str | None) -> None:
    """Raise SchemaUnknown if this version cannot migrate tables of `revision`."""
    if revision is not None and revision > REVISION:
        raise SchemaUnknown(
            f"its tables are from a newer server (revision {revision}, here {REVISION}):"
            " update this server"
        )
    if revision is not None and revision < BASELINE:
        raise SchemaUnknown(
            f"its tables (revision {revision}) are older than the first release: start a server"
            f" of commit {LAST_COMMIT_BEFORE_BASELINE} once, which migrates them"
        )


def _upgrade(connection: Connection) -> None:
    from alembic import command  # late: it takes long to import
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "mastermind_server:storage/migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
