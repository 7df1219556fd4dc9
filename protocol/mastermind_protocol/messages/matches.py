"""Followed matches: their log, its new rows, the players' presence, and the chat."""

from __future__ import annotations

from typing import Annotated

import msgspec

from mastermind_protocol.chat import ChatLine
from mastermind_protocol.events import AnyEvent, Guessed, MatchCode, PlayerId, Rounds
from mastermind_protocol.match import Phase
from mastermind_protocol.messages.base import ServerMessage
from mastermind_protocol.requests import Number, RequestId, Version

MAX_ROWS = 64  # in one log message, which keeps it below 16 KiB
MAX_SNAPSHOT_GUESSES = 8  # in one message: enough for a small picture of a match

Epoch = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]


class Row(msgspec.Struct, frozen=True, array_like=True):
    """One row of the log of a match: its version, and the events of one command.

    `at` is the time since the first row of the match, in milliseconds; 0 without a clock.
    """

    v: Version
    events: tuple[AnyEvent, ...]
    at: Number = 0


class Absent(msgspec.Struct, frozen=True):
    """A disconnected seated player, and the `seconds` since the player disconnected."""

    player: PlayerId
    seconds: Number


class Log(ServerMessage, frozen=True, tag="log"):
    """Answer to `open`, `seek`, `join`, `follow` and `rematch`: the log of the match.

    `present` are the ids of the seated players who follow the match. `absent` are the seated people
    and programs who neither follow nor have left the match. `spectators` is the number of followers
    without a seat. With `more` the log continues: the client must `follow` again from the version
    of the last row, and receives no new rows before that. `now` is the time since the first row, in
    milliseconds, for the display of the running clock. `epoch` identifies the history of the
    server's store: versions of different epochs may be different rows.
    """

    id: RequestId
    match: MatchCode
    rows: tuple[Row, ...]
    present: tuple[PlayerId, ...] = ()
    absent: tuple[Absent, ...] = ()
    spectators: Number = 0
    more: bool = False
    now: Number = 0
    epoch: Epoch | None = None


class Snapshot(ServerMessage, frozen=True, tag="snapshot"):
    """Answer to `snapshot`: the running round or, after the match, the last one.

    `guesses` is the number of guesses in round number `round`. `turns` has the last
    MAX_SNAPSHOT_GUESSES of them.
    """

    id: RequestId
    match: MatchCode
    phase: Phase
    round: Rounds
    guesses: Number = 0
    turns: tuple[Guessed, ...] = ()


class Happened(ServerMessage, frozen=True, tag="event"):
    """A new row of a followed match. The answer to a command has the `id` of its request.

    `at` is the time since the first row of the match, in milliseconds; 0 without a clock.
    """

    match: MatchCode
    v: Version
    events: tuple[AnyEvent, ...]
    id: RequestId | None = None
    at: Number = 0


class Presence(ServerMessage, frozen=True, tag="presence"):
    """A seated `player` has started or stopped following the match.

    `here` is false if the player now follows the match on no connection.
    """

    match: MatchCode
    player: PlayerId
    here: bool


class Spectators(ServerMessage, frozen=True, tag="spectators"):
    """The number of players without a seat that follow the match."""

    match: MatchCode
    count: Number


class Said(ServerMessage, frozen=True, tag="said"):
    """A new chat line of a followed match. The answer to `say` has the `id` of its request."""

    match: MatchCode
    line: ChatLine
    id: RequestId | None = None


class Chat(ServerMessage, frozen=True, tag="chat"):
    """Earlier chat lines, sent after a log or when lines of spectators become readable."""

    match: MatchCode
    lines: tuple[ChatLine, ...]
