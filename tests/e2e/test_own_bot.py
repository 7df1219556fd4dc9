"""`mastermind bot`: a user's own bot as a separate process that plays on a server."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.processes import BIN, CTRL_C, Machine, Program, Server

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
BOTS = ROOT / "tests" / "client" / "bot_runner"
REMATCH = "Rematch, with the seats swapped? (Y/N) "
INTERRUPTED = 130
_HERE = 'cd "$1" && shift && exec "$@" 2>"$0"'  # run in a folder, with standard error in a file


class Workshop(Machine):
    """A machine of a bot author."""

    def run_bot(self, folder: Path, bot: str, *options: str, terminal: bool = False) -> Program:
        """Start `mastermind bot` in a folder; `errors` reads its standard error."""
        command = [str(BIN / "mastermind"), "bot", bot, *options]
        shell = ["/bin/sh", "-c", _HERE, str(self._errors), str(folder), *command]
        return self.run(Program, shell, "owner", terminal=terminal)

    @property
    def errors(self) -> str:
        """The standard error of the bot and its worker processes."""
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


def test_the_example_bot_plays_both_seats(machine, server):
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
    bot.expect(", I make\n", "Ada gave up after 1 guess: the code stands.\n", ": won\n")
    bot.finish()
    assert machine.errors == ""


def test_a_killed_bot_that_is_started_again_plays_on(machine, server):
    options = ("--matches=1", "--server", server.address)
    killed = machine.run_bot(BOTS, "bots:Breaker", *options)
    code = killed.find(r"open: match (\w{6}), classic, I break\n")[1]
    ada = join(machine, server, code)
    killed.expect(f"{code}: Ada joined\n")
    killed.kill()
    ada.answer("Your secret (4 pegs): ", "1111")
    bot = machine.run_bot(BOTS, "bots:Breaker", *options)
    bot.expect(f"{code}: resumed\n", f"{code}: broke the code in 1 guess\n", f"{code}: won\n")
    bot.finish()
    ada.expect("Breaker (bot) broke the code in 1 guess.\n")
    assert machine.errors == ""


def test_ctrl_c_makes_a_bot_leave_and_notifies_its_opponent(machine, server):
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
