"""A codemaker, a codebreaker and a spectator, each with a separate process and home."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kit.processes import Machine, Program, Server

REMATCH = "Rematch, with the seats swapped? (Y/N) "
RULES = """\
classic: 4 pegs, 6 colours, 12 guesses.
Colours: 1 or R red, 2 or G green, 3 or B blue, 4 or Y yellow, 5 or O orange, 6 or P purple.
"""


@dataclass(frozen=True)
class Pair:
    """The two players of a match, with its code."""

    ada: Program
    bob: Program
    code: str


def meet(machine: Machine, server: Server, *options: str) -> Pair:
    """Open a match with Ada as codemaker, and join it as Bob by the invite code."""
    at = ("--server", server.address)
    ada = machine.start("play", "--versus=friend", "--as=maker", "--name=Ada", *at, *options)
    code = ada.find(r"Invite code: (\w{6})\n")[1]
    ada.expect(f"mastermind join {code} --server {server.address}\n", "Waiting for your friend")
    bob = machine.start("join", code, "--name=Bob", *at, user="bob")
    return Pair(ada, bob, code)


def forms(code: str, *names: str) -> list[str]:
    """Return all spellings of a code of digits with the colours `names`."""
    return [code, " ".join(code), ", ".join(code), " ".join(names), ", ".join(names)]


def check_unseen(secret: list[str], *programs: Program) -> None:
    for program in programs:
        seen = [form for form in secret if form in program.shown]
        assert not seen, f"{program.command} shows the secret: {seen}"


def test_breaker_and_spectator_never_see_the_secret_during_a_round(machine, server):
    secret = forms("1634", "red", "purple", "blue", "yellow")
    pair = meet(machine, server)
    ada, bob = pair.ada, pair.bob
    ada.answer("Your secret (4 pegs): ", "1634")
    ada.expect("It is 1 6 3 4; only you can see it.\n")
    bob.answer("Guess 1 of 12: ", "1122")
    bob.expect(" 1  1 1 2 2  1 black, 0 white\n")

    eve = machine.start("watch", pair.code, "--server", server.address, user="eve")  # in the middle
    eve.expect(" 1  1 1 2 2  1 black, 0 white\n")
    bob.answer("Guess 2 of 12: ", "6143")
    for program in (ada, bob, eve):
        program.expect(" 2  6 1 4 3  0 black, 4 white\n")
    bob.answer("Guess 3 of 12: ", "board")
    bob.expect(" 1  1 1 2 2  1 black, 0 white\n 2  6 1 4 3  0 black, 4 white\n")
    check_unseen(secret, bob, eve)

    bob.answer("Guess 3 of 12: ", "seal")
    bob.answer("Guess 3 of 12: ", "1634")
    shown = eve.finish()
    assert shown == (
        f"You watch match {pair.code}.\n" + RULES + "Ada is the codemaker.\n"
        "Bob is the codebreaker.\n"
        "The secret is set.\n"
        "It is sealed: who set it cannot change it unseen.\n"
        " 1  1 1 2 2  1 black, 0 white\n"
        " 2  6 1 4 3  0 black, 4 white\n"
        " 3  1 6 3 4  4 black, 0 white\n"
        "Bob broke the code in 3 guesses.\n"
        "The secret was 1 6 3 4: red purple blue yellow.\n"
        "Code proven: it is the one committed to, and every feedback fits it.\n"
        "Bob wins.\n"
    )
    for program, last in ((ada, "Bob wins. You lose.\n"), (bob, "You win.\n")):
        program.expect("The secret was 1 6 3 4: red purple blue yellow.\n", "Code proven", last)
    ada.answer(REMATCH, "seal")
    ada.answer(REMATCH, "n")
    ada.finish()
    assert bob.finish().endswith("Ada left.\nGood-bye!\n")
    (promised,), (proven,) = (re.findall("Commitment: .*", pr.shown) for pr in (bob, ada))
    assert promised == proven
