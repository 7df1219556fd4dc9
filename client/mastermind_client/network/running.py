"""A stored player: the file with the tokens for a server and the unfinished matches there.

The file records which of several players of one computer a match belongs to, and the last known
state of the match, without a request to a server.
"""

from __future__ import annotations

import logging
import re
import time
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from mastermind_client.config.options import JoinOptions
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mastermind_client.network.mirror import Mirror
    from mastermind_protocol.messages import OwnMatch

_LOG = logging.getLogger(__name__)
SUFFIX = ".json"  # of the file
TOKENS, MATCHES = OLD_SUFFIXES = ".token", ".running"  # of the two files of earlier clients
PLAYERS, OFFLINE_PLAYER = "identities", "offline"  # the folders of the files
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
MAX_STORED = 32  # matches of one player, more than are played at once


class WhoseTurn(StrEnum):
    """The player whose turn it is."""

    MINE = "mine"
    THEIRS = "theirs"
    NOBODY = "nobody"  # not known, as before a friend has joined


class UnfinishedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """The last known state of an unfinished match with a seat of the user.

    `opponent` is a name, empty while the other seat is free. `guess` is the number of the next
    guess, or 0 before the secret is set. `since` is the start of the present turn. `away` is the
    time at which the opponent lost the connection, or None. With a `clock` of days, `until` is the
    time when the player to move must have moved. Times are in seconds since 1970.
    """

    code: str
    rules: str
    opponent: str = ""
    bot: bool = False
    turn: WhoseTurn = WhoseTurn.NOBODY
    guess: int = 0
    since: float = 0.0
    away: float | None = None
    clock: str | None = None
    until: float | None = None


class StoredPlayer(msgspec.Struct, frozen=True):
    """The content of a player's file.

    The first of the `tokens` is the most recently used. There are several if different servers
    have run at one address. A `transferred` player is from another computer. `used` is the time of
    the last claim, in nanoseconds since 1970.
    """

    server: str
    name: str = ""
    tokens: tuple[str, ...] = ()
    transferred: bool = False
    used: int = 0
    matches: tuple[UnfinishedMatch, ...] = ()

    def find(self, code: str) -> UnfinishedMatch | None:
        """Return the stored match with this code, or None."""
        return next((match for match in self.matches if match.code == code), None)

    def seats(self, code: str, name: str | None) -> bool:
        """Return whether the player resumes a match under a name, or under none.

        An invitation is taken by a second player of this computer if the name differs.
        """
        match = self.find(code)
        return match is not None and (bool(match.opponent) or name in (None, self.name))

    def with_match(self, match: UnfinishedMatch) -> StoredPlayer:
        """Return a copy with a match added or replaced; the oldest are dropped."""
        others = self.without(match.code).matches
        return replace(self, matches=(*others, match)[-MAX_STORED:])

    def without(self, code: str) -> StoredPlayer:
        """Return a copy without a match."""
        kept = tuple(match for match in self.matches if match.code != code)
        return replace(self, matches=kept)


def read_own(own: OwnMatch) -> UnfinishedMatch:
    """Return a match of the list that a server has sent."""
    theirs = WhoseTurn.THEIRS if own.opponent is not None else WhoseTurn.NOBODY
    return UnfinishedMatch(
        code=own.match,
        rules=own.rules,
        opponent=own.opponent or "",
        bot=own.bot,
        turn=WhoseTurn.MINE if own.turn else theirs,
        guess=own.guesses + 1 if own.phase is Phase.BREAKING else 0,
        since=own.since / 1000,
        away=None if own.away is None else own.away / 1000,
        clock=own.clock,
        until=None if own.until is None else own.until / 1000,
    )


def read_file(path: Path) -> StoredPlayer | None:
    """Return the content of a file without invalid tokens; None if it is missing or broken.

    Raises OSError if the file cannot be read.
    """
    if not path.is_file():
        return None
    try:
        player = msgspec.json.decode(path.read_bytes(), type=StoredPlayer)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return replace(player, tokens=tuple(filter(_TOKEN.fullmatch, player.tokens)))


def read_player(path: Path, server: str) -> StoredPlayer:
    """Return the player of a file, or of its two files by an earlier client. Raises OSError."""
    if (player := read_file(path)) is not None:
        return player
    tokens, matches = (path.with_suffix(suffix) for suffix in OLD_SUFFIXES)
    player = read_file(matches) or StoredPlayer(server)
    used = matches.stat().st_mtime_ns if player.matches else 0
    lines = tokens.read_text("ascii", "replace").splitlines() if tokens.is_file() else []
    known = tuple(filter(_TOKEN.fullmatch, lines))
    return replace(player, tokens=known, transferred="transferred" in lines, used=used)


def list_players(*folders: Path) -> Iterator[tuple[Path, StoredPlayer]]:
    """Yield the files of the players with unfinished matches, and their contents."""
    for folder in folders:
        files = (*folder.glob(f"*{SUFFIX}"), *folder.glob(f"*{MATCHES}"))
        for path in sorted({file.with_suffix(SUFFIX) for file in files}):
            try:
                player = read_player(path, "")
            except OSError as error:
                _LOG.warning("%s cannot be read: %s", path, error)
            else:
                if player.matches:
                    yield path, player


class OwnSeat(NamedTuple):
    """A match to resume, with its server and the player's name there.

    It is as stored if the server was not `reached`.
    """

    server: str
    player: str
    match: UnfinishedMatch
    reached: bool = True

    @property
    def mine(self) -> bool:
        """Whether the server answers and waits for the player's move."""
        return self.reached and self.match.turn is WhoseTurn.MINE

    @property
    def options(self) -> JoinOptions:
        """The options that resume the match as its player."""
        return JoinOptions(self.match.code, self.server, self.player or None, own=True)


def list_seats(player: StoredPlayer, *, reached: bool = True) -> list[OwnSeat]:
    """Return the seats in the stored matches of a player."""
    return [OwnSeat(player.server, player.name, match, reached) for match in player.matches]


def sort_seats(seats: Iterable[OwnSeat]) -> list[OwnSeat]:
    """Return seats sorted: the player's turn first, then the newest."""
    return sorted(
        seats, key=lambda seat: (seat.match.turn is not WhoseTurn.MINE, -seat.match.since)
    )


def find_running(mirror: Mirror, me: str) -> UnfinishedMatch | None:
    """Return the state of a match for a player; None without a seat, or if it has ended.

    `since` is the time of this call: keep the first result until another one differs.
    """
    match, left = mirror.state, mirror.time_left
    opponent, mover = match.opponent_of(me), match.to_move
    if match.phase is Phase.FINISHED or match.seat_of(me) is None or me in match.departed:
        return None
    turn = (
        WhoseTurn.NOBODY
        if mover is None
        else WhoseTurn.MINE
        if mover.id == me
        else WhoseTurn.THEIRS
    )
    breaking = match.current is not None and match.phase is Phase.BREAKING
    return UnfinishedMatch(
        code=mirror.code,
        rules=match.rules.name,
        opponent=opponent.name if opponent is not None else "",
        bot=opponent is not None and opponent.is_bot,
        turn=turn,
        guess=len(match.current.turns) + 1 if breaking and match.current is not None else 0,
        since=time.time(),
        clock=match.opened.clock,
        until=None if left is None or match.has_live_clock else round(time.time() + left / 1000),
    )
