"""Programs that a shell stops and continues, on the full screen and in the line interface."""

from __future__ import annotations

import re
import signal

from e2e import screen
from e2e.screen import JOB_SHELL, Terminal
from kit.processes import Machine

CTRL_Z = "\x1a"
BEGIN_PASTES = r"\x1b\[\?2004h"  # begins the first drawing of both interfaces
STOPPED = {signal.SIGTSTP: 128 + signal.SIGTSTP, signal.SIGSTOP: 128 + signal.SIGSTOP}
RUIN = (  # what a shell and another program may do to a terminal
    r"stty sane; printf '\033[?1049l\033[?1000l\033[?2004l\033[?25h\033[2J\033[H'; fg"
)


def start_job(machine: Machine, *options: str) -> Terminal:
    """Start a game against a bot from a shell with job control."""
    arguments = ("play", "--versus=easy", "--rounds=1", "--name=Ada", *options)
    ada = screen.start(machine, *arguments, shell=JOB_SHELL)
    assert ada.pid  # it is found before any later text
    return ada


def read_settings(terminal: Terminal) -> str:
    """Return the terminal's settings, which its shell prints."""
    terminal.send('echo "settings $(stty -g) now"')
    return terminal.find(r"settings (\S+) now\n")[1]


def stop(terminal: Terminal, number: signal.Signals) -> None:
    """Stop the program, by Ctrl-Z or from outside, and wait for its shell."""
    if number is signal.SIGTSTP:
        terminal.type(CTRL_Z)
    else:
        terminal.end(number)
    terminal.find(f"left with {STOPPED[number]}\n")


def resume(terminal: Terminal, command: str) -> None:
    """Execute a shell command that brings the program back, and wait until it draws."""
    terminal.send(command)
    terminal.find(BEGIN_PASTES)


def test_a_stopped_game_gives_the_terminal_back_and_continues(machine):
    ada = start_job(machine)
    ada.until("Your turn", "guess 1 of 12")
    ada.press("1", "2")
    ada.until("Two more pegs")
    stop(ada, signal.SIGTSTP)
    ada.check_restored()
    cooked = read_settings(ada)
    ada.resize(*screen.LARGE)
    resume(ada, "fg")
    ada.until("Two more pegs")
    assert "?" in ada.lines[screen.LARGE[1] - 1]
    ada.press("1")
    ada.until("One more peg")

    stop(ada, signal.SIGSTOP)
    resume(ada, RUIN)
    ada.until("One more peg")
    ada.press("1", "enter")
    ada.until("guess 2 of 12")

    stop(ada, signal.SIGTSTP)
    ada.send("bg")
    ada.find("left with 0\n")
    ada.until_quiet()
    assert read_settings(ada) == cooked
    ada.check_restored()
    resume(ada, "fg")
    ada.until("guess 2 of 12")
    ada.press("1", "2")
    ada.until("Two more pegs")

    stop(ada, signal.SIGTSTP)
    ada.send("bg")
    ada.find("left with 0\n")
    ada.send("kill -TERM %1; wait %1")
    ada.find(f"left with {128 + signal.SIGTERM}\n")
    assert read_settings(ada) == cooked
    ada.check_restored()
    ada.end_input()
    ada.finish()


def test_a_stopped_line_interface_continues_and_prints_nothing_in_the_background(machine):
    ada = start_job(machine, "--plain")
    ada.until("Guess 1 of 12:")
    ada.type("11")
    ada.until("Guess 1 of 12: 11")
    stop(ada, signal.SIGTSTP)
    cooked = read_settings(ada)
    resume(ada, "fg")
    ada.type("22")
    ada.until("Guess 1 of 12: 1122")

    stop(ada, signal.SIGSTOP)
    resume(ada, RUIN)
    ada.until("Guess 1 of 12: 1122")
    ada.type("\r")
    ada.until("Guess 2 of 12:")
    assert len(re.findall("1122", ada.text)) == 1

    stop(ada, signal.SIGSTOP)
    ada.send("stty sane")
    sane = read_settings(ada)
    ada.send("bg")
    ada.find("left with 0\n")
    ada.until_quiet()
    assert read_settings(ada) == sane
    resume(ada, RUIN)
    ada.until("Guess 2 of 12:")
    ada.type("\x03")
    ada.find("left with 130\n")
    assert read_settings(ada) == cooked
    ada.end_input()
    ada.finish()
