"""The line interface on a terminal: a match goes on after the terminal or the server ended."""

from __future__ import annotations

import re
import signal

from e2e import screen
from kit.processes import CTRL_C, PRINTER, Machine, Program


def test_two_players_on_one_computer_resume_in_the_opposite_order(machine, server):
    at = ("--plain", "--server", server.address)
    ada = start(machine, "play", "--versus=friend", "--rounds=1", "--as=maker", "--name=Ada", *at)
    code = ada.find(r"Invite code: (\w{6})")[1]
    bob = start(machine, "join", code, "--name=Bob", *at)
    bob.answer("Accept the invitation? (Y/N) ", "y")
    ada.answer("Your secret (4 pegs): ", "1634")
    bob.answer("Guess 1 of 12: ", "1122")
    bob.expect("Guess 2 of 12: ")
    bob.signal(signal.SIGKILL)
    bob.finish(-signal.SIGKILL)
    ada.expect("Bob has lost the connection; the seat is kept.\n")
    ada.signal(signal.SIGKILL)
    ada.finish(-signal.SIGKILL)

    bob = start(machine, "continue", code, "--plain", "--name=Bob", *at[1:])
    bob.expect("Ada is the codemaker.\n", "You are the codebreaker.\n")
    bob.expect(" 1  R R G G  1 black, 0 white\n", "Guess 2 of 12: ")
    ada = start(machine, "join", code, "--plain", "--name=Ada", *at[1:])
    ada.expect(" 1  R R G G  1 black, 0 white\n")
    bob.expect("Ada is back.\n")
    bob.send("1634")
    ada.expect("Bob wins. You lose.\n")


def test_the_program_prints_how_to_resume_when_it_ends(machine):
    ada = screen.start(machine, "play", "--versus=random", "--name=Ada")
    ada.until("Your turn", "guess 1 of 12")
    ada.press("f10")
    told = ada.end_sanely(0)
    code = re.search(
        r"Saved for later: random, (\w{6}), your turn\. Continue: \S+/mastermind continue", told
    )
    assert code is not None, told

    again = start(machine, "continue", "--plain")

    again.answer("Guess 1 of 12: ", "1122")
    again.expect("Guess 2 of 12: ")
    again.type(CTRL_C)
    _asked, after = again.finish(130).split("^C\n")
    assert after.startswith("Saved for later: ")
    assert re.search(r"your turn\. Continue: \S+/mastermind continue \w{6}\r?\n", after)

    ada = screen.start(machine, "continue")
    ada.until("Your turn", "guess 2 of 12")
    ada.press("f10")
    ada.end_sanely(0)


def test_a_half_typed_line_is_redrawn_below_notifications(machine, server):
    at = ("--plain", "--server", server.address)
    ada = screen.start(
        machine, "play", "--versus=friend", "--rounds=1", "--as=breaker", "--name=Ada", *at
    )
    code = ada.until_fits(r"Invite code: (\w{6})")[1]
    bob = machine.start("join", code, "--name=Bob", *at, user="bob")
    bob.answer("Your secret (4 pegs): ", "1234")
    ada.until("Guess 1 of 12:")
    ada.type("11")
    ada.until("Guess 1 of 12: 11")
    server.kill()
    ada.until("*** CONNECTION LOST:")
    machine.serve(port=server.port)
    ada.until("*** CONNECTED AGAIN. ***\nGuess 1 of 12: 11")
    assert ada.text.count("Guess 1 of 12:") == 1
    ada.type("22\r")
    ada.until(" 1  1 1 2 2  1 black, 1 white")
    ada.type(CTRL_C)
    shown = ada.finish()
    assert "ended with 130\n" in shown
    before, after = re.findall(r"settings (\S+) (?:before|after)\n", shown)
    assert before == after


def start(machine: Machine, *arguments: str) -> Program:
    """Start the line interface on a terminal, on Ada's computer."""
    return machine.start(*arguments, environment=PRINTER, terminal=True)
