"""The full-screen interface and its terminal: signals, closed windows, crashes and resizing."""

from __future__ import annotations

import os
import select
import signal

from e2e import screen
from e2e.screen import Terminal
from e2e.solver import break_code, until_guessed
from kit.processes import PATIENCE, Machine

BEGUN = r"► 2 +B +Y  [^\w\n]*(?:▐R▌|─r─)"  # the second guess, half typed
FAILED = 70  # EX_SOFTWARE


def test_sigterm_restores_the_terminal(machine):
    ada = begin_game(machine)
    ada.press("1", "2")
    ada.until("Two more pegs")
    ada.end(signal.SIGTERM)
    after = ada.end_sanely(128 + signal.SIGTERM)
    assert "Traceback" not in after


def test_closing_the_window_and_its_shell_ends_the_program_without_a_crash(machine):
    """The program receives SIGHUP here; test_tui_games closes the window without a signal."""
    ada = begin_game(machine)
    program = os.pidfd_open(ada.pid)
    ada.kill()
    ended, _, _ = select.select([program], [], [], PATIENCE)
    os.close(program)
    assert ended
    machine.check_client_logs()


def test_a_crash_restores_the_terminal_and_names_the_log(machine):
    """A `sitecustomize` module, which Python imports first, makes a screen fail."""
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
    log.unlink()  # the fixture fails if the log of a crash remains


def test_a_game_survives_resizing_the_window_even_below_the_minimum(machine):
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
    ada.resize(*screen.DEFAULT_LIMITS)
    ada.until_fits(BEGUN)
    ada.press("c-u")
    break_code(ada, lambda guess: ada.press(*guess, "enter"))
    ada.until("Cracked in")


def begin_game(machine: Machine) -> Terminal:
    """Return a terminal with a game against a bot, before the first guess."""
    ada = screen.start(machine, "play", "--versus=easy", "--rounds=1", "--name=Ada")
    ada.until("Your turn", "guess 1 of 12")
    return ada
