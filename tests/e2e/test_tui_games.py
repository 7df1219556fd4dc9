"""Whole games on the full-screen interface, on a real terminal, by what is on the screen alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from e2e import screen
from e2e.solver import LETTERS, break_code

if TYPE_CHECKING:
    from e2e.screen import Terminal
    from processes import Machine


def test_a_game_and_a_rematch_by_keys_from_the_command_alone(machine: Machine) -> None:
    ada = screen.start(machine)
    ada.until("How to play", "Play a bot", "Settings", "F10 quit")
    ada.press("2")
    ada.until("Start", "hard")
    ada.press("enter")
    ada.until("Your name")
    ada.press(*"Ada", "enter")
    ada.until("Your turn: guess 1 of 12.")
    ada.press("x")
    ada.until("peg 1: 'x' is no colour of classic; allowed: 1", "2 3 4 5 6 / R G B Y O P")
    code, turns = break_code(ada, lambda guess: type_code(ada, guess))
    ada.until(f"You broke the code in {turns} guesses.", "Code proven", "You win.")
    assert "  ".join(code) in ada.text.replace("   ", "  ")

    ada.press("enter")
    ada.until("Your turn: guess 1 of 12.")
    ada.press("r", "2", "B", "4", "enter")
    ada.until("Your turn: guess 2 of 12.")
    ada.press("f6")
    ada.until("Give this round up?")
    ada.press("down", "enter")
    ada.until("You gave up after 1 guess: the code stands.", "You lose.")
    leave(ada)


def test_a_game_by_the_mouse_alone(machine: Machine) -> None:
    ada = screen.start(machine, "--name=Ada")
    ada.click_on("Play a bot")
    ada.click_on("Start")
    ada.until("Your turn: guess 1 of 12.")

    def click_code(code: str) -> None:
        for place in range(4):
            ada.click(5 + 4 * place, entry_row(ada))
            ada.until_fits(rf"(?m)^ +\d+ (?:.{{4}}){{{place}}}\[")
            ada.click_on(PALETTE[code[place]], offset=-1)
        ada.until_fits(rf"(?m)^ +\d+ {_row(code)}")
        ada.click_on("Enter send  ")  # the key, and not the hint

    break_code(ada, click_code)
    ada.until("You win.")
    ada.click_on("Esc leave")
    ada.click_on("Esc back")
    ada.until("Play a bot", "F10 quit")
    ada.click_on("F10")
    ada.end_sanely(0)


def test_a_game_in_polish_without_any_colour(machine: Machine) -> None:
    surroundings = {"LANGUAGE": "pl", "NO_COLOR": "1"}
    ada = screen.start(machine, "--name=Ada", size=screen.SMALL, environment=surroundings)
    ada.until("Zagraj z botem", "Ustawienia")
    ada.press("2")
    ada.until("Zacznij")
    ada.press("enter")
    ada.until("Twój ruch: próba 1 z 12.")
    break_code(ada, lambda guess: type_code(ada, guess))
    ada.until("Łamiesz kod w", "Wygrywasz.")
    ada.press("enter")
    ada.until("Twój ruch: próba 1 z 12.")
    ada.press("f10")
    ada.end_sanely(0)
    assert not screen.COLOURED.search(ada.shown)


PALETTE = {letter: f" {name}  " for letter, name in zip(
    LETTERS, ("red", "green", "blue", "yellow", "orange", "purple"), strict=True
)}  # fmt: skip


def type_code(terminal: Terminal, code: str) -> None:
    """Type a code and send it."""
    terminal.press(*code.lower(), "enter")


def leave(terminal: Terminal) -> None:
    """Go back home and end the program by keys."""
    terminal.press("escape")
    terminal.until_gone("secret")
    terminal.press("f10")
    terminal.end_sanely(0)


def entry_row(terminal: Terminal) -> int:
    """Return the row of the screen in which the code is entered: the one with the cursor."""
    lines = [row for row, line in enumerate(terminal.lines) if "[" in line.partition("│")[0]]
    return lines[-1]


def _row(code: str) -> str:
    """Return what fits a row of pegs that is full, wherever the cursor is."""
    return " ".join(rf"[ (\[]{letter}[ )\]]" for letter in code)
