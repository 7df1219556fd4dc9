"""A codebreaker that knows only the screen: it reads the board and breaks the code."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from typing import Final

from e2e.screen import Terminal
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.rules import DEFAULT

LETTERS: Final = "".join(colour[0].upper() for colour in DEFAULT.palette)
_BETWEEN: Final = r"[^\w●○·\n]"  # characters of tiles of every size, with and without colours
_TURN: Final = re.compile(
    rf"(?m)^[ │►↑]*(\d\d?){f'{_BETWEEN}*([A-Z])' * DEFAULT.pegs}{_BETWEEN}*"
    r"((?:[●○·] ?)+) +[^\d\n│]*(\d)[^\d\n│]+(\d)"
)


def read_turns(terminal: Terminal) -> dict[int, tuple[str, Feedback]]:
    """Return the visible guesses, as letters, and their feedback, by guess number.

    A row whose key pegs and words differ is only partly drawn, and is left out.
    """
    turns = {}
    for number, *pegs, keys, blacks, whites in _TURN.findall(terminal.text):
        feedback = Feedback(keys.count("●"), keys.count("○"))
        if feedback == Feedback(int(blacks), int(whites)):
            turns[int(number)] = ("".join(pegs), feedback)
    return turns


def count_turns(terminal: Terminal) -> int:
    """Return the number of the last visible guess, 0 without one."""
    return max(read_turns(terminal), default=0)


def until_guessed(terminal: Terminal, number: int) -> None:
    """Wait until the last visible guess is number `number`."""
    terminal.wait(lambda: count_turns(terminal) == number, f"there never were {number} guesses")


def find_code(turns: Sequence[tuple[str, Feedback]]) -> str:
    """Return the first code, in letters, consistent with all feedback; RRGG without feedback."""
    if not turns:
        return "RRGG"
    codes = map("".join, itertools.product(LETTERS, repeat=DEFAULT.pegs))
    return next(code for code in codes if all(_fits(code, *turn) for turn in turns))


def break_code(terminal: Terminal, enter: Callable[[str], None]) -> tuple[str, int]:
    """Play a round by the default rules to its end, entering each guess with `enter`.

    Returns the code and the number of guesses. Remembers guesses that scroll off the screen.
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
