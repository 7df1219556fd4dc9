"""The unfinished matches of the user, as they are stored, and the seats in them."""

from __future__ import annotations

import time
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from mastermind_client.config.options import JoinOptions
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mastermind_client.network.mirror import Mirror
    from mastermind_protocol.messages import Challenged, OwnMatch


class WhoseTurn(StrEnum):
    """Whose turn it is: the user's, the opponent's, or nobody's, as before a friend has joined."""

    MINE = "mine"
    THEIRS = "theirs"
    NOBODY = "nobody"


class UnfinishedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """The last known state of an unfinished match with a seat of the user.

    `opponent` is a name, empty while the other seat is free. `bot` is whether the opponent is a
    bot. `guess` is the number of the next guess, or 0 before the secret is set. `since` is the
    start of the present turn. `away` is the time at which the opponent disconnected, or None.
    `until` is the deadline of the present turn by the `clock`, or None if it is unknown; with
    `live` it counts in seconds, not days. Times are in seconds since 1970.
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
    live: bool = False


def to_unfinished_match(own: OwnMatch) -> UnfinishedMatch:
    """Return the stored form of a match in a server's list of our matches."""
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
        until=_find_deadline(own),
        live=own.left is not None,
    )


def _find_deadline(own: OwnMatch) -> float | None:
    """Return the deadline of the present turn in seconds since 1970, or None if it is unknown."""
    if own.left is not None:
        return round(time.time() + own.left / 1000)
    return None if own.until is None else own.until / 1000


def to_offered_match(offered: Challenged) -> UnfinishedMatch:
    """Return the stored form of a rematch that an opponent offers."""
    return UnfinishedMatch(
        code=offered.match,
        rules=offered.rules,
        opponent=offered.by.name,
        turn=WhoseTurn.MINE,
        since=time.time(),
        clock=offered.clock,
    )


class OwnSeat(NamedTuple):
    """A match to resume, with its server and the player's name on this server.

    If `from_server`, the server has sent the state of the match. Otherwise it is the stored state.
    """

    server: str
    player: str
    match: UnfinishedMatch
    from_server: bool = True

    @property
    def is_my_turn(self) -> bool:
        """Whether the server was reached, and it is the player's turn."""
        return self.from_server and self.match.turn is WhoseTurn.MINE

    @property
    def options(self) -> JoinOptions:
        """The options that resume the match as its player."""
        return JoinOptions(self.match.code, self.server, self.player or None, own=True)


def sort_seats(seats: Iterable[OwnSeat]) -> list[OwnSeat]:
    """Return the seats sorted: first those with WhoseTurn.MINE.

    In both groups the seat with the latest turn is first.
    """
    return sorted(
        seats, key=lambda seat: (seat.match.turn is not WhoseTurn.MINE, -seat.match.since)
    )


def find_unfinished(mirror: Mirror, me: str) -> UnfinishedMatch | None:
    """Return the stored form of a match for the player id `me`.

    Returns None if the player has no seat, or if the match has ended or is lost. A try at the code
    of a day is not stored either: the day names it. The field `since` of the result is the time of
    this call.
    """
    match, left = mirror.state, mirror.time_left
    opponent, mover = match.opponent_of(me), match.to_move
    if match.phase is Phase.FINISHED or match.seat_of(me) is None or me in match.departed:
        return None
    if mirror.lost is not None or match.is_entry:
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
