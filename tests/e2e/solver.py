"""A player who knows nothing but what is on the screen: reads the board, and breaks the code."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from typing import Final

from e2e.screen import Terminal
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.rules import DEFAULT

LETTERS: Final = "".join(colour[0].upper() for colour in DEFAULT.palette)
_BETWEEN: Final = r"[^\w●○·\n]"  # what tiles of every size, with colours and without, are made of
_TURN: Final = re.compile(
    rf"(?m)^[ │►↑]*(\d\d?){f'{_BETWEEN}*([A-Z])' * DEFAULT.pegs}{_BETWEEN}*"
    r"((?:[●○·] ?)+) +[^\d\n│]*(\d)[^\d\n│]+(\d)"
)


def read_turns(terminal: Terminal) -> dict[int, tuple[str, Feedback]]:
    """Return the guesses in sight, as letters, with their feedback, by their numbers.

    A row whose key pegs are not what its words say is only half there yet.
    """
    turns = {}
    for number, *pegs, keys, blacks, whites in _TURN.findall(terminal.text):
        feedback = Feedback(keys.count("●"), keys.count("○"))
        if feedback == Feedback(int(blacks), int(whites)):
            turns[int(number)] = ("".join(pegs), feedback)
    return turns


def count_turns(terminal: Terminal) -> int:
    """Return the number of the last guess on the board."""
    return max(read_turns(terminal), default=0)


def until_guessed(terminal: Terminal, number: int) -> None:
    """Wait until so many guesses have been made."""
    terminal.wait(lambda: count_turns(terminal) == number, f"there never were {number} guesses")


def find_code(turns: Sequence[tuple[str, Feedback]]) -> str:
    """Return the first code, in letters, that agrees with all feedback; RRGG to begin with."""
    if not turns:
        return "RRGG"
    codes = map("".join, itertools.product(LETTERS, repeat=DEFAULT.pegs))
    return next(code for code in codes if all(_fits(code, *turn) for turn in turns))


def break_code(terminal: Terminal, enter: Callable[[str], None]) -> tuple[str, int]:
    """Play a round by the default rules to its end; `enter` gives a guess in.

    Returns the code, and the number of guesses. Those scrolled out of sight are remembered.
    """
    turns = read_turns(terminal)
    while True:
        code = find_code(list(turns.values()))
        enter(code)
        number = len(turns) + 1
        until_guessed(terminal, number)
        turns |= read_turns(terminal)
        if turns[number][1].black == DEFAULT.pegs:
            return code, number


def _fits(code: str, guess: str, feedback: Feedback) -> bool:
    return score(_find_pegs(code), _find_pegs(guess)) == feedback


def _find_pegs(code: str) -> tuple[int, ...]:
    return tuple(map(LETTERS.index, code))
