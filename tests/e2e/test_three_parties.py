"""You, a friend and somebody who looks on, each with a process and a home of their own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from processes import Machine, Program, Server

REMATCH = "Rematch, with the seats swapped? (Y/N) "
RULES = """\
classic: 4 pegs, 6 colours, 12 guesses.
Colours: 1 or R red, 2 or G green, 3 or B blue, 4 or Y yellow, 5 or O orange, 6 or P purple.
"""


@dataclass(frozen=True)
class Pair:
    """Two friends across a board; `code` is their match's."""

    ada: Program
    bob: Program
    code: str


def meet(machine: Machine, server: Server, *options: str) -> Pair:
    """Let Ada make a code for Bob, who joins by the invite code."""
    at = ("--server", server.address)
    ada = machine.start("play", "--versus=friend", "--as=maker", "--name=Ada", *at, *options)
    code = ada.find(r"Invite code: (\w{6})\n")[1]
    ada.expect(f"mastermind join {code} --server {server.address}\n", "Waiting for your friend")
    bob = machine.start("join", code, "--name=Bob", *at, user="bob")
    return Pair(ada, bob, code)


def forms(code: str, *names: str) -> list[str]:
    """Return every way in which a code of digits could be shown."""
    return [code, " ".join(code), ", ".join(code), " ".join(names), ", ".join(names)]


def check_unseen(secret: list[str], *programs: Program) -> None:
    for program in programs:
        seen = [form for form in secret if form in program.shown]
        assert not seen, f"{program.command} shows the secret: {seen}"


def hide_commitment(text: str) -> str:
    return re.sub(r"(?m)^Commitment: [0-9a-f]{64}$", "Commitment: ...", text)


def test_three_finish_a_match_and_only_the_maker_knows_the_secret(
    machine: Machine, server: Server
) -> None:
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

    bob.answer("Guess 3 of 12: ", "1634")
    shown = hide_commitment(eve.finish())
    assert shown == (
        f"You watch match {pair.code}.\n" + RULES + "Ada is the codemaker.\n"
        "Bob is the codebreaker.\n"
        "The secret is set.\n"
        "Commitment: ...\n"
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
    ada.answer(REMATCH, "n")
    ada.finish()
    assert bob.finish().endswith("Ada left.\nGood-bye!\n")
    commitments = {re.findall("Commitment: .*", program.shown)[0] for program in (ada, bob, eve)}
    assert len(commitments) == 1


def test_two_rounds_swap_the_roles_and_a_rematch_is_taken_and_then_declined(
    machine: Machine, server: Server
) -> None:
    pair = meet(machine, server, "--rounds=2")
    ada, bob = pair.ada, pair.bob
    eve = machine.start("watch", pair.code, "--server", server.address, user="eve")

    ada.expect("Round 1 of 2: you set the secret, Bob breaks it.\n")
    bob.expect("Round 1 of 2: Ada sets the secret, you break it.\n")
    ada.answer("Your secret (4 pegs): ", "1234")
    bob.answer("Guess 1 of 12: ", "4321")
    bob.expect("0 black, 4 white\n")
    bob.answer("Guess 2 of 12: ", "R G B Y")
    for program, subject in ((ada, "Bob"), (bob, "You"), (eve, "Bob")):
        program.expect(f"{subject} broke the code in 2 guesses.\n", "The secret was 1 2 3 4:")
        program.expect("Points: Bob 0, Ada 2.\n")

    bob.expect("Round 2 of 2: you set the secret, Ada breaks it.\n")
    ada.expect("Round 2 of 2: Bob sets the secret, you break it.\n")
    eve.expect("Round 2 of 2: Bob sets the secret, Ada breaks it.\n")
    bob.answer("Your secret (4 pegs): ", "2545")
    ada.answer("Guess 1 of 12: ", "5555")
    for program in (ada, bob, eve):
        program.expect(" 1  5 5 5 5  2 black, 0 white\n")
    check_unseen(forms("2545", "green", "orange", "yellow", "orange"), ada, eve)
    ada.answer("Guess 2 of 12: ", "5252")
    ada.answer("Guess 3 of 12: ", "2545")
    for program, subject, result in (
        (ada, "You", "Bob wins. You lose."),
        (bob, "Ada", "You win."),
        (eve, "Ada", "Bob wins."),
    ):
        program.expect(f"{subject} broke the code in 3 guesses.\n", "The secret was 2 5 4 5:")
        program.expect("Points: Bob 3, Ada 2.\n", f"{result}\n")
    eve.finish()

    ada.answer(REMATCH, "y")
    bob.expect("Ada offered a rematch: match ")
    bob.answer(REMATCH, "y")
    for maker, breaker in ((ada, bob), (bob, ada)):
        maker.answer("Your secret (4 pegs): ", "1111")
        breaker.answer("Guess 1 of 12: ", "resign")
        breaker.expect("You gave up after 0 guesses: the code stands.\n")
    for program in (ada, bob):
        program.expect("Points: Bob 1, Ada 1.\n", "The match is a draw.\n")
    bob.answer(REMATCH, "y")
    bob.expect("Waiting for the answer ...\n")
    ada.expect("Bob offered a rematch: match ")
    ada.answer(REMATCH, "N")
    assert ada.finish().endswith(f"{REMATCH}N\nGood-bye!\n")
    assert bob.finish().endswith("Ada left.\nGood-bye!\n")


def test_both_may_offer_the_rematch_at_once(machine: Machine, server: Server) -> None:
    pair = meet(machine, server)
    ada, bob = pair.ada, pair.bob
    ada.answer("Your secret (4 pegs): ", "1234")
    bob.answer("Guess 1 of 12: ", "1234")
    for program in (ada, bob):
        program.expect(REMATCH)
    for program in (ada, bob):
        program.send("y")
    bob.answer("Your secret (4 pegs): ", "4321")
    ada.answer("Guess 1 of 12: ", "4321")
    for program in (ada, bob):
        program.answer(REMATCH, "n")
    for program in (ada, bob):
        assert program.finish().endswith("Good-bye!\n")


def test_anyone_twice_is_a_pair_and_a_third_waits(machine: Machine, server: Server) -> None:
    anyone = ("play", "--versus=anyone", "--server", server.address)
    ada = machine.start(*anyone, "--name=Ada", "--as=maker")
    code = ada.find(r"Waiting for somebody to join \(match (\w{6})\)")[1]
    bob = machine.start(*anyone, "--name=Bob", user="bob")
    ada.answer("Your secret (4 pegs): ", "1234")
    bob.expect("Ada is the codemaker.\n", "You are the codebreaker.\n", "Guess 1 of 12: ")
    third = machine.start(*anyone, user="third")
    other = third.find(r"Waiting for somebody to join \(match (\w{6})\)")[1]
    assert other != code
    bob.send("1234")
    bob.answer(REMATCH, "n")
    bob.finish()
    ada.finish()


def test_watch_alone_lists_what_is_public_and_follows_the_one_picked(
    machine: Machine, server: Server
) -> None:
    at = ("--server", server.address)
    watcher = machine.start("watch", *at, user="eve")
    watcher.expect("No public match is running.\n")
    public = ("play", *at, "--public", "--versus=random")
    ada = machine.start(*public, "--name=Ada", "--rules=mini")
    ada.expect("Guess 1 of 6: ")
    bob = machine.start(*public, "--name=Bob", "--rules=eight", "--as=maker", user="bob")
    bob.expect("Your secret (4 pegs): ")
    pair = meet(machine, server)  # a friend's match is not public
    pair.bob.expect("Waiting for Ada to set the secret")

    watcher.answer("Which one? (number, Enter to look again, q to quit) ", "")
    listed = watcher.find(r"(?s)\n(.*?)Which one\? ")[1]
    assert re.findall(r"(?m)^ *(\d+)  \w{6}  (.*)$", listed) == [
        ("1", "eight: Bob sets, random (bot) breaks (setting)"),
        ("2", "mini: random (bot) sets, Ada breaks (breaking)"),
    ]
    watcher.answer("q to quit) ", "3")
    watcher.expect("There is no match 3 in the list.\n")
    watcher.answer("q to quit) ", "2")
    watcher.expect("You watch match ", "mini: 4 pegs", "Ada is the codebreaker.\n")
    ada.send("RGOB")
    watcher.expect(" 1  R G O B  ")
    check_unseen(re.findall(r"The secret was ([^:]*):", ada.shown), watcher)
    ada.send("resign")
    watcher.expect("Ada gave up after 1 guess: the code stands.\n")
    watcher.finish()


def test_two_terminals_of_one_user_are_two_players(machine: Machine, server: Server) -> None:
    at = ("--server", server.address)
    first = machine.start("play", "--versus=friend", *at)
    code = first.find(r"Invite code: (\w{6})\n")[1]
    second = machine.start("join", code, *at)
    second.answer("Your secret (4 pegs): ", "6666")
    first.answer("Guess 1 of 12: ", "6666")
    first.answer(REMATCH, "n")
    shown = first.finish(), second.finish()
    names = [
        set(re.findall(r"(?m)^(.*) (?:is|are) the code(?:maker|breaker)\.$", text))
        for text in shown
    ]
    assert all("You" in seen and len(seen) == 2 for seen in names)
    assert len(names[0] | names[1]) == 3, "each sees the other by another name"
    tokens = [path.read_text() for path in machine.home("ada").rglob("*.token")]
    assert len(set(tokens)) == 2
    assert {path.stat().st_mode & 0o077 for path in machine.home("ada").rglob("*.token")} == {0}
