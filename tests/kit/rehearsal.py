"""The expected text of whole sessions of the `lab` dialogue."""

import json
from collections import deque
from pathlib import Path
from typing import Literal, NotRequired, TypedDict

COLOURS = ["red", "orange", "yellow", "green", "blue", "purple"]
TRIES = 10
MENU = (
    "Make a guess of four colors:\n"
    "0 - red\n1 - orange\n2 - yellow\n3 - green\n4 - blue\n5 - purple\n"
)


class Game(TypedDict):
    """One game: its guesses with their clues, and its secret; the clue `win` ends it."""

    guesses: list[tuple[str, list[int] | Literal["win"]]]
    secret: list[str]


class Sitting(TypedDict):
    """The games of one seed; `typed` replaces the input that follows from the guesses."""

    seed: int
    games: list[Game]
    typed: NotRequired[list[str]]
    errors: NotRequired[list[Literal["number", "guess"]]]


TRANSCRIPTS: list[Sitting] = json.loads(Path(__file__).with_name("lab.json").read_text())
LOST: Sitting = {  # a game lost after the last guess, then a game won by the last guess
    "seed": 1,
    "games": [
        {
            "guesses": [
                ("3355", []),
                ("0000", [2]),
                ("1111", [2]),
                ("1401", [2, 2, 2]),
                ("2041", [1, 1, 1, 1]),
                ("1042", [1, 1, 2, 2]),
                ("3333", []),
                ("5353", []),
                ("2222", [2]),
                ("4411", [1, 2]),
            ],
            "secret": ["orange", "blue", "red", "yellow"],
        },
        {
            "guesses": [
                ("0000", [2]),
                ("0003", [2, 2]),
                ("3330", [1, 1, 2, 2]),
                ("3000", [1, 1]),
                ("3033", [1, 1, 2, 2]),
                ("4444", []),
                ("1245", []),
                ("4035", [1, 2]),
                ("0332", [2, 2, 2]),
                ("0333", "win"),
            ],
            "secret": ["red", "green", "green", "green"],
        },
    ],
}
MISTYPED: Sitting = {  # invalid input for numbers
    "seed": 2,
    "typed": ["", "-1", "6", "1.0", "0 0", "0", "red", " 0 ", "1000", "٣x", "0", "2"],
    "errors": ["number", "guess", "guess", "number", "number", "number", "guess", "number"],
    "games": [{"guesses": [("0002", "win")], "secret": ["red", "red", "red", "yellow"]}],
}
SITTINGS = [*TRANSCRIPTS, LOST, MISTYPED]


class Rehearsal:
    """The expected text of a session: each of `parts` is an output and the next input line."""

    def __init__(self, sitting: Sitting, yes: str, no: str) -> None:
        self.parts: list[tuple[str, str]] = []
        self.end = ""
        self.errors: list[str] = []
        self._typed = deque(sitting.get("typed", ()))
        self._verbatim = "typed" in sitting
        last = sitting["games"][-1]
        for game in sitting["games"]:
            self._play(game)
            self._print("Would you like to play again? (Y/N)\n")
            self._type(no if game is last else yes)
        self._print("Thank you for playing. Good-bye!\n")
        assert not self._typed, "the sitting is over, and something is still to be typed"
        assert self.errors == sitting.get("errors", []), "the sitting is not what it says"

    @property
    def typed(self) -> str:
        """The whole input."""
        return "".join(f"{line}\n" for _, line in self.parts)

    @property
    def printed(self) -> str:
        """The whole output to a pipe."""
        return "".join(text for text, _ in self.parts) + self.end

    @property
    def screen(self) -> str:
        """The final text of a terminal, with each input line after its prompt."""
        return "".join(f"{text}{line}\n" for text, line in self.parts) + self.end

    def _play(self, game: Game) -> None:
        self._print(f"The secret code has been chosen. You have {TRIES} tries to guess the code.\n")
        for number, (guess, clue) in enumerate(game["guesses"], start=1):
            self._print(MENU)
            for digit in guess:
                self._enter(digit)
            self._print(f"Your guess is:\n{[COLOURS[int(digit)] for digit in guess]}\n")
            if clue == "win":
                self._print(f"Correct! You finished in {number} guesses\n")
                return
            self._print(f"Your clue is: {clue}\n")
            if number < TRIES:
                self._print(f"You have {TRIES - number} guesses left\n")
        self._print(f"No more guesses, the hidden colors were:\n{game['secret']}\n")

    def _enter(self, digit: str) -> None:
        """Type a peg, after its invalid lines."""
        while True:
            self._print("Guess color: ")
            line = self._typed.popleft() if self._verbatim else digit
            self._type(line)
            try:
                number = int(line)
            except ValueError:
                self.errors.append("number")
                self._print("Invalid number, try again:\n")
                continue
            if number in range(6):
                assert number == int(digit)
                return
            self.errors.append("guess")
            self._print("Invalid guess, try again:\n")

    def _print(self, text: str) -> None:
        self.end += text

    def _type(self, line: str) -> None:
        self.parts.append((self.end, line))
        self.end = ""
