"""A player's unfinished matches, and the file that stores them.

The file is next to the player's token file. It records which of several players of one computer a
match belongs to, and its last known state, without a request to a server.
"""

from __future__ import annotations

import os
import time
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from mastermind_protocol.match import Match
    from mastermind_protocol.messages import OwnMatch

SUFFIX = ".running"  # of the file
MAX_STORED = 32  # matches of one player, more than are played at once


class WhoseTurn(StrEnum):
    """The player whose turn it is."""

    MINE = "mine"
    THEIRS = "theirs"
    NOBODY = "nobody"  # not known, as before a friend has joined


class UnfinishedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """The last known state of an unfinished match with a seat of the user.

    `opponent` is a name, empty while the other seat is free. `guess` is the number of the guess
    to make next, 0 without a secret. `since` is the start of the present turn,
    and `away` when the opponent's connection was lost, if it is; both in seconds since 1970.
    """

    code: str
    rules: str
    opponent: str = ""
    bot: bool = False
    turn: WhoseTurn = WhoseTurn.NOBODY
    guess: int = 0
    since: float = 0.0
    away: float | None = None


class StoredMatches(msgspec.Struct, frozen=True):
    """The content of a player's file: the server, the name and the matches."""

    server: str
    name: str = ""
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

    def with_match(self, match: UnfinishedMatch) -> StoredMatches:
        """Return a copy with a match added or replaced; the oldest are dropped."""
        others = self.without(match.code).matches
        return msgspec.structs.replace(self, matches=(*others, match)[-MAX_STORED:])

    def without(self, code: str) -> StoredMatches:
        """Return a copy without a match."""
        kept = tuple(match for match in self.matches if match.code != code)
        return msgspec.structs.replace(self, matches=kept)

    def write(self, path: Path) -> None:
        """Replace the file. Raises OSError."""
        unfinished = path.with_suffix(f"{path.suffix}-new")
        unfinished.unlink(missing_ok=True)
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode=0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.encode(self))
        unfinished.replace(path)


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
    )


def clear_guesses(stored: StoredMatches) -> StoredMatches:
    """Return a copy without guess numbers and the times since when guesses are awaited."""
    replace = msgspec.structs.replace
    matches = tuple(replace(match, guess=0, since=0.0) for match in stored.matches)
    return replace(stored, matches=matches)


def read_stored(path: Path) -> StoredMatches | None:
    """Return the content of a file; None if it is missing or broken."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=StoredMatches)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def list_stored(folder: Path) -> dict[Path, StoredMatches]:
    """Return the contents of the files in a folder that have matches, by path."""
    read = {path: read_stored(path) for path in sorted(folder.glob(f"*{SUFFIX}"))}
    return {path: stored for path, stored in read.items() if stored is not None and stored.matches}


class OwnSeat(NamedTuple):
    """A match to resume, with its server and the player's name there.

    It is as stored if the server was not `reached`.
    """

    server: str
    player: str
    match: UnfinishedMatch
    reached: bool = True


def list_seats(stored: StoredMatches, *, reached: bool = True) -> list[OwnSeat]:
    """Return the seats in the stored matches of a player."""
    return [OwnSeat(stored.server, stored.name, match, reached) for match in stored.matches]


def list_known(folders: Iterable[Path]) -> dict[Path, list[OwnSeat]]:
    """Return the stored matches of all players, by their token files."""
    return {
        path.with_suffix(".token"): list_seats(stored)
        for folder in folders
        for path, stored in list_stored(folder).items()
    }


def sort_seats(seats: Iterable[OwnSeat]) -> list[OwnSeat]:
    """Return seats sorted: the player's turn first, then the newest."""
    return sorted(
        seats, key=lambda seat: (seat.match.turn is not WhoseTurn.MINE, -seat.match.since)
    )


def find_running(code: str, match: Match, me: str) -> UnfinishedMatch | None:
    """Return the state of a match for a player; None without a seat, or if it has ended.

    `since` is the time of this call: keep the first result until another one differs.
    """
    opponent, mover = match.opponent_of(me), match.to_move
    if match.phase is Phase.FINISHED or match.seat_of(me) is None or me in match.left:
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
        code=code,
        rules=match.rules.name,
        opponent=opponent.name if opponent is not None else "",
        bot=opponent is not None and opponent.is_bot,
        turn=turn,
        guess=len(match.current.turns) + 1 if breaking and match.current is not None else 0,
        since=time.time(),
    )
