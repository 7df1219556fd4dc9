"""Databases of attacked servers: copies of one with long matches, archives and a leaderboard."""

from __future__ import annotations

import shutil
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from campaigns.attacks.history import RANKED, RANKED_RULES, store_archives, write_history
from kit.processes import Server, serving
from kit.rated import store_ranked
from mastermind_server.storage.store import SessionMode, open_session

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from kit.postgres import Databases

_NAME = "matches.sqlite3"  # in a server's folder


class AttackedDatabases:
    """Makes the databases when they are first needed, in a folder and on a PostgreSQL server."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / _NAME
        self._databases: Databases | None = None
        self._template = ""  # the name of a PostgreSQL database
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._stack.close()

    async def copy(self, folder: Path, *, postgresql: bool) -> str:
        """Return the option of a server for a new database. A file is in `folder`."""
        if postgresql:
            return f"--store={self._copy_postgresql()}"
        if not self._file.exists():
            async with serving(Server.on(f"--database={self._file}", folder / "log")):
                pass
            write_history(self._file)
            _fill(self._file)
        return f"--database={shutil.copy(self._file, folder)}"

    def _copy_postgresql(self) -> str:
        from kit.postgres import NONE, find_databases  # late: psycopg is an extra
        from mastermind_server.storage.engines.postgresql import migrate_database

        if self._databases is None:
            self._databases = self._stack.enter_context(find_databases())
            assert self._databases is not None, NONE
            url = self._databases.make()
            migrate_database(url)
            _fill(url)
            self._template = url.partition("?")[0].rpartition("/")[2]
        return self._databases.make(template=self._template)


def _fill(place: Path | str) -> None:
    with open_session(place, SessionMode.WRITE) as session:
        store_ranked(session, RANKED_RULES, RANKED, int(time.time() * 1000))
        store_archives(session)
