"""Your own bot on a server: a process of its own, which whoever likes may play against."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.processes import BIN, CTRL_C, Machine, Program, Server

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
BOTS = ROOT / "tests" / "client" / "own_bot"
REMATCH = "Rematch, with the seats swapped? (Y/N) "
INTERRUPTED = 130
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
def machine(tmp_path):
    machine = Workshop(tmp_path)
    yield machine
    machine.close()


def join(machine: Machine, server: Server, code: str, user: str = "ada") -> Program:
    name = user.capitalize()
    return machine.start("join", code, "--name", name, "--server", server.address, user=user)


def test_example_breaks_a_code_and_sets_one(machine, server):
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


def test_bot_that_is_ended_leaves_and_its_opponent_is_told(machine, server):
    running = machine.run_bot(BOTS, "bots:Both", "--server", server.address, terminal=True)
    code = running.find(r"open: match (\w{6}), classic, I make\n")[1]
    ada = join(machine, server, code)
    ada.expect("Guess 1 of 12: ")
    running.type(CTRL_C)
    running.find(rf"{code}: left\n")
    running.finish(INTERRUPTED)
    ada.expect("Both (bot) left.\n", "You win.\n")
    ada.finish()
    assert machine.errors == ""
