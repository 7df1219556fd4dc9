"""Engines of SQLAlchemy for PostgreSQL: the settings of each connection, and no poolers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from mastermind_server.storage.engines.database import DatabaseUnusable
from mastermind_server.storage.engines.store_url import read_store_url

if TYPE_CHECKING:
    from psycopg import AsyncConnection, Connection
    from psycopg.rows import TupleRow

DIALECT: sa.Dialect = PGDialect_psycopg(paramstyle="format")  # type: ignore[no-untyped-call]
CONNECT_TIMEOUT_SECONDS = 3  # until connecting fails, and with it the group of jobs
LOST_MACHINE_SECONDS = 5  # without an answer of its network, until a connection is lost
LOCK_TIMEOUT_SECONDS = (
    2.0  # until a wait for another node's lock fails; a commit takes milliseconds
)
IDLE_TRANSACTION_SECONDS = 2.0  # until the database rolls back an idle transaction
_NO_URL = "that is no URL of a database: postgresql://..."
POOLER_ADVICE = (
    "poolers such as pgbouncer are not supported, because they lose settings, notifications and"
    " prepared statements: name the host and port of PostgreSQL itself"
)


class Hosts:
    """The hosts of a URL, each with its port, in the order in which connections try them.

    `first` is the host of the newest connection. A host whose connection failed comes last: it may
    be a primary that is cut off, which accepts connections, but whose commits wait for the standby
    that was promoted. Threads share an instance.
    """

    def __init__(self, url: sa.URL) -> None:
        _, parameters = DIALECT.create_connect_args(url)
        names, ports = (str(parameters.get(key, "")).split(",") for key in ("host", "port"))
        self._order = list(zip(names, ports, strict=True))

    @property
    def first(self) -> tuple[str, str]:
        """The host that is tried first."""
        return self._order[0]

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters of a connection; empty for one host, which may have a default port."""
        names, ports = zip(*self._order, strict=True)
        return {"host": ",".join(names), "port": ",".join(ports)} if len(names) > 1 else {}

    def prefer(self, host: tuple[str, str]) -> None:
        """Try `host` first."""
        self._order = sorted(self._order, key=lambda each: each != host)

    def postpone(self, host: tuple[str, str]) -> None:
        """Try `host` last."""
        self._order = sorted(self._order, key=lambda each: each == host)


def find_host(driver: Connection[Any] | AsyncConnection[Any]) -> tuple[str, str]:
    """Return the host and the port of a connection, which must not be closed."""
    return driver.info.host, str(driver.info.port)


def make_engine(url: str, *, timeouts: bool = True) -> sa.Engine:
    """Return an engine for a postgresql:// URL. Raises DatabaseUnusable for an invalid URL.

    With `timeouts`, lock waits fail after LOCK_TIMEOUT_SECONDS, and idle transactions are rolled
    back after IDLE_TRANSACTION_SECONDS.
    """
    try:
        parsed = read_store_url(url).set(drivername="postgresql+psycopg")
    except ValueError as error:
        raise DatabaseUnusable(_NO_URL) from error
    engine = sa.create_engine(
        parsed,
        hide_parameters=True,  # of failed statements, in the log
        poolclass=sa.pool.NullPool,
        pool_reset_on_return=None,  # a broken connection cannot be reset
        isolation_level="AUTOCOMMIT",
        connect_args=build_parameters(parsed, timeouts=timeouts),
    )
    sa.event.listen(engine, "connect", _reject_pooler)
    return engine


def _reject_pooler(driver: Connection[TupleRow], _record: object) -> None:
    """Close a connection to a pooler and raise NotSupportedError.

    PostgreSQL sends the id of its process when a client connects. A pooler sends a number of its
    own instead, because the client will not have one process to itself.
    """
    import psycopg  # late: an extra, whose absence the module `postgresql` reports

    if driver.execute("SELECT pg_backend_pid()").fetchone() != (driver.info.backend_pid,):
        driver.close()
        raise psycopg.NotSupportedError(f"a connection pooler answers; {POOLER_ADVICE}")


def build_parameters(url: sa.URL, *, timeouts: bool) -> dict[str, Any]:
    """Return psycopg's parameters for a URL. For `timeouts` see `make_engine`."""
    _, parameters = DIALECT.create_connect_args(url)
    return {
        "keepalives_idle": LOST_MACHINE_SECONDS,
        "keepalives_interval": 1,
        "tcp_user_timeout": LOST_MACHINE_SECONDS * 1000,
        **parameters,
        "connect_timeout": CONNECT_TIMEOUT_SECONDS,
        "application_name": "mastermind",
        "options": f"{url.query.get('options', '')} {_build_options(timeouts=timeouts)}",
    }


def _build_options(*, timeouts: bool) -> str:
    """Return settings of PostgreSQL for a connection, which override the database's defaults.

    A commit waits until its data is on disk. With `timeouts`, the transaction of a node that lost
    its network ends soon, so that other nodes can write to the same matches.
    """
    lock, transaction = (LOCK_TIMEOUT_SECONDS, IDLE_TRANSACTION_SECONDS) if timeouts else (0, 0)
    settings = {
        "synchronous_commit": "on",
        "default_transaction_isolation": r"read\ committed",
        "lock_timeout": f"{lock * 1000:.0f}",
        "idle_in_transaction_session_timeout": f"{transaction * 1000:.0f}",
    }
    return " ".join(f"-c {name}={value}" for name, value in settings.items())
