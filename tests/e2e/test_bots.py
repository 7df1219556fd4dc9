"""You and a bot, or two bots and you looking on: embedded, and hosted by a server."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from wire import Dice

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    from processes import Machine, Server


def count(black: int, white: int, _pegs: int) -> str:
    return f"{black} black, {white} white"


def count_gray(black: int, white: int, pegs: int) -> str:
    return f"{black} black, {white} gray, {pegs - black - white} empty"


def put_in_brackets(black: int, white: int, pegs: int) -> str:
    signs = ["[X]"] * black + ["[O]"] * white + ["[ ]"] * (pegs - black - white)
    return f"{''.join(signs)}  {count(black, white, pegs)}"


def put_letters(black: int, white: int, pegs: int) -> str:
    return f"{'K' * black + 'W' * white or '-'}  {count(black, white, pegs)}"


@dataclass(frozen=True)
class Game:
    """What somebody who chose these rules expects, written down once more for the tests."""

    rules: str
    pegs: int
    symbols: str
    colours: str
    tries: int
    keys: Callable[[int, int, int], str]
    surrender: str = "resign"
    again: str = "Play again? (Y/N) "
    goodbye: str = "Good-bye!"

    def draw(self, random: Random) -> str:
        """Return the next secret of a seed."""
        return "".join(
            self.symbols[random.randint(0, len(self.symbols) - 1)] for _ in range(self.pegs)
        )

    def row(self, number: int, secret: str, guess: str) -> str:
        """Return the line of the board for a guess at this secret."""
        black = sum(map(str.__eq__, secret, guess))
        common = (Counter(secret) & Counter(guess)).total()
        keys = self.keys(black, common - black, self.pegs)
        return f"{number:2}  {' '.join(guess)}  {keys}\n"

    def reveal(self, secret: str) -> str:
        """Return the line that shows the secret."""
        names = dict(zip(self.symbols, self.colours.split(), strict=True))
        return f"The secret was {' '.join(secret)}: {' '.join(names[peg] for peg in secret)}.\n"


CLASSIC = Game("classic", 4, "123456", "red green blue yellow orange purple", 12, count)
THIRTEEN = Game(
    "thirteen", 4, "ROYGBP", "red orange yellow green blue purple", 13, put_in_brackets,
    "surrender", "Continue? [Y/N] ", "Goodbye!",
)  # fmt: skip
MINI = Game("mini", 4, "RGOBPY", "red green orange blue purple yellow", 6, count_gray)
EIGHT = Game(
    "eight", 4, "RGBYVOPT", "red green blue yellow violet olive pink teal", 10, put_letters
)
KNUTH = Game("knuth", 4, "123456", "red green blue yellow orange purple", 999, put_letters)
CUSTOM = Game(
    "5x8/12", 5, "RGBYOPCM", "red green blue yellow orange purple cyan magenta", 12, count
)
GAMES = [CLASSIC, THIRTEEN, MINI, EIGHT, KNUTH, CUSTOM]
LIMITED = [CLASSIC, THIRTEEN, MINI, EIGHT, CUSTOM]
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.rules)
every_limited_game = pytest.mark.parametrize("game", LIMITED, ids=lambda game: game.rules)


@pytest.fixture(params=["embedded", "hosted"])
def place(request: pytest.FixtureRequest, machine: Machine) -> list[str]:
    """Where the bots are, as options: in the player's own process, or on a server."""
    return ["--server", machine.serve().address] if request.param == "hosted" else []


@every_game
def test_piped_game_is_won_and_the_next_one_given_up(machine: Machine, game: Game) -> None:
    random = Dice(20)
    secret, another = game.draw(random), game.draw(random)
    guesses = [game.symbols[0] * game.pegs, secret[1:] + secret[:1], secret.lower()]
    player = machine.start("play", "--rules", game.rules, "--seed=20")
    player.send(secret[1:], "!" + secret[1:], *guesses, "Y", game.symbols[-1] * game.pegs)
    player.send(game.surrender, "n")
    player.expect(f"{game.pegs - 1} pegs given, and a code of {game.rules} has {game.pegs}.\n")
    player.expect("Peg 1: '!' is no colour of", " ".join(game.symbols))
    for number, guess in enumerate(guesses, start=1):
        player.expect(f"Guess {number}", game.row(number, secret, guess.upper()))
    player.expect("You broke the code in 3 guesses.\n", game.reveal(secret), "Code proven")
    player.expect("You win.\n", f"{game.again}Y\n")
    player.expect(game.row(1, another, game.symbols[-1] * game.pegs))
    player.expect("You gave up after 1 guess: the code stands.\n", game.reveal(another))
    player.expect("You lose.\n", f"{game.again}n\n")
    assert player.finish().endswith(f"{game.again}n\n{game.goodbye}\n")


@every_limited_game
def test_piped_game_is_lost_after_the_last_guess(machine: Machine, game: Game) -> None:
    secret = game.draw(Dice(5))
    wrong = secret[1:] + next(symbol for symbol in game.symbols if symbol != secret[-1])
    player = machine.start("play", "--versus=random", "--rules", game.rules, "--seed=5")
    player.send(*[wrong] * game.tries, "n")
    player.expect(f"Guess {game.tries} of {game.tries}: ", game.row(game.tries, secret, wrong))
    player.expect(f"The code stands: {game.tries} guesses, and no more are left.\n")
    player.expect(game.reveal(secret), "You lose.\n", game.again, game.goodbye)
    player.finish()


def test_algorithm_mode_has_as_many_guesses_as_it_takes(machine: Machine) -> None:
    secret = KNUTH.draw(Dice(5))
    wrong = secret[1:] + next(symbol for symbol in KNUTH.symbols if symbol != secret[-1])
    player = machine.start("play", "--rules=knuth", "--seed=5")
    player.send(*[wrong] * 40, secret, "n")
    player.expect("Guess 41: ", KNUTH.row(41, secret, secret), "You win.\n")
    player.finish()


def test_thirteen_shows_the_whole_board_after_every_guess(machine: Machine) -> None:
    secret = THIRTEEN.draw(Dice(8))
    player = machine.start("play", "--rules=thirteen", "--seed=8")
    player.send("RROO", "PPBB", secret, "N")
    shown = player.finish()
    boards = re.findall(r"(?:(?:^(?: \d|1\d)  .*\n){13})", shown, flags=re.MULTILINE)
    rows = [
        THIRTEEN.row(number, secret, guess)
        for number, guess in enumerate(("RROO", "PPBB", secret), start=1)
    ]
    empty = [f"{number:2}  . . . .\n" for number in range(1, 14)]
    assert boards == ["".join(rows[:played] + empty[played:]) for played in (1, 2, 3)]
    assert shown.endswith("Continue? [Y/N] N\nGoodbye!\n")


@pytest.mark.parametrize("bot", ["random", "knuth"])
def test_bot_plays_either_seat(machine: Machine, place: list[str], bot: str) -> None:
    player = machine.start("play", "--versus", bot, "--rounds=2", *place)
    player.expect(f"Round 1 of 2: {bot} (bot) sets the secret, you break it.\n")
    player.answer("Guess 1 of 12: ", "1122")
    player.expect(" 1  1 1 2 2  ")
    player.answer("Guess 2 of 12: ", "resign")
    player.answer("Your secret (4 pegs): ", "5162")
    player.expect("It is 5 1 6 2; only you can see it.\n")
    guesses = player.find(rf"((?: ?\d+  .*\n)+){re.escape(bot)} \(bot\) (?:broke|.*stands)")[1]
    turns = re.findall(r"\d+  (\d) (\d) (\d) (\d)  ", guesses)
    told = "".join(
        CLASSIC.row(number, "5162", "".join(turn)) for number, turn in enumerate(turns, start=1)
    )
    assert guesses == told
    player.expect(CLASSIC.reveal("5162"), "Code proven", "Points: ")
    player.answer("Play again? (Y/N) ", "N")
    player.finish()


@every_game
def test_computer_breaks_your_code(machine: Machine, game: Game) -> None:
    secret = game.symbols[1] + game.symbols[4] * (game.pegs - 2) + game.symbols[0]
    player = machine.start("play", "--versus=knuth", "--as=maker", "--rules", game.rules)
    player.send(game.symbols, secret, "n")
    player.expect("You are the codemaker.\n", f"Your secret ({game.pegs} pegs): {game.symbols}\n")
    player.expect("pegs given", f"It is {' '.join(secret)}; only you can see it.\n")
    guesses = player.find(r"knuth \(bot\) broke the code in (\d+) guesses\.\n")[1]
    player.expect(game.reveal(secret), "Code proven", "You lose.\n", f"{game.again}n\n")
    shown = player.finish()
    assert game.row(int(guesses), secret, secret) in shown
    assert int(guesses) <= 8


def test_computer_breaks_one_code_after_another(machine: Machine) -> None:
    player = machine.start("play", "--as=maker", "--rules=mini")
    for typed, again in (("R G O B", "yes"), ("yyyy", "Y"), ("p,p,b,b", "no")):
        player.answer("Your secret (4 pegs): ", typed)
        player.expect("hard (bot optimal) broke the code in ", "You lose.\n")
        player.answer("Play again? (Y/N) ", again)
    assert player.finish().endswith("Good-bye!\n")


def test_knuths_method_is_watched_for_a_given_secret(machine: Machine, place: list[str]) -> None:
    watcher = machine.start(
        "watch", "--bot=knuth", "--rules=knuth", "--secret=1234", *place, terminal=False
    )
    watcher.end_input()
    shown = watcher.finish()
    assert re.findall(r"(?m)^ \d  (.*)$", shown) == [
        "1 1 2 2  KW  1 black, 1 white",
        "1 1 3 4  KKK  3 black, 0 white",
        "1 2 3 4  KKKK  4 black, 0 white",
    ]
    assert "knuth (bot) broke the code in 3 guesses.\n" in shown
    assert KNUTH.reveal("1234") in shown
    assert "Code proven" in shown


@pytest.mark.parametrize("secret", ["", "1111", "6666", "5314"])
def test_knuths_method_needs_five_guesses_at_most(machine: Machine, secret: str) -> None:
    given = ["--secret", secret] if secret else []
    shown = machine.start("watch", "--bot=knuth", *given).finish()
    turns = ["".join(turn) for turn in re.findall(r"(?m)^ \d  (\d) (\d) (\d) (\d)  [KW-]", shown)]
    assert turns[0] == "1122"
    assert len(turns) <= 5
    assert secret in ("", turns[-1])
    rows = [KNUTH.row(number, turns[-1], turn) for number, turn in enumerate(turns, start=1)]
    assert "".join(rows) + f"knuth (bot) broke the code in {len(turns)} guess" in shown
    assert KNUTH.reveal(turns[-1]) in shown


def test_two_bots_are_watched_by_those_who_find_them(machine: Machine, server: Server) -> None:
    bots = ["watch", "--bot=random", "--rules=5x8/30", "--public", "--server", server.address]
    first = machine.start(*bots)
    code = first.find(r"You watch match (\w{6})\.\n")[1]
    second = machine.start("watch", code.lower(), "--server", server.address, user="eve")
    one, other = first.finish(), second.finish()
    assert one == other
    assert "random (bot) is the codebreaker.\n" in one


def test_game_in_this_process_leaves_nothing_behind(machine: Machine) -> None:
    home = machine.home("ada")
    player = machine.start("play", "--rules=mini")
    player.expect("Guess 1 of 6: ")
    assert files_in(home), "the game is kept while it is played"
    player.send("resign", "n")
    player.finish()
    assert files_in(home) == []


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]
