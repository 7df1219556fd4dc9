"""The standbys of a PostgreSQL primary, from its view of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mastermind_server.storage.engines.database import Session


@dataclass(frozen=True, slots=True)
class Standbys:
    """The number of connected standbys, and of those that commits may wait for.

    `synchronous` is None if the role may not see it. `required` means that commits wait for a
    standby, by the setting `synchronous_standby_names`. `expected` means that a synchronous standby
    should be there: it is required, or the URL names several hosts. Patroni empties the setting
    while there is no standby.
    """

    connected: int
    synchronous: int | None
    required: bool
    expected: bool


_READ = (  # a base backup is no standby
    "SELECT count(*), count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')),"
    " count(*) FILTER (WHERE sync_state IS NULL),"
    " current_setting('synchronous_standby_names') <> ''"
    " FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup'"
)


def read_standbys(session: Session) -> Standbys | None:
    """Return the standbys of the database's primary, or None for a SQLite file."""
    if session.dialect.name == "sqlite":
        return None
    connected, synchronous, hidden, required = session.driver.execute(_READ).fetchone()
    several = "," in str(session.connection.engine.url.query.get("host", ""))
    return Standbys(
        connected, None if hidden else synchronous, required, expected=required or several
    )
