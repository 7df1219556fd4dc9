"""The ways in which the installed commands end: signals, Ctrl-C and closed pipes.

tests/client checks the output and the exit status of commands without starting a process.
"""

from __future__ import annotations

import signal

import pytest

from kit.processes import BIN, CTRL_C, PRINTER, Machine, Program, Server

INTERRUPTED = 130
REMATCH = "Rematch, with the seats swapped? (Y/N) "


def sit_down(
    machine: Machine, server: Server, *options: str, terminal: bool = False
) -> tuple[Program, Program]:
    """Start a match of friends; return Ada, the codemaker, and Bob, the codebreaker."""
    at = ("--plain", "--server", server.address)
    ada = machine.start(
        *("play", "--versus=friend", "--rounds=1", "--as=maker", "--name=Ada", *at, *options),
        environment=PRINTER, terminal=terminal,
    )  # fmt: skip
    code = ada.find(r"Invite code: (\w{6})\n")[1]
    bob = machine.start(
        "join", code, "--name=Bob", *at, user="bob", environment=PRINTER, terminal=terminal
    )
    if terminal:
        bob.answer("Accept the invitation? (Y/N) ", "y")
    ada.expect("Your secret (")
    bob.expect("Waiting for Ada to set the secret ...")
    return ada, bob


def test_ctrl_c_before_a_game_prints_nothing(machine):
    program = machine.start("play", "--plain", environment=PRINTER, terminal=True)
    program.expect("Your name (Enter for a guest's): ")
    program.type(CTRL_C)
    _asked, after = program.finish(INTERRUPTED).split("^C\n")
    assert not after


def test_ctrl_c_keeps_the_seat_and_notifies_the_opponent(machine, server):
    ada, bob = sit_down(machine, server, terminal=True)
    ada.send("1234")
    bob.expect("Guess 1 of 12: ")
    ada.expect("Waiting for Bob to guess ...\n")
    bob.type(CTRL_C)
    bob.finish(INTERRUPTED)
    ada.expect("Bob has lost the connection; the seat is kept.\n")


def test_closed_output_ends_the_program_without_an_error_message(machine):
    program = machine.start("play")
    program.find(".*\n")
    program.close_output()  # as head -1 does
    program.send("1122")
    program.finish(1)


@pytest.mark.parametrize(
    ("streams", "status", "error"),
    [
        ("<&- >&- 2>&-", 0, ""),
        (">/dev/full", 1, "mastermind: No space left on device\n"),
    ],
)
def test_output_that_cannot_be_written_ends_the_program_without_a_traceback(
    machine, streams, status, error
):
    shell = f'unset PYTHONUNBUFFERED; exec "$0" rules {streams}'
    program = machine.run(Program, ["sh", "-c", shell, str(BIN / "mastermind")], "ada")
    program.finish(status, error)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_removes_the_files_of_an_embedded_game(machine, number):
    player = machine.start("play")
    player.expect("Guess 1 of 12: ")
    player.signal(number)
    player.finish(128 + number)
    assert not list(machine.folder.rglob("mastermind-*"))


def test_server_logs_no_token_and_no_secret(machine):
    server = machine.serve("--log-level=debug")
    ada, bob = sit_down(machine, server, "--rules=9x12/20")
    ada.send("WNTLMCPOY")  # too long to occur in a log by accident
    bob.answer("Guess 1 of 20: ", "RGBYOPCML")
    bob.answer("Guess 2 of 20: ", "resign")
    ada.expect("The secret was W N T L M C P O Y:")
    for program in (ada, bob):
        program.answer(REMATCH, "n")
    for program in (ada, bob):
        program.finish()
    server.stop()
    colours = [11, 10, 9, 8, 7, 6, 5, 4, 3]
    forms = ["WNTLMCPOY", "W N T L", str(colours)[1:-1], bytes(colours).hex()]
    forms += [repr(bytes(colours))[2:-1], "white navy teal", "'white', 'navy'"]
    tokens = [path.read_text().strip() for path in machine.folder.rglob("*.json")]
    assert len(tokens) == 2
    logged = server.shown + server.errors
    assert "DEBUG" in logged
    assert [form for form in forms + tokens if form in logged] == []
