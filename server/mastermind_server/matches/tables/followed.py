"""Limits on the matches followed from one address. Followed matches stay in memory."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mastermind_protocol.errors import Reason
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_server.limits import Limiter
    from mastermind_server.matches.tables.match_log import MatchLog

MATCHES_COUNTED_PER_FOLLOW = 16  # logs that a new follow reads on average: 0.02 ms


class FollowedMatches:
    """The matches that clients follow on this node, by the address of the client.

    A match that several connections of an address follow counts once. Running matches of two bots
    have a limit of their own, because their bots use the processor while a client follows them.
    """

    def __init__(self) -> None:
        self._by_address: dict[str, _AddressMatches] = {}

    def add(self, address: str, log: MatchLog) -> None:
        """Count a connection of `address` that follows a match."""
        self._by_address.setdefault(address, _AddressMatches()).add(log)

    def remove(self, address: str, log: MatchLog) -> None:
        """Stop counting a connection of `address` that followed a match."""
        matches = self._by_address[address]
        matches.remove(log)
        if not matches.logs:
            del self._by_address[address]

    def check_limits(self, address: str, limiter: Limiter, log: MatchLog | None = None) -> None:
        """Raise Refused if one more followed match would exceed a limit of `address`.

        `log` is the log of the match to follow, or None if the match is not in memory.
        """
        matches = self._by_address.get(address) or _AddressMatches()
        if log not in matches.logs:
            matches.update_totals_if_due()
            limiter.check_count(
                "rows_followed_of_address", matches.rows, Reason.ADDRESS_FOLLOWS_MUCH
            )
            if log is not None and _is_running_bot_match(log):
                limiter.check_count(
                    "bot_matches_of_address", matches.bot_matches, Reason.ADDRESS_HAS_SHOWS
                )

    def check_bot_match_limit(self, address: str, limiter: Limiter) -> None:
        """Raise Refused if one more match of two bots would exceed the limit of `address`."""
        matches = self._by_address.get(address) or _AddressMatches()
        matches.update_totals_if_due()
        limiter.check_count("bot_matches_of_address", matches.bot_matches, Reason.ADDRESS_HAS_SHOWS)


class _AddressMatches:
    """The logs that one address follows, with the number of connections that follow each.

    `rows` is the number of rows of these logs. `bot_matches` is the number of running matches of
    two bots. Both are outdated after a log has grown, or a match has ended or was removed, until
    `update_totals_if_due` counts them again.
    """

    __slots__ = ("_calls_since_count", "bot_matches", "logs", "rows")

    def __init__(self) -> None:
        self.logs: Counter[MatchLog] = Counter()
        self.rows = self.bot_matches = self._calls_since_count = 0

    def add(self, log: MatchLog) -> None:
        if log not in self.logs:
            self.rows += log.version
            self.bot_matches += _is_running_bot_match(log)
        self.logs[log] += 1

    def remove(self, log: MatchLog) -> None:
        self.logs[log] -= 1
        if not self.logs[log]:
            del self.logs[log]

    def update_totals_if_due(self) -> None:
        """Count `rows` and `bot_matches` again if enough calls were made since the last count.

        A count reads all n logs, so there is only one count per n / MATCHES_COUNTED_PER_FOLLOW
        calls.
        """
        self._calls_since_count += 1
        if self._calls_since_count * MATCHES_COUNTED_PER_FOLLOW >= len(self.logs):
            self._calls_since_count = 0
            self.rows = sum(log.version for log in self.logs)
            self.bot_matches = sum(map(_is_running_bot_match, self.logs))


def _is_running_bot_match(log: MatchLog) -> bool:
    return log.state.phase is not Phase.FINISHED and log.state.is_bots_only
