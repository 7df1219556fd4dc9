"""The full-screen face and the terminal it is on: its size, its end, and other terminals."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING

import pytest

from e2e import screen
from e2e.solver import break_code, until_guessed

if TYPE_CHECKING:
    from e2e.screen import Terminal
    from processes import Machine

NAME = "Your name (Enter for a guest's): "
FAILED = 70  # EX_SOFTWARE


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda each: each.name)
def test_a_signal_leaves_the_terminal_as_it_was(machine: Machine, number: signal.Signals) -> None:
    ada = begin_game(machine)
    ada.press("1", "2")
    ada.until_fits(r"1  R   G  \[·\]")
    ada.end(number)
    after = ada.end_sanely(128 + number)
    assert "Traceback" not in after


def test_ending_it_in_a_game_is_asked_about(machine: Machine) -> None:
    ada = begin_game(machine)
    ada.press("c-c")
    ada.until("Leave the match, and lose it? (Y/N)")
    ada.press("n")
    ada.until_gone("lose it?")
    ada.press("c-c")
    ada.until("Leave the match, and lose it? (Y/N)")
    ada.press("y")
    ada.end_sanely(0)


@pytest.mark.parametrize(
    "failing",
    [
        "from mastermind_client.tui.screens.match import MatchScreen as Failing; name = 'draw'",
        "from mastermind_client.tui.screens.player import PlayerScreen as Failing; name = '_type'",
        "from mastermind_client.tui.journal import Journal as Failing; name = 'note'",
    ],
    ids=["drawing", "a key", "a task"],
)
def test_a_crash_leaves_the_terminal_as_it_was_and_names_the_log(
    machine: Machine, failing: str
) -> None:
    """What fails is made to fail from without, by what Python runs before any program."""
    folder = machine.home("broken")
    (folder / "sitecustomize.py").write_text(
        f"{failing}\n"
        "def fail(*given):\n    raise ZeroDivisionError('made to fail')\n"
        "setattr(Failing, name, fail)\n"
    )
    ada = screen.start(machine, "play", environment={"PYTHONPATH": str(folder)})
    if "_type" in failing:
        ada.until("Your turn: guess 1 of 12.")
        ada.press("1")
    after = ada.end_sanely(FAILED)
    (log,) = machine.home("ada").rglob("mastermind.log")
    assert "Mastermind has failed (ZeroDivisionError: made to fail)." in after
    assert str(log) in "".join(after.split("\n"))
    assert "Traceback" not in after
    told = log.read_text()
    assert "ZeroDivisionError: made to fail" in told
    assert "Traceback" in told
    log.unlink()  # it is the one that was to be there


def test_the_window_is_made_larger_smaller_and_too_small_in_a_game(machine: Machine) -> None:
    ada = begin_game(machine)
    ada.press(*"1122", "enter")
    until_guessed(ada, 1)
    ada.press("3", "4")
    for size in (screen.LARGE, screen.SMALL, (300, 100)):
        ada.resize(*size)
        ada.until_fits(r"(?m)^  2  B   Y  \[·\]")
        ada.until("Your turn: guess 2 of 12.")
        until_guessed(ada, 1)
    for columns, rows in ((59, 20), (60, 19), (30, 8)):
        ada.resize(columns, rows)
        words = f"This window is too small: it is {columns} x {rows}, and 60 x 20 are needed."
        ada.until_fits(r"\s+".join(re.escape(word) for word in words.split()))
    ada.resize(3, 2)
    ada.until("Thi")
    ada.resize(*screen.USUAL)
    ada.until_fits(r"(?m)^  2  B   Y  \[·\]")
    ada.press("c-u")
    break_code(ada, lambda guess: ada.press(*guess, "enter"))
    ada.until("You win.")


def test_whose_turn_it_is_is_in_the_title_and_rings(machine: Machine) -> None:
    ada = begin_game(machine)
    ada.wait(lambda: ada.titles[-1] == "Your turn - Mastermind", "the title says nothing")
    assert "\x07" in ada.shown.replace("Mastermind\x07", "")
    ada.press("f10", "y")
    ada.end_sanely(0)


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_terminal_that_only_prints_gets_the_line_face(machine: Machine, term: str) -> None:
    ada = machine.start("play", terminal=True, environment={"TERM": term})
    ada.answer(NAME, "Ada")
    ada.expect("codebreaker")
    assert "\x1b" not in ada.shown


def test_pipes_get_the_line_face(machine: Machine) -> None:
    ada = machine.start("play", "--as=breaker", environment={"TERM": "xterm-256color"})
    ada.answer("Guess 1 of 12: ", "quit")
    assert "\x1b" not in ada.finish()


def begin_game(machine: Machine) -> Terminal:
    """Return a terminal on which a bot's code is about to be broken."""
    ada = screen.start(machine, "play", "--versus=easy")
    ada.until("Your turn: guess 1 of 12.")
    return ada
