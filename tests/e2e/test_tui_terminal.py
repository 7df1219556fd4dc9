"""The full-screen interface and the terminal it is on: its size, its end, and other terminals."""

from __future__ import annotations

import os
import select
import signal

from e2e import screen
from e2e.screen import Terminal
from e2e.solver import break_code, until_guessed
from kit.processes import PATIENCE, Machine

BEGUN = r"► 2 +B +Y  [^\w\n]*▐R▌"  # the second guess, half of it typed
FAILED = 70  # EX_SOFTWARE


def test_a_signal_leaves_the_terminal_as_it_was(machine):
    ada = begin_game(machine)
    ada.press("1", "2")
    ada.until("Two more pegs")
    ada.end(signal.SIGTERM)
    after = ada.end_sanely(128 + signal.SIGTERM)
    assert "Traceback" not in after


def test_a_window_that_is_closed_with_its_shell_ends_the_program_and_is_no_crash(machine):
    """The system tells the program then; that it finds out by itself is in test_tui_games."""
    ada = begin_game(machine)
    program = os.pidfd_open(ada.pid)
    ada.reap()
    ended, _, _ = select.select([program], [], [], PATIENCE)
    os.close(program)
    assert ended
    assert not list(machine.home("ada").rglob("mastermind.log"))


def test_a_crash_leaves_the_terminal_as_it_was_and_names_the_log(machine):
    """What fails is made to fail from without, by what Python runs before any program."""
    folder = machine.home("broken")
    (folder / "sitecustomize.py").write_text(
        "from mastermind_client.screen.pages.home import HomeScreen\n"
        "def fail(*given):\n    raise ZeroDivisionError('made to fail')\n"
        "HomeScreen.draw = fail\n"
    )
    ada = screen.start(machine, environment={"PYTHONPATH": str(folder)})
    after = ada.end_sanely(FAILED)
    (log,) = machine.home("ada").rglob("mastermind.log")
    assert "Mastermind has failed (ZeroDivisionError: made to fail)." in after
    assert str(log) in "".join(after.split("\n"))
    assert "Traceback" not in after
    told = log.read_text()
    assert "ZeroDivisionError: made to fail" in told
    assert "Traceback" in told
    log.unlink()  # it is the one that was to be there


def test_the_window_is_made_larger_smaller_and_too_small_in_a_game(machine):
    ada = begin_game(machine)
    ada.press(*"1122", "enter")
    until_guessed(ada, 1)
    ada.press("3", "4")
    for size in (screen.LARGE, screen.SMALL, (300, 100)):
        ada.resize(*size)
        ada.until_fits(BEGUN)
        ada.until("Your turn  Two more pegs")
        until_guessed(ada, 1)
    for columns, rows in ((59, 20), (60, 19), (30, 8)):
        ada.resize(columns, rows)
        ada.until_fits(rf"{columns} x {rows}\W(?s:.)*60 x 20")
    ada.resize(3, 2)
    ada.until_gone("60 x 20")
    ada.resize(*screen.USUAL)
    ada.until_fits(BEGUN)
    ada.press("c-u")
    break_code(ada, lambda guess: ada.press(*guess, "enter"))
    ada.until("Cracked in")


def begin_game(machine: Machine) -> Terminal:
    """Return a terminal on which a bot's code is about to be broken."""
    ada = screen.start(machine, "play", "--versus=easy", "--name=Ada")
    ada.until("Your turn", "guess 1 of 12")
    return ada
