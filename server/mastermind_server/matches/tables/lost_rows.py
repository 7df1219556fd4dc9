"""Counts and logs the rows in memory that the store has lost."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from mastermind_server.monitoring.logs import with_context

if TYPE_CHECKING:
    from mastermind_server.matches.tables.match_log import MatchLog

_LOG = logging.getLogger(__name__)
MATCHES_LOGGED = 50  # with a line each: the limit `log_lines` has room for 100 a second


class LostRows:
    """The rows of the tables that were compared with the store in one epoch.

    `disconnected` is the number of clients that were disconnected from tables with lost rows.
    """

    def __init__(self) -> None:
        self._rows = self._matches = self._lost_rows = self._lost_matches = 0
        self.disconnected = 0

    def add(self, log: MatchLog, kept: int) -> None:
        """Count the rows of a match, and log the rows that are missing after the row `kept`."""
        self._matches += 1
        self._rows += log.version
        if lost := log.version - kept:
            self._lost_rows += lost
            self._lost_matches += 1
            if self._lost_matches <= MATCHES_LOGGED:
                with_context(_LOG, match=log.code).warning(
                    "the store has lost its rows %d to %d", kept + 1, log.version
                )

    def log_total(self) -> None:
        """Log the counts."""
        if self._lost_rows:
            _LOG.warning(
                "the store has lost %d of %d rows in memory, of %d of %d matches",
                *(self._lost_rows, self._rows, self._lost_matches, self._matches),
            )
        else:
            _LOG.warning("the store has lost none of %d rows in memory", self._rows)
