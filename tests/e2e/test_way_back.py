"""The way back to a match: killed, closed and reopened terminals of the players of one computer."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING

import pytest

from e2e import screen
from processes import CTRL_C, PRINTER

if TYPE_CHECKING:
    from processes import Machine, Program, Server


@pytest.mark.parametrize("way", ["join", "continue"])
def test_two_players_of_one_computer_come_back_in_the_other_order(
    machine: Machine, server: Server, way: str
) -> None:
    at = ("--plain", "--server", server.address)
    ada = start(machine, "play", "--versus=friend", "--as=maker", "--name=Ada", *at)
    code = ada.find(r"Invite code: (\w{6})")[1]
    bob = start(machine, "join", code, "--name=Bob", *at)
    ada.expect("Your secret (4 pegs): ")
    bob.expect("Waiting for Ada to set the secret ...\n")
    for player in (ada, bob):
        player.signal(signal.SIGKILL)
        player.finish(-signal.SIGKILL)

    bob = start(machine, way, code, "--plain", "--name=Bob", *at[1:])
    bob.expect("Waiting for Ada to set the secret ...\n")
    ada = start(machine, way, code, "--plain", "--name=Ada", *at[1:])
    ada.answer("Your secret (4 pegs): ", "1234")

    bob.expect("Guess 1 of 12: ")


def test_the_end_of_the_screen_names_the_way_back(machine: Machine) -> None:
    ada = screen.start(machine, "play", "--versus=random", "--name=Ada")
    ada.until_fits(r"[Gg]uess 1")
    ada.press("f10")
    told = ada.end_sanely(0)
    code = re.search(
        r"Put aside: random, (\w{6}), your turn\. Come back: mastermind continue", told
    )
    assert code is not None, told

    again = start(machine, "continue", "--plain")

    again.answer("Guess 1 of 12: ", "1122")
    again.expect("Guess 2 of 12: ")
    again.type(CTRL_C)
    again.expect("your turn. Come back: mastermind continue ")

    ada = screen.start(machine, "continue")
    ada.until_fits(r"[Gg]uess 2")
    ada.press("f10")
    ada.end_sanely(0)


def start(machine: Machine, *arguments: str) -> Program:
    """Start the line interface on a terminal, on Ada's computer."""
    return machine.start(*arguments, environment=PRINTER, terminal=True)
