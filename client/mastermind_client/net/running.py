"""Our own matches that are not over: what is known of one, and the file that remembers them.

The file lies beside the token of the player whose seats they are. It tells which of several players
of one computer a match belongs to, and how it stood, before any server is asked.
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

SUFFIX = ".running"  # of the file, beside the token's
MAX_REMEMBERED = 32  # matches of one player: more than anybody plays at once; the oldest goes first


class WhoseTurn(StrEnum):
    """Who a running match waits for."""

    MINE = "mine"
    THEIRS = "theirs"
    NOBODY = "nobody"  # that we know: a friend who is still to come


class UnfinishedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """A match that we have a seat in, and that is not over, as it was known last.

    `opponent` is a name, empty while the other seat is free. `guess` is the number of the guess
    that is to be made, 0 while there is no secret yet. `since` is when it became somebody's turn,
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


class Remembered(msgspec.Struct, frozen=True):
    """What the file of a player says: on which server, by which name, and which matches."""

    server: str
    name: str = ""
    matches: tuple[UnfinishedMatch, ...] = ()

    def find(self, code: str) -> UnfinishedMatch | None:
        """Return the match with this code, if it is remembered."""
        return next((match for match in self.matches if match.code == code), None)

    def seats(self, code: str, name: str | None) -> bool:
        """Tell whether a match is theirs who asks for it by a name, or by none.

        An invitation is somebody else's where the name is another one: a second player of this
        computer takes it.
        """
        match = self.find(code)
        return match is not None and (bool(match.opponent) or name in (None, self.name))

    def with_match(self, match: UnfinishedMatch) -> Remembered:
        """Return it with a match as it stands now; the oldest ones give way."""
        others = self.without(match.code).matches
        return msgspec.structs.replace(self, matches=(*others, match)[-MAX_REMEMBERED:])

    def without(self, code: str) -> Remembered:
        """Return it without a match."""
        kept = tuple(match for match in self.matches if match.code != code)
        return msgspec.structs.replace(self, matches=kept)

    def write(self, path: Path) -> None:
        """Put it in place of what the file said before, at once. Raises OSError."""
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


def without_guesses(remembered: Remembered) -> Remembered:
    """Return it without the numbers of guesses, and the times since when they are awaited."""
    replace = msgspec.structs.replace
    matches = tuple(replace(match, guess=0, since=0.0) for match in remembered.matches)
    return replace(remembered, matches=matches)


def read_remembered(path: Path) -> Remembered | None:
    """Return what a file says; None if there is none, or it says nothing that can be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Remembered)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def list_remembered(folder: Path) -> dict[Path, Remembered]:
    """Return what the files in a folder say, those with matches to go on with, by their paths."""
    read = {path: read_remembered(path) for path in sorted(folder.glob(f"*{SUFFIX}"))}
    return {path: said for path, said in read.items() if said is not None and said.matches}


class OwnSeat(NamedTuple):
    """A match that we can go on with, and where, and by which name we are known there.

    It is as it was known last if not `reached`.
    """

    server: str
    player: str
    match: UnfinishedMatch
    reached: bool = True


def list_seats(said: Remembered, *, reached: bool = True) -> list[OwnSeat]:
    """Return the matches that somebody remembers."""
    return [OwnSeat(said.server, said.name, match, reached) for match in said.matches]


def list_known(folders: Iterable[Path]) -> dict[Path, list[OwnSeat]]:
    """Return the matches of all players, by their tokens: the files' word, which may be old."""
    return {
        path.with_suffix(".token"): list_seats(said)
        for folder in folders
        for path, said in list_remembered(folder).items()
    }


def sort_seats(seats: Iterable[OwnSeat]) -> list[OwnSeat]:
    """Return those first in which it is our turn, then the newest first."""
    return sorted(
        seats, key=lambda seat: (seat.match.turn is not WhoseTurn.MINE, -seat.match.since)
    )


def find_running(code: str, match: Match, me: str) -> UnfinishedMatch | None:
    """Return how a match stands for the player with this id; None without a seat, or if it is over.

    It becomes somebody's turn when this is asked: keep the result until another one differs.
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
