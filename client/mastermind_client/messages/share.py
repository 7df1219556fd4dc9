"""A game as a picture of its marks, to be shown to others: it gives nothing of a code away."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.language import gettext as _
from mastermind_client.messages.players import find_name
from mastermind_protocol.events import RoundEnd

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_protocol.feedback import Feedback
    from mastermind_protocol.match import Match, Round
    from mastermind_protocol.rules import Rules


class Marks(NamedTuple):
    """The signs of a picture: for black, white and no key peg, and between two words."""

    black: str
    white: str
    none: str
    dot: str


MARKS = Marks("●", "○", "·", "·")
ASCII_MARKS = Marks("X", "o", ".", "-")


def share_match(match: Match, marks: Marks = MARKS) -> str:
    """Return the rounds of a match that are over as text, a block each with a blank line between.

    A block is the size of the game with the guesses it took, of the limit if there is one, X if the
    code stands; then a row of marks for each guess. Several rounds are told apart by who broke.
    """
    return "\n\n".join("\n".join(_list_round(match, each, marks)) for each in match.played)


def list_shared(match: Match, marks: Marks = MARKS) -> Iterator[str]:
    """Yield the same as lines, with none between the rounds."""
    for played in match.played:
        yield from _list_round(match, played, marks)


def _list_round(match: Match, played: Round, marks: Marks) -> Iterator[str]:
    yield head_round(match, played, marks)
    for turn in played.turns:
        yield draw_marks(turn.feedback, match.rules, marks)


def head_round(match: Match, played: Round, marks: Marks = MARKS) -> str:
    """Return the first line of a round's block: ``Mastermind 4x6 · 4/12``."""
    return f"{name_game(match.rules)} {marks.dot} {score_round(match, played)}"


def name_game(rules: Rules) -> str:
    """Return the name of the game with its size: ``Mastermind 4x6``."""
    return f"Mastermind {rules.pegs}x{rules.colours}"


def score_round(match: Match, played: Round) -> str:
    """Return the guesses that a round took, the limit, the breaker if several, and advice."""
    rules = match.rules
    score = str(len(played.turns)) if played.how is RoundEnd.BROKEN else "X"
    if rules.guesses is not None:
        score += f"/{rules.guesses}"
    if played.advised:
        score = _("{score}, with advice").format(score=score)
    if match.opened.rounds > 1:
        score = f"{find_name(match, played.breaker)} {score}"
    return score


def draw_marks(feedback: Feedback, rules: Rules, marks: Marks = MARKS) -> str:
    """Return the feedback to a guess as one mark a peg."""
    black, white = feedback
    none = rules.pegs - black - white
    return marks.black * black + marks.white * white + marks.none * none
