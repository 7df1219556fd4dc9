"""A person at a terminal, on the line face: what is asked, and what is told at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from processes import CTRL_C

if TYPE_CHECKING:
    from pathlib import Path

    from processes import Machine, Program

NAME = "Your name (Enter for a guest's): "
SEAT = "Be the codemaker or the codebreaker? (m/B) "
WAY = "Which way to play? (1) "
AGAIN = "Play again? (Y/N) "


def test_whole_classic_game(machine: Machine) -> None:
    player = machine.start("play", "--plain", "--seed=3", terminal=True)  # 2552, then 4654
    player.answer(NAME, "Ada")  # and not the seat: the seed is for the codebreaker
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
    player.expect(" 2  5 5 2 2  2 black, 2 white\n")
    player.answer("Guess 3 of 12: ", "G,O,O,G")
    player.expect(" 3  2 5 5 2  4 black, 0 white\n", "You broke the code in 3 guesses.\n")
    player.expect("The secret was 2 5 5 2: green orange orange green.\n", "You win.\n")

    player.answer(AGAIN, "maybe")
    player.expect("Please answer Y or N.\n")
    player.answer(AGAIN, "Y")
    player.answer("Guess 1 of 12: ", "3333")
    player.answer("Guess 2 of 12: ", "quit")
    assert player.finish().endswith("Guess 2 of 12: quit\n\n")


def test_codemaker_of_a_classic_game(machine: Machine) -> None:
    player = machine.start("play", "--plain", terminal=True)
    player.answer(NAME, "")
    player.answer(SEAT, "x")
    player.expect("Please answer one of: m, b.\n")
    player.answer(SEAT, "M")
    player.answer("Your secret (4 pegs): ", "11a1")
    player.expect("Peg 3: 'a' is no colour of classic")
    player.answer("Your secret (4 pegs): ", "1234")
    player.expect("hard (bot optimal) broke the code in ", "You lose.\n")
    player.answer(AGAIN, "n")
    assert player.finish().endswith(f"{AGAIN}n\nGood-bye!\n")


def test_what_is_typed_out_of_turn_is_answered_at_once(machine: Machine) -> None:
    server = machine.serve()
    at = ("--plain", "--server", server.address)
    ada = machine.start("play", "--versus=friend", "--as=maker", "--name=Ada", *at, terminal=True)
    code = ada.find(r"Invite code: (\w{6})\n")[1]
    ada.expect("Waiting for your friend ...\n")
    ada.send("1234")
    ada.expect("1234\nNot now: the match waits for the other seat to be taken.\n")
    bob = machine.start("join", code, "--name=Bob", *at, user="bob", terminal=True)
    bob.expect("Waiting for Ada to set the secret ...\n")
    bob.send("1122")
    bob.expect("1122\nNot now: the codemaker is to set the secret.\n")
    ada.answer("Your secret (4 pegs): ", "1234")
    ada.expect("Waiting for Bob to guess ...\n")
    ada.send("1122")
    ada.expect("1122\nNot now: the codebreaker is to guess.\n")
    ada.send("resign", "board")
    ada.expect("Not your turn: the codebreaker is to guess.\n", "No guess yet.\n")
    bob.answer("Guess 1 of 12: ", "1122")
    for program in (ada, bob):
        program.expect(" 1  1 1 2 2  1 black, 1 white\n")
    bob.answer("Guess 2 of 12: ", "quit")
    bob.finish()
    ada.expect("Bob left.\n")
    ada.finish()


@pytest.mark.parametrize("answer", ["", "1"])
def test_first_way_of_mini_is_to_break_the_computers_code(machine: Machine, answer: str) -> None:
    player = start_mini(machine)
    player.answer(WAY, "4")
    player.expect("Please answer one of: 1, 2, 3.\n")
    player.answer(WAY, answer)
    player.expect("You are the codebreaker.\n")
    for number in range(1, 7):
        player.answer(f"Guess {number} of 6: ", "PPYY" if number % 2 else "RRGG")
    player.expect("The secret was ")
    player.answer(AGAIN, "n")
    player.finish()


def test_second_way_of_mini_is_to_play_a_friend(machine: Machine) -> None:
    server = machine.serve()
    write_settings(machine, f'server = "{server.address}"\n')  # where friends are met
    player = start_mini(machine)
    player.answer(WAY, "2")
    code = player.find(r"Invite code: (\w{6})\n")[1]
    friend = machine.start("join", code, "--server", server.address, user="bob")
    friend.answer("Your secret (4 pegs): ", "RGOB")
    player.answer("Guess 1 of 6: ", "BOGR")
    player.expect(" 1  B O G R  0 black, 4 gray, 0 empty\n")
    player.answer("Guess 2 of 6: ", "rgob")
    player.answer("(Y/N) ", "n")
    player.finish()
    friend.finish()


def test_third_way_of_mini_is_to_have_the_computer_break_your_code(machine: Machine) -> None:
    player = start_mini(machine)
    player.answer(WAY, "3")
    player.answer("Your secret (4 pegs): ", "YYPP")
    player.expect("hard (bot optimal) broke the code in ", "The secret was Y Y P P:")
    player.answer(AGAIN, "n")
    player.finish()


def test_who_has_settled_a_name_and_rules_is_not_asked_for_them(machine: Machine) -> None:
    write_settings(machine, 'name = "Ada"\nrules = "classic"\nopponent = "easy"\n')
    player = machine.start("--plain", terminal=True)
    player.answer(SEAT, "m")
    assert NAME not in player.shown
    player.answer("Your secret (4 pegs): ", "1234")
    player.expect("easy (bot")
    player.type(CTRL_C)
    player.finish(130)


def test_what_is_wrong_with_the_settings_is_told_and_the_game_goes_on(machine: Machine) -> None:
    file = write_settings(machine, 'name = "Ada"\nrules = "chess"\n')
    player = machine.start("play", "--plain", terminal=True)
    player.expect(f"mastermind: {file}, line 2: rules cannot be 'chess'")
    player.answer(SEAT, "b")
    player.expect("classic: 4 pegs, 6 colours, 12 guesses.\n")
    player.type(CTRL_C)
    player.finish(130)


def write_settings(machine: Machine, text: str) -> Path:
    """Let these be the settings of who plays; returns their file."""
    file = machine.home("ada") / "config" / "mastermind" / "settings.toml"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    return file


def start_mini(machine: Machine) -> Program:
    player = machine.start("play", "--plain", "--rules=mini", terminal=True)
    player.expect("1  You break the computer's code\n", "2  You play against a friend\n")
    player.expect("3  The computer breaks your code\n")
    return player
