"""Whole games on the full-screen interface, played from the screen alone."""

from __future__ import annotations

import os
import re
import select

from e2e import screen
from e2e.screen import Terminal
from e2e.solver import break_code, until_guessed
from kit.processes import PATIENCE

PALETTE = "".join(f"(?:▐{colour}▌|─{colour.lower()}─)" for colour in "RGBYOP")
FIRST_PEG, PEG = 8, 6  # columns: the middle of the first peg, and the distance between pegs


def test_a_new_player_finishes_a_game_and_resumes_another_after_the_window_closed(machine):
    ada = screen.start(machine, moving=True)
    ada.until("Play a bot", "How to play")
    ada.press("enter")
    ada.until("For example", "Enter try it with a bot")
    ada.press("enter")
    ada.until("Your name")
    ada.press(*"Ada", "enter")
    ada.until("Your turn", "Type colours by their letters")
    ada.press("x")
    ada.until("No X here: R G B Y O P.")
    code, turns = break_code(ada, lambda guess: type_code(ada, guess))
    ada.until(f"Cracked in {turns} guess", "unchanged ✓", "Enter again")
    assert "     ".join(code) in ada.text

    ada.press_until("enter", "guess 1 of 12")
    ada.press("к", "２", "*")  # noqa: RUF001 - r in a Cyrillic layout, and full-width
    ada.until_fits(r"► 1\W+R\W+G\W+G\W+G\W")
    ada.press("enter")
    until_guessed(ada, 1)
    program = os.pidfd_open(ada.pid)
    ada.close_window()
    ended, _, _ = select.select([program], [], [], PATIENCE)
    os.close(program)
    assert ended
    machine.check_client_logs()

    ada = screen.start(machine)
    ada.until_fits(r"► easy · \w{6} +your turn")
    ada.press("enter")
    until_guessed(ada, 1)
    ada.press("f6")
    ada.until("Give this round up?")
    ada.press("down", "enter")
    ada.until("The code stands.", "unchanged ✓")
    ada.press("escape")
    ada.until("Play a bot")
    assert "Continue" not in ada.text
    ada.press("f10")
    ada.end_sanely(0)


def test_a_game_played_with_the_mouse_alone(machine):
    ada = screen.start(machine, "--name=Ada")
    ada.click_on("Play a bot")
    ada.click_on("Rounds")
    ada.click_on("←")
    ada.click_on("Start")
    ada.until("Your turn")

    def click_code(code):
        for place, letter in enumerate(code):
            ada.until_fits(PALETTE)
            middle = FIRST_PEG + PEG * place
            ada.click(middle, find_row(ada))
            ada.until_fits(rf"(?m)^.{{{middle - 2}}}\[.*{PALETTE}")
            ada.click_on(f"▐{letter}▌", offset=1)
        ada.until_fits("► *\\d+" + "".join(rf"\W+{letter}" for letter in code))
        ada.click_on("Enter send  ")  # the key itself, not a hint about the key

    break_code(ada, click_code)
    ada.until("Cracked in")
    ada.click_on("Esc home")
    ada.until("l leaderboard")  # unique to the home screen
    ada.click_on("F10 quit")
    ada.end_sanely(0)


def test_a_game_in_polish_without_colours(machine):
    surroundings = {"LANGUAGE": "pl", "NO_COLOR": "1"}
    ada = screen.start(machine, "--name=Ada", size=screen.SMALL, environment=surroundings)
    ada.until("Zagraj z botem", "Ustawienia", "F10 koniec")
    ada.press("1")
    ada.until("Zacznij")
    ada.press(*["down"] * 4, "left", "enter")  # one round
    ada.until("Twój ruch", "1 z 12")
    break_code(ada, lambda guess: type_code(ada, guess))
    ada.until("Kod złamany w", "Wygrywasz")
    ada.press_until("enter", "Twój ruch", "1 z 12")
    ada.press("f10")
    ada.end_sanely(0)
    assert not screen.COLOURED.search(ada.shown)


def type_code(terminal: Terminal, code: str) -> None:
    """Type a code and send it."""
    terminal.press(*code.lower(), "enter")


def find_row(terminal: Terminal) -> int:
    """Return the screen row of the palette, where the user enters the code."""
    return next(row for row, line in enumerate(terminal.lines) if re.search(PALETTE, line))
