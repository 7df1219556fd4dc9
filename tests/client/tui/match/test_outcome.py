from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from client.people import pegs
from client.tui.looks import LOOK, show
from client.tui.played import NONCE, do, game, leave, play, sit
from mastermind_client.tui.entry import Entry
from mastermind_client.tui.lines import width
from mastermind_client.tui.match.outcome import draw_outcome
from mastermind_client.tui.match.scene import Scene
from mastermind_protocol.commands import SetSecret

if TYPE_CHECKING:
    from mastermind_protocol.match import Match

WON = play(game("0123", "0011", "0123"))


def read(match: Match, me: str = "ADA", columns: int = 200) -> list[str]:
    return show(draw_outcome(Scene("7KQ2MX", match, me, Entry.empty(match.rules)), columns, LOOK))


@pytest.mark.parametrize(
    ("me", "ending", "result"),
    [
        ("ADA", "Bob broke the code in 2 guesses.", "Bob wins. You lose."),
        ("BOB", "You broke the code in 2 guesses.", "You win."),
        ("CLEO", "Bob broke the code in 2 guesses.", "Bob wins."),
    ],
)
def test_the_end_is_told_to_everybody_from_their_side(me: str, ending: str, result: str) -> None:
    assert read(WON, me) == [
        ending,
        "The secret was 1 2 3 4: red green blue yellow.",
        "+ Code proven: it is the one committed to, and every feedback fits it.",
        result,
    ]


def test_the_points_are_told_where_there_are_rounds() -> None:
    match = play(game("0123", "0123"), game("5555", "0011"))

    assert read(match)[-2:] == ["Points: Bob 2, Ada 1.", "Bob wins. You lose."]


def test_a_fraud_is_told_as_one() -> None:
    played = WON.played[0]
    cheated = msgspec.structs.replace(played, commitment=bytes(32))
    match = msgspec.structs.replace(WON, played=(cheated,))

    lines = draw_outcome(Scene("7KQ2MX", match, "BOB", Entry.empty(match.rules)), 200, LOOK)

    warning = next(line for line in lines if "WARNING" in show([line])[0])
    assert show([warning])[0].startswith("x WARNING! CODE NOT PROVEN")
    assert {fragment[0] for fragment in warning} == {"class:error"}


def test_a_match_that_was_left_before_a_secret_has_no_code_to_tell() -> None:
    told = " ".join(read(leave(sit())))

    assert "The secret was" not in told
    assert told.endswith("You win.")


def test_the_panel_between_two_rounds_has_no_result() -> None:
    match = do(sit(rounds=2), "ADA", SetSecret(pegs("0123"), NONCE))
    assert read(match) == ["Points: Ada 0, Bob 0."]


@pytest.mark.parametrize("columns", [10, 46, 60])
def test_the_panel_is_no_wider_than_its_room(columns: int) -> None:
    scene = Scene("7KQ2MX", WON, "ADA", Entry.empty(WON.rules))

    assert all(width(line) <= columns for line in draw_outcome(scene, columns, LOOK))
