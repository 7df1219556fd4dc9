"""The scenes of the helper and of puzzles. Their games are those of the drawings and of Knuth."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kit.matches import pegs
from kit.screen.scenes import ADA, Scene, answer
from kit.screen.scripted import settle
from mastermind_client.config.options import OFFLINE, PuzzleOptions, SolveOptions
from mastermind_client.screen.pages.solving.page import SolveScreen
from mastermind_client.screen.pages.solving.puzzle import PuzzleScreen
from mastermind_client.screen.pages.solving.setup import PuzzleForm, SolveForm
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn

if TYPE_CHECKING:
    from mastermind_client.screen.app import App
    from mastermind_client.screen.screen import Screen

DRAWN = (Turn(pegs("1122"), Feedback(0, 2)), Turn(pegs("2344"), Feedback(1, 1)))
WRONG = (*DRAWN, Turn(pegs("2541"), Feedback(0, 0)))
SECRET, GUESSES = pegs("3632"), ("1122", "1344", "3526", "1462")
PUZZLE = tuple(Turn(pegs(guess), score(SECRET, pegs(guess))) for guess in GUESSES)
PUZZLE_OPTIONS = PuzzleOptions(level=2, seed=8812)


def helper(app: App, turns: tuple[Turn, ...] = (), bot: str | None = None) -> Screen:
    """Return the helper with these turns, and with a bot that guesses, if one is named."""
    return SolveScreen(app, SolveOptions(turns=turns, bot=bot))


def puzzle(app: App, options: PuzzleOptions = PUZZLE_OPTIONS) -> Screen:
    """Return the page of a puzzle. The scenes share a record, in which each puzzle counts once."""
    screen = PuzzleScreen(app, options)
    screen.pose(PUZZLE)
    return screen


def helper_form(app: App) -> Screen:
    """Return the form of the helper for a code in the user's head."""
    settle(app, OFFLINE, ADA, answer)
    return SolveForm(app, SolveOptions(bot="hard"), lambda _options: None)


def puzzle_form(app: App) -> Screen:
    """Return the form of puzzles."""
    return PuzzleForm(app, PUZZLE_OPTIONS, lambda _options: None)


_drawn, _wrong = partial(helper, turns=DRAWN), partial(helper, turns=WRONG)
_another_puzzle = partial(puzzle, options=PuzzleOptions(level=2, seed=8813))
SOLVING_SCENES = (
    Scene("helper", _drawn, ("g", "o"), ("18 codes left", "Two more pegs: letters, or 1 to 6.")),
    Scene("helper-pl", _drawn, ("g", "o", "o", "r"), language="pl"),
    Scene("helper-begin", helper, (), ("1296 codes left", "Type a guess")),
    Scene("helper-answer", _drawn, ("g", "o", "o", "r", "1"), ("black 1",)),
    Scene("helper-wrong", _wrong, ("tab",), ("No code fits",)),
    Scene("helper-edit", _drawn, ("e", "up"), ("► 1", "black 0")),
    Scene("helper-codes", _drawn, ("tab",), ("Codes 1 to 18 of 18",)),
    Scene("helper-maker", partial(helper, turns=DRAWN, bot="knuth"), (), ("knuth guesses",)),
    Scene("helper-form", helper_form, ("end",), ("hide a code",)),
    Scene("help-helper", _drawn, ("f1",), ("Help", "letters, digits"), False),
    Scene("puzzle", puzzle, (), ("number 8812", "Type the one code that fits")),
    Scene("puzzle-wrong", puzzle, (*"rrgg", "enter"), ("Wrong: if R R G G", "✗ 1")),
    Scene("puzzle-solved", _another_puzzle, (*"3632", "enter"), ("Right: B P B G",)),
    Scene("puzzle-form", puzzle_form, ("down", "down"), ("Level",)),
)
