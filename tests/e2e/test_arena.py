"""The arena as a command: what a person sees, what a script reads, and how one gets out of it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from processes import CTRL_C

if TYPE_CHECKING:
    from processes import Machine

INTERRUPTED = 130


def test_bots_are_compared_in_a_table_and_in_bars(machine: Machine) -> None:
    arena = machine.start("arena", "--bot=knuth", "--bot=most-parts")
    shown = arena.finish().splitlines()
    assert shown[0] == "classic: 4 pegs, 6 colours, 1296 codes, all played"
    rows = [line.split()[:5] for line in shown if re.match(r" [\w-]+ +1296 ", line)]
    assert rows == [
        ["knuth", "1296", "5801", "4.4761", "5"],
        ["most-parts", "1296", "5668", "4.3735", "6"],
    ]
    assert f"    5 694 {50 * '█'}" in shown
    assert max(map(len, shown)) <= 80


def test_a_terminal_is_left_with_the_table_alone(machine: Machine) -> None:
    arena = machine.start("arena", "--bot=random", "--rules=4x5", "--seed=3", terminal=True)
    arena.expect("random", "/625", "4x5/12: 4 pegs, 5 colours, 625 codes, all played (--seed 3)")
    arena.finish()


@pytest.mark.parametrize("bot", ["random", "entropy"])
def test_drawn_games_are_the_same_again_with_their_seed(machine: Machine, bot: str) -> None:
    line = ["arena", "--rules=5x6", "--bot", bot, "--games=10", "--json"]
    first = json.loads(machine.start(*line).finish())
    again = json.loads(machine.start(*line, f"--seed={first['seed']}").finish())
    assert again["histogram"] == first["histogram"]
    assert (again["games"], again["codes"]) == (10, 7776)


@pytest.mark.parametrize("bot", ["random", "knuth"])
def test_ctrl_c_leaves_at_once(machine: Machine, bot: str) -> None:
    arena = machine.start("arena", "--bot", bot, "--rules=6x9", "--all", terminal=True)
    arena.expect(bot, "/531441")
    arena.type(CTRL_C)
    assert arena.finish(INTERRUPTED).endswith("\n")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("--bot deepblue", "'deepblue' is no bot here: use forgetful, random, knuth"),
        ("--bot devious", "devious only makes codes: choose another codebreaker"),
        ("--bot knuth --rules 9x12 --games 3", "9x12/12 has 5159780352 codes"),
    ],
)
def test_what_cannot_be_played_is_told_in_one_line(
    machine: Machine, line: str, complaint: str
) -> None:
    arena = machine.start("arena", *line.split())
    assert arena.finish(2, errors=None) == ""
    assert arena.errors.startswith(f"mastermind: {complaint}")
    assert arena.errors.count("\n") == 1


def test_a_reader_who_goes_away_ends_it(machine: Machine) -> None:
    arena = machine.start("arena", "--bot=knuth", "--bot=random", "--rules=4x7", "--json")
    arena.close_output()
    arena.finish(1)
