"""Your own bot on a server: a process of its own, which whoever likes may play against."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from processes import BIN, CTRL_C, Machine, Program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from processes import Server

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
BOTS = ROOT / "tests" / "client" / "own_bot"
REMATCH = "Rematch, with the seats swapped? (Y/N) "
_HERE = 'cd "$1" && shift && exec "$@" 2>"$0"'  # in a folder, errors kept in a file


class Workshop(Machine):
    """A machine on which somebody writes bots."""

    def run_bot(self, folder: Path, bot: str, *options: str, terminal: bool = False) -> Program:
        """Start `mastermind bot` in a folder; its standard error is what `errors` has."""
        command = [str(BIN / "mastermind"), "bot", bot, *options]
        shell = ["/bin/sh", "-c", _HERE, str(self._errors), str(folder), *command]
        return self.run(Program, shell, "owner", terminal=terminal)

    @property
    def errors(self) -> str:
        """What the bot and its processes wrote to standard error."""
        return self._errors.read_text()

    @property
    def _errors(self) -> Path:
        return self.folder / "bot.stderr"


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Workshop]:
    machine = Workshop(tmp_path)
    yield machine
    machine.close()


def join(machine: Machine, server: Server, code: str, user: str = "ada") -> Program:
    name = user.capitalize()
    return machine.start("join", code, "--name", name, "--server", server.address, user=user)


def test_example_breaks_a_code_and_sets_one(machine: Workshop, server: Server) -> None:
    options = ("--matches=2", "--games=1", "--server", server.address)
    bot = machine.run_bot(EXAMPLES, "greedy_bot:GreedyBot", *options)
    bot.expect("connected as GreedyBot\n")
    bot.find(r"open: match \w{6}, classic, I break\n")
    ada = machine.start("join", "--name=Ada", "--server", server.address)
    number = ada.find(r"(\d)  \w{6}  classic: GreedyBot \(bot\) breaks, you set\n")[1]
    ada.answer("Which one? ", number)
    ada.answer("Your secret (4 pegs): ", "5162")
    guesses = ada.find(r"GreedyBot \(bot\) broke the code in (\d) guesses\.\n")[1]
    bot.expect(f"broke the code in {guesses} guesses\n")
    ada.answer(REMATCH, "y")
    ada.expect("GreedyBot (bot) is the codemaker.\n")
    ada.answer("Guess 1 of 12: ", "1122")
    ada.answer("Guess 2 of 12: ", "resign")
    ada.expect("You gave up after 1 guess: the code stands.\n", "Code proven: ")
    ada.expect("GreedyBot (bot) left.\n")
    ada.finish()
    bot.expect(", I make\n", "Ada gave up after 1 guess\n", ": won\n")
    bot.finish()
    assert machine.errors == ""


FAILURES = [
    (
        *("Raising", "the bot failed, and forfeits"),
        r"choose\(\) raised ZeroDivisionError: division by zero \(bots\.py:\d+\)",
    ),
    ("Slow", "the bot took too long, and forfeits", r"choose\(\) took longer than 3 s"),
    (
        *("Illegal", "the bot played no legal code, and forfeits"),
        r"choose\(\) returned \[0, 1, 2, 9\]: peg 4: 9 is no colour of classic; allowed: 0 to 5",
    ),
    ("Exiting", "the bot failed, and forfeits", r"choose\(\) ended its process with status 3"),
]


@pytest.mark.parametrize(("bot", "why", "told"), FAILURES, ids=lambda value: value[:10])
def test_bot_that_misbehaves_forfeits_one_match_and_plays_the_next(
    machine: Workshop, server: Server, bot: str, why: str, told: str
) -> None:
    options = ("--seconds=3", "--matches=2", "--games=1", "--server", server.address)
    running = machine.run_bot(BOTS, f"bots:{bot}", *options)
    code = running.find(r"open: match (\w{6}), classic, I break\n")[1]
    ada = join(machine, server, code)
    ada.answer("Your secret (4 pegs): ", "1111")
    ada.expect(f"{bot} (bot) left: {why}.\n", "You win.\n")
    ada.finish()
    running.find(rf"{code}: forfeited: {told}\n")
    code = running.find(r"open: match (\w{6}), classic, I break\n")[1]
    eve = join(machine, server, code, "eve")
    eve.answer("Your secret (4 pegs): ", "3333")
    eve.expect(f"{bot} (bot) broke the code in 3 guesses.\n", "You lose.\n")
    eve.finish()
    running.expect(f"{code}: broke the code in 3 guesses\n", f"{code}: won\n")
    running.finish()
    assert ("Traceback" in machine.errors) is (bot == "Raising")


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_bot_that_is_ended_leaves_and_its_opponent_is_told(
    machine: Workshop, server: Server, number: signal.Signals, status: int
) -> None:
    running = machine.run_bot(
        BOTS, "bots:Both", "--server", server.address, terminal=number is signal.SIGINT
    )
    code = running.find(r"open: match (\w{6}), classic, I make\n")[1]
    ada = join(machine, server, code)
    ada.expect("Guess 1 of 12: ")
    if number is signal.SIGINT:
        running.type(CTRL_C)
    else:
        running.signal(number)
    running.find(rf"{code}: left\n")
    running.finish(status)
    ada.expect("Both (bot) left.\n", "You win.\n")
    ada.finish()
    eve = machine.start("join", "--server", server.address, user="eve")
    eve.answer("No public match is waiting.\n", "q")
    eve.finish()
    assert machine.errors == ""


def test_bot_prints_for_its_owner_and_the_game_goes_on(machine: Workshop, server: Server) -> None:
    running = machine.run_bot(
        BOTS, "bots:Talking", "--server", server.address, "--matches=1", "--name=Chatty"
    )
    code = running.find(r"open: match (\w{6}), classic, I break\n")[1]
    ada = join(machine, server, code)
    ada.answer("Your secret (4 pegs): ", "2222")
    ada.expect("Chatty (bot) broke the code in 2 guesses.\n")
    ada.answer(REMATCH, "n")
    ada.finish()
    running.expect(f"{code}: broke the code in 2 guesses\n")
    shown = running.finish()
    assert "I guess" not in shown
    assert machine.errors.startswith("I guess 0\nwritten at the lowest level\n")


def test_owner_of_a_bot_stays_who_they_are(machine: Workshop, server: Server) -> None:
    at = ("--server", server.address)
    owner = machine.start("play", "--versus=friend", "--name=Olga", *at, user="owner")
    owner.expect("Waiting for your friend ...\n")
    owner.signal(signal.SIGTERM)
    owner.finish(143)
    running = machine.run_bot(BOTS, "bots:Both", *at, "--matches=1")
    code = running.find(r"open: match (\w{6}), classic, I break\n")[1]
    ada = join(machine, server, code)
    ada.expect("Your secret (4 pegs): ")
    ada.end_input()
    ada.finish()
    running.finish()
    owner = machine.start("play", "--versus=friend", *at, user="owner")
    code = owner.find(r"Invite code: (\w{6})\n")[1]
    ada = join(machine, server, code)
    ada.expect("Olga is the codebreaker.\n")


@pytest.mark.parametrize(
    ("bot", "told"),
    [
        ("nothing:Both", r"there is no module 'nothing' in /.*/own_bot"),
        ("bots:Nobody", r"bots has no class 'Nobody'; it has Breaker, Maker, .*"),
        ("bots:Idle", r"bots:Idle has neither choose\(view\) nor make\(rules\)"),
        ("bots:Broken", r"bots:Broken\(\) raised RuntimeError: no opening book \(bots\.py:\d+\)"),
    ],
)
def test_bot_that_cannot_be_loaded_is_told_in_one_line(
    machine: Workshop, bot: str, told: str
) -> None:
    running = machine.run_bot(BOTS, bot)
    assert running.finish(2) == ""
    assert re.fullmatch(rf"mastermind: {told}\n", machine.errors)


def test_bot_without_a_server_is_told_in_one_line(machine: Workshop) -> None:
    server = machine.serve()
    server.kill()
    running = machine.run_bot(BOTS, "bots:Both", "--server", server.address)
    assert running.finish(1) == ""
    assert machine.errors.startswith(f"mastermind: cannot reach {server.address}: nothing listens")
    assert machine.errors.count("\n") == 1
