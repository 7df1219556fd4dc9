"""Notices that nodes send to each other, for example that a match has changed in the store."""

from __future__ import annotations

import asyncio
import time
from base64 import b64decode, b64encode
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias, assert_never

import msgspec

from mastermind_protocol.events import find_part
from mastermind_server.monitoring.usage import Histogram
from mastermind_server.storage.rows import LogRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

MESSAGE_BYTES = 7_900  # of notices: PostgreSQL takes less than 8,000
NOTIFY_SAMPLE_SECONDS = 10.0  # before a sampled notice counts as lost


class RowWritten(msgspec.Struct, frozen=True, gc=False):
    """The log of `match` has reached `version`."""

    match: str
    version: int


class RowCopied(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A copy of a guess that was stored in `epoch`, which saves a query. Its RowWritten follows.

    Guesses at an adaptive codemaker, which name a secret, are not copied: NOTIFY and LISTEN need no
    privilege.
    """

    row: LogRow
    epoch: str


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
    RowWritten
    | RowCopied
    | MatchChanged
    | LogReplaced
    | ChallengeOpened
    | TokensRevoked
    | RenewalWanted
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
        case RowCopied():
            return f"{b64encode(msgspec.msgpack.encode(notice)).decode()}:-7"
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
        case -7:
            with suppress(ValueError):  # of a newer node, whose rows have more columns
                return _copies.decode(b64decode(subject))
            return None
        case _:
            return None


def encode_notices(notices: Iterable[Notice]) -> list[tuple[str, str]]:
    """Return pairs of a part of the matches and a payload of NOTIFY, for the nodes that follow it.

    The part is "" for all nodes. Equal notices are sent once.
    """
    words: dict[str, dict[str, None]] = {}
    for notice in notices:
        words.setdefault(_find_part(notice), {})[encode_notice(notice)] = None
    return [(part, text) for part, found in words.items() for text in _join(found)]


def _find_part(notice: Notice) -> str:
    match notice:
        case RowWritten(match) | MatchChanged(match) | RowCopied(LogRow(match)):
            return find_part(match)
    return ""


def _join(words: Iterable[str]) -> list[str]:
    """Return `words` joined by blanks, in texts of at most MESSAGE_BYTES."""
    texts = [""]
    for word in words:
        if texts[-1] and len(texts[-1]) + len(word) >= MESSAGE_BYTES:
            texts.append("")
        texts[-1] += f" {word}" if texts[-1] else word
    return texts


def decode_notices(text: str) -> list[Notice]:
    """Return the notices in `text`, a payload from `encode_notices`."""
    return [notice for word in text.split() if (notice := decode_notice(word)) is not None]


_copies = msgspec.msgpack.Decoder(RowCopied)


class Interests:
    """The parts of the matches whose notices this node receives, from the use of their tables.

    `wanted` are the parts. `changed` is set after a change of it, until `take`. `watcher` is called
    with new parts when their notices arrive: earlier ones may be missing.
    """

    def __init__(self) -> None:
        self.wanted: set[str] = set()
        self.changed = asyncio.Event()
        self.watcher: Callable[[set[str]], None] = lambda _: None

    def add(self, match: str) -> None:
        """Add the part of a match."""
        self.wanted.add(find_part(match))
        self.changed.set()

    def keep(self, matches: Iterable[str]) -> None:
        """Drop the parts without any of the `matches`."""
        self.wanted &= set(map(find_part, matches))
        self.changed.set()

    def take(self) -> set[str]:
        """Return the present parts, and reset `changed`."""
        self.changed.clear()
        return set(self.wanted)

    def report(self, parts: set[str]) -> None:
        """Call `watcher` with the new parts whose notices arrive from now on."""
        self.watcher(parts)


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
