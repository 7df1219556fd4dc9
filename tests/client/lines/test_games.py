"""Whole games against bots, and of bots, by every preset: what is printed to whoever plays them."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from kit.matches import Dice, pegs
from mastermind_client.config.options import PlayOptions, WatchOptions
from mastermind_client.lines import app
from mastermind_client.lines.terminal import InputEnded
from mastermind_protocol.events import Seat
from mastermind_protocol.rules import DEFAULT, PRESETS, find_rules

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    from kit.desk import Desk
    from kit.server import RestartableServer

    NewDesk = Callable[..., Desk]


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
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.rules)


def break_bots_code(game: Game, seed: int) -> PlayOptions:
    """Return what is asked for by somebody who breaks the codes of a seed."""
    return PlayOptions(find_rules(game.rules), seed=seed)


async def expect(desk: Desk, *texts: str) -> None:
    """Wait until these texts have been printed, in this order."""
    for text in texts:
        await desk.until(text)


@every_game
async def test_a_game_is_won_and_the_next_one_given_up(desk: Desk, game: Game) -> None:
    random = Dice(20)
    secret, another = game.draw(random), game.draw(random)
    guesses = [game.symbols[0] * game.pegs, secret[1:] + secret[:1], secret.lower()]
    desk.start(app.play(break_bots_code(game, seed=20)))
    desk.type(secret[1:], "!" + secret[1:], *guesses, "Y", game.symbols[-1] * game.pegs)
    desk.type(game.surrender, "n")
    await expect(desk, f"{game.pegs - 1} pegs given, and a code of {game.rules} has {game.pegs}.\n")
    await expect(desk, "Peg 1: '!' is no colour of", " ".join(game.symbols))
    for number, guess in enumerate(guesses, start=1):
        await expect(desk, f"Guess {number}", game.row(number, secret, guess.upper()))
    await expect(desk, "You broke the code in 3 guesses.\n", game.reveal(secret), "Code proven")
    await expect(desk, "You win.\n", f"{game.again}Y\n")
    await expect(desk, game.row(1, another, game.symbols[-1] * game.pegs))
    await expect(desk, "You gave up after 1 guess: the code stands.\n", game.reveal(another))
    await expect(desk, "You lose.\n", f"{game.again}n\n")
    await desk.finish()
    assert desk.shown.endswith(f"{game.again}n\n{game.goodbye}\n")


@pytest.mark.parametrize("game", [CLASSIC, THIRTEEN, MINI], ids=lambda game: game.rules)
async def test_a_game_is_lost_after_the_last_guess(desk: Desk, game: Game) -> None:
    secret = game.draw(Dice(5))
    wrong = secret[1:] + next(symbol for symbol in game.symbols if symbol != secret[-1])
    desk.start(app.play(break_bots_code(game, seed=5)))
    desk.type(*[wrong] * game.tries, "n")
    row = game.row(game.tries, secret, wrong)
    await expect(desk, f"Guess {game.tries} of {game.tries}: ", row)
    await expect(desk, f"The code stands: {game.tries} guesses, and no more are left.\n")
    await expect(desk, game.reveal(secret), "You lose.\n", game.again, game.goodbye)
    await desk.finish()


async def test_knuths_method_has_as_many_guesses_as_it_takes(desk: Desk) -> None:
    secret = KNUTH.draw(Dice(5))
    wrong = secret[1:] + next(symbol for symbol in KNUTH.symbols if symbol != secret[-1])
    desk.start(app.play(break_bots_code(KNUTH, seed=5)))
    desk.type(*[wrong] * 40, secret, "n")
    await expect(desk, "Guess 41: ", KNUTH.row(41, secret, secret), "You win.\n")
    await desk.finish()


async def test_thirteen_shows_the_whole_board_after_every_guess(desk: Desk) -> None:
    secret = THIRTEEN.draw(Dice(8))
    desk.start(app.play(break_bots_code(THIRTEEN, seed=8)))
    desk.type("RROO", "PPBB", secret, "N")
    await desk.finish()
    boards = re.findall(r"(?:(?:^(?: \d|1\d)  .*\n){13})", desk.shown, flags=re.MULTILINE)
    rows = [
        THIRTEEN.row(number, secret, guess)
        for number, guess in enumerate(("RROO", "PPBB", secret), start=1)
    ]
    empty = [f"{number:2}  . . . .\n" for number in range(1, 14)]
    assert boards == ["".join(rows[:played] + empty[played:]) for played in (1, 2, 3)]


async def test_a_bot_plays_either_seat(desk: Desk) -> None:
    desk.start(app.play(PlayOptions(DEFAULT, versus="knuth", rounds=2)))
    desk.type("resign", "5162", "N")
    await expect(desk, "Round 1 of 2: knuth (bot) sets the secret, you break it.\n")
    await expect(desk, "Your secret (4 pegs): ", "It is 5 1 6 2; only you can see it.\n")
    guesses = await desk.until("knuth (bot) broke the code in ")
    turns = re.findall(r"\d+  (\d) (\d) (\d) (\d)  ", guesses)
    assert turns
    for number, turn in enumerate(turns, start=1):
        assert CLASSIC.row(number, "5162", "".join(turn)) in guesses
    await expect(desk, CLASSIC.reveal("5162"), "Code proven", "Points: ")
    await desk.finish()


@every_game
async def test_a_bot_breaks_a_persons_code(desk: Desk, game: Game) -> None:
    secret = game.symbols[1] + game.symbols[4] * (game.pegs - 2) + game.symbols[0]
    desk.start(app.play(PlayOptions(find_rules(game.rules), versus="knuth", seat=Seat.MAKER)))
    desk.type(game.symbols, secret, "n")
    await expect(
        desk, "You are the codemaker.\n", f"Your secret ({game.pegs} pegs): {game.symbols}\n"
    )
    await expect(desk, "pegs given", f"It is {' '.join(secret)}; only you can see it.\n")
    await desk.until("knuth (bot) broke the code in ")
    guesses = int((await desk.until(" guesses.\n")).partition(" ")[0])
    await expect(desk, game.reveal(secret), "Code proven", "You lose.\n", f"{game.again}n\n")
    await desk.finish()
    assert game.row(guesses, secret, secret) in desk.shown
    assert guesses <= 8


async def test_one_code_after_another_is_set_in_any_notation(desk: Desk) -> None:
    desk.start(app.play(PlayOptions(PRESETS["mini"], seat=Seat.MAKER)))
    for typed, again in (("R G O B", "yes"), ("yyyy", "Y"), ("p,p,b,b", "no")):
        desk.type(typed, again)
        await expect(desk, "hard (bot) broke the code in ", "You lose.\n")
    await desk.finish()
    assert desk.shown.endswith("Good-bye!\n")


async def test_knuths_method_is_watched_for_a_given_secret(desk: Desk) -> None:
    desk.hang_up()  # which does not end looking on
    desk.start(
        app.look_on(WatchOptions(None, bot="knuth", rules=PRESETS["knuth"], secret=pegs("1234")))
    )
    await desk.finish()
    assert re.findall(r"(?m)^ \d  (.*)$", desk.shown) == [
        "1 1 2 2  KW  1 black, 1 white",
        "1 1 3 4  KKK  3 black, 0 white",
        "1 2 3 4  KKKK  4 black, 0 white",
    ]
    assert "knuth (bot) broke the code in 3 guesses.\n" + KNUTH.reveal("1234") in desk.shown
    assert desk.shown.endswith("knuth (bot) wins.\n")


async def test_knuths_method_needs_five_guesses_at_most(desk: Desk) -> None:
    desk.start(app.look_on(WatchOptions(None, bot="knuth", rules=PRESETS["knuth"])))
    await desk.finish()
    turns = ["".join(turn) for turn in re.findall(r"(?m)^ \d  (\d) (\d) (\d) (\d)  ", desk.shown)]
    assert turns[0] == "1122"
    assert len(turns) <= 5
    rows = [KNUTH.row(number, turns[-1], turn) for number, turn in enumerate(turns, start=1)]
    assert "".join(rows) + f"knuth (bot) broke the code in {len(turns)} guess" in desk.shown
    assert KNUTH.reveal(turns[-1]) in desk.shown


async def test_two_bots_are_watched_by_those_who_find_them(
    server: RestartableServer, new_desk: NewDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = new_desk(), new_desk()
    monkeypatch.setattr(app, "open_terminal", lambda: one.terminal)
    rules = find_rules("5x8/30")
    one.start(app.look_on(WatchOptions(server.address, bot="random", rules=rules, public=True)))
    await one.until("You watch match ")
    code = (await one.until(".\n")).removesuffix(".\n")
    monkeypatch.setattr(app, "open_terminal", lambda: other.terminal)
    other.start(app.look_on(WatchOptions(server.address, code)))
    await one.finish()
    await other.finish()
    assert one.shown == other.shown
    assert "random (bot) is the codebreaker.\n" in one.shown


async def test_a_game_in_this_process_is_kept_while_it_is_played_and_leaves_nothing_behind(
    desk: Desk, data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def kept() -> list[Path]:
        return [*tmp_path.glob("mastermind-*"), *data_folder.rglob("*")]

    desk.start(app.play(PlayOptions(PRESETS["mini"])))
    await desk.until("Guess 1 of 6: ")
    assert await asyncio.to_thread(kept)
    desk.type("quit")
    with pytest.raises(InputEnded):
        await desk.finish()
    assert not await asyncio.to_thread(kept)
