"""Notices that nodes send to each other, for example that a match has changed in the store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeAlias, assert_never

import msgspec

from mastermind_server.monitoring.usage import Histogram

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NOTICES_PER_MESSAGE = 256  # of at most 30 bytes each: PostgreSQL takes 8,000 bytes
NOTIFY_SAMPLE_SECONDS = 10.0  # before a sampled notice counts as lost


class RowWritten(msgspec.Struct, frozen=True, gc=False):
    """The log of `match` has reached `version`."""

    match: str
    version: int


class MatchChanged(msgspec.Struct, frozen=True, gc=False):
    """The chat, the presence or the outages of `match` have changed."""

    match: str


class LogReplaced(msgspec.Struct, frozen=True, gc=False):
    """Rows in the log of `match` were replaced: nodes drop their copies of the match."""

    match: str


class ChallengeOpened(msgspec.Struct, frozen=True, gc=False):
    """The lobby `match` challenges a player."""

    match: str


class TokensRevoked(msgspec.Struct, frozen=True, gc=False):
    """Tokens of `player` were revoked."""

    player: str


class RenewalWanted(msgspec.Struct, frozen=True, gc=False):
    """Asks all other nodes to renew their leases."""


Notice: TypeAlias = (
    RowWritten | MatchChanged | LogReplaced | ChallengeOpened | TokensRevoked | RenewalWanted
)
"""A message to all nodes. Players are given by their ids.

A lost notice does no harm, because nodes also poll.
"""


def encode_notice(notice: Notice) -> str:
    """Return `notice` as text without blanks: a subject, and a colon and a number.

    The number is a version, or one of those in `decode_notice`.
    """
    match notice:
        case RowWritten(match, version):
            return f"{match}:{version}"
        case MatchChanged(match):
            return match
        case LogReplaced(match):
            return f"{match}:0"
        case TokensRevoked(player):
            return f"{player}:-1"
        case ChallengeOpened(match):
            return f"{match}:-4"
        case RenewalWanted():
            return ":-6"
        case _:
            assert_never(notice)


def decode_notice(text: str) -> Notice | None:
    """Return the notice in `text`, the result of `encode_notice`.

    Return None for a notice of a newer node, and for -2, -3 and -5, which older nodes send.
    """
    subject, colon, number = text.partition(":")
    if not colon:
        return MatchChanged(subject)
    match int(number):
        case version if version > 0:
            return RowWritten(subject, version)
        case 0:
            return LogReplaced(subject)
        case -1:
            return TokensRevoked(subject)
        case -4:
            return ChallengeOpened(subject)
        case -6:
            return RenewalWanted()
        case _:
            return None


def encode_notices(notices: Iterable[Notice]) -> list[str]:
    """Return the payloads of NOTIFY for `notices`. Equal notices are sent once."""
    words = list(dict.fromkeys(map(encode_notice, notices)))
    starts = range(0, len(words), NOTICES_PER_MESSAGE)
    return [" ".join(words[start : start + NOTICES_PER_MESSAGE]) for start in starts]


def decode_notices(text: str) -> list[Notice]:
    """Return the notices in `text`, a payload from `encode_notices`."""
    return [notice for word in text.split() if (notice := decode_notice(word)) is not None]


class NotifyLatency:
    """Measures the time from a commit until this node receives its notice.

    Only one notice is timed at a time. Threads call `start_timing`, and the event loop calls
    `stop_timing`. If both run at the same time, one measurement can be lost.
    """

    def __init__(self) -> None:
        self.delays = Histogram()
        self._pending: tuple[Notice, float] | None = None

    def start_timing(self, notices: Sequence[Notice]) -> None:
        """Start to time the last of the sent `notices`, unless an earlier notice is being timed."""
        now = time.monotonic()
        if notices and (self._pending is None or now - self._pending[1] > NOTIFY_SAMPLE_SECONDS):
            self._pending = notices[-1], now

    def stop_timing(self, notices: Sequence[Notice]) -> None:
        """Record the latency of the timed notice if the received `notices` contain it."""
        if (pending := self._pending) is not None and pending[0] in notices:
            self._pending = None
            self.delays.add(time.monotonic() - pending[1])
