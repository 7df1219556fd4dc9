"""The line interface on a terminal: its prompts and its notifications."""

from __future__ import annotations

import re
from pathlib import Path

from e2e.screen import start
from kit.processes import CTRL_C, PRINTER, Machine

NAME = "Your name (Enter for a guest's): "
SEAT = "Be the codemaker or the codebreaker? (m/B) "
AGAIN = "Play again? (Y/N) "


def test_a_whole_classic_game(machine):
    line = ("play", "--plain", "--seed=3")  # 2552, then 4654
    player = machine.start(*line, environment=PRINTER, terminal=True)
    player.answer(NAME, "Ada")  # no prompt for the seat follows: `--seed` implies the codebreaker
    player.expect("You are the codebreaker.\n", "The secret is set.\n")

    player.answer("Guess 1 of 12: ", "122")
    player.expect("3 pegs given, and a code of classic has 4.\n")
    player.answer("Guess 1 of 12: ", "12222")
    player.expect("5 pegs given, and a code of classic has 4.\n")
    player.answer("Guess 1 of 12: ", "1272")
    player.expect("Peg 3: '7' is no colour of classic; allowed: 1 2 3 4 5 6 (or R G B Y O P).\n")
    player.answer("Guess 1 of 12: ", "")
    player.answer("Guess 1 of 12: ", "help")
    player.expect("  r, resign          give this round up\n")
    player.expect("  q, quit            leave the match\n")
    player.answer("Guess 1 of 12: ", "board")
    player.expect("No guess yet.\n")
    player.answer("Guess 1 of 12: ", "1122")
    player.expect(" 1  1 1 2 2  1 black, 1 white\n")
    player.answer("Guess 2 of 12: ", "o o g g")
    player.expect(" 2  O O G G  2 black, 2 white\n")
    player.answer("Guess 3 of 12: ", "G,O,O,G")
    player.expect(" 3  G O O G  4 black, 0 white\n", "You broke the code in 3 guesses.\n")
    player.expect("The secret was G O O G: green orange orange green.\n", "You win.\n")

    player.answer(AGAIN, "maybe")
    player.expect("Please answer Y or N.\n")
    player.answer(AGAIN, "Y")
    player.answer("Guess 1 of 12: ", "3333")
    player.answer("Guess 2 of 12: ", "quit")
    assert player.finish().endswith("Guess 2 of 12: quit\n\n")


def test_settings_replace_the_prompts_for_name_and_rules(machine):
    write_settings(machine, 'name = "Ada"\nrules = "classic"\nopponent = "easy"\n')
    player = machine.start("--plain", environment=PRINTER, terminal=True)
    player.answer(SEAT, "m")
    assert NAME not in player.shown
    player.answer("Your secret (4 pegs): ", "1234")
    player.expect("easy (bot")
    player.type(CTRL_C)
    player.finish(130)


def test_a_half_typed_line_is_redrawn_below_notifications(machine, server):
    at = ("--plain", "--server", server.address)
    ada = start(machine, "play", "--versus=friend", "--as=breaker", "--name=Ada", *at)
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


def write_settings(machine: Machine, text: str) -> Path:
    """Write Ada's settings file, and return its path."""
    file = machine.home("ada") / "config" / "mastermind" / "settings.toml"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    return file
