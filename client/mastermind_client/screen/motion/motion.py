"""What moves in a match, as a function of the seconds since it began.

The answer to a guess comes key peg by key peg; then, if the round is over, its code is turned over
tile by tile, and the row that cracked it lifts in a wave. Confetti falls for who has won the match.
A code that has been set is sealed tile by tile.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mastermind_protocol.events import MatchEnd, RoundEnd
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_protocol.match import Match, Round

KEY_SECONDS = 0.08  # a key peg
TURN_SECONDS = 0.12  # a tile that is turned over, or sealed
LIFT_SECONDS = 0.06  # a tile that is lifted
FALL_SECONDS = 1.4  # of the confetti: nothing moves for longer, as nobody is to wait for it


@dataclass(frozen=True, slots=True)
class Moment:
    """What is seen while something moves; by default all of it, at rest.

    So many key pegs of the last `answer` are there, so many tiles of the code are `opened` or
    `sealed`; the tile of the last guess with the index `lifted` shows no side. Confetti has been
    falling for `fallen` seconds.
    """

    answer: int | None = None
    opened: int | None = None
    sealed: int | None = None
    lifted: int | None = None
    fallen: float | None = None

    @property
    def answered(self) -> bool:
        """Whether the last answer is there, so that what came of it can be told."""
        return self.answer is None

    @property
    def revealed(self) -> bool:
        """Whether a code that is shown is open, so that it can be said to be the one sealed."""
        return self.answered and self.opened is None


AT_REST = Moment()


@dataclass(frozen=True, slots=True)
class Motion:
    """How long everything takes that moves, in seconds; what does not move takes none.

    The code is opened after the answer, the wave follows it, and the confetti falls beside both.
    """

    answer: float = 0.0
    opening: float = 0.0
    wave: float = 0.0
    confetti: float = 0.0
    sealing: float = 0.0

    @property
    def seconds(self) -> float:
        """How long it takes until all is at rest."""
        ending = max(self.opening + self.wave, self.confetti)
        return max(self.answer + ending, self.sealing)

    def find_moment(self, elapsed: float) -> Moment:
        """Return what is seen so many seconds after the beginning."""
        if elapsed < self.answer:
            covered = 0 if self.opening else None
            return Moment(answer=int(elapsed / KEY_SECONDS), opened=covered)
        if elapsed >= self.seconds:
            return AT_REST
        if self.sealing:
            return Moment(sealed=int(elapsed / TURN_SECONDS))
        since = elapsed - self.answer
        waved = since - self.opening
        return Moment(
            opened=int(since / TURN_SECONDS) if since < self.opening else None,
            lifted=int(waved / LIFT_SECONDS) if 0 <= waved < self.wave else None,
            fallen=since if since < self.confetti else None,
        )


def find_motion(before: Match, after: Match, me: str) -> Motion | None:
    """Return what moves when one state of a match follows another; None if no move was made.

    Only a single step takes time: of what was missed the outcome is seen at once. The player id
    `me` knows a code that is its own already, and has confetti for a match that it wins.
    """
    pegs = after.rules.pegs
    if before.phase is Phase.SETTING and after.phase is Phase.BREAKING:
        return Motion(sealing=pegs * TURN_SECONDS)
    if _count_moves(before) == _count_moves(after):
        return None
    over = len(after.played) == len(before.played) + 1
    shown = after.played[-1] if over else after.current
    if before.current is None or shown is None or not _follows(before.current, shown):
        return Motion()
    answered = len(shown.turns) > len(before.current.turns)
    return Motion(
        answer=pegs * KEY_SECONDS if answered else 0.0,
        opening=pegs * TURN_SECONDS if over and _turns_over(shown, me) else 0.0,
        wave=pegs * LIFT_SECONDS if over and shown.how is RoundEnd.BROKEN else 0.0,
        confetti=FALL_SECONDS if has_won(after, me) else 0.0,
    )


def has_won(match: Match, me: str) -> bool:
    """Tell whether the player id `me` has won a match at the board, and not by staying."""
    outcome = match.outcome
    return outcome is not None and outcome.how is MatchEnd.PLAYED and outcome.winner == me


def _count_moves(match: Match) -> tuple[int, int, bool]:
    """Return the rounds that are over, the guesses of this one, and whether the match is over."""
    guesses = len(match.current.turns) if match.current is not None else 0
    return len(match.played), guesses, match.outcome is not None


def _follows(before: Round, after: Round) -> bool:
    """Tell whether a round is the same one, with one guess more at most."""
    made = len(before.turns)
    return after.turns[:made] == before.turns and len(after.turns) <= made + 1


def _turns_over(played: Round, me: str) -> bool:
    return played.secret is not None and played.maker != me
