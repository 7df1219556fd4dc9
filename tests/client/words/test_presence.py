from __future__ import annotations

import pytest

from mastermind_client.net.mirror import Mirror
from mastermind_client.words.presence import count_spectators, describe_company
from mastermind_protocol.events import Finished, Joined, Left, MatchEnd, Opened, Player, Seat
from mastermind_protocol.messages import Row

ADA, BOB = Player(id="ADA", name="Ada"), Player(id="BOB", name="Bob")
KNUTH = Player(id="bot-knuth-breaker", name="knuth", bot="knuth")
ROBOT = Player(id="ROBOT", name="Robot", program=True)
NOW = 1000.0  # seconds


def mirror(*seated: Player) -> Mirror:
    """Return a match at which these sit, the codemaker first."""
    made = Mirror("ABC234")
    joined = (Joined(player=player, seat=seat) for player, seat in zip(seated, Seat, strict=False))
    made.apply(Row(1, (Opened(rules="classic", rounds=1), *joined)))
    return made


def test_a_player_is_told_of_the_opponent_and_a_spectator_of_both() -> None:
    match = mirror(ADA, BOB)
    match.spectators = 2
    assert list(describe_company(match, "ADA", NOW)) == [
        "Bob is a person.",
        "Bob is connected.",
        "2 spectators look on.",
    ]
    assert [line.partition(" ")[0] for line in describe_company(match, None, NOW)] == [
        "Ada", "Ada", "Bob", "Bob", "2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0, "0 seconds"),
        (1.9, "1 second"),
        (59, "59 seconds"),
        (60, "1 minute"),
        (3 * 60 + 59, "3 minutes"),
    ],
)
def test_it_is_told_since_when_somebody_is_away(seconds: float, told: str) -> None:
    match = mirror(ADA, BOB)
    match.note_presence("BOB", gone_since=NOW - seconds)
    lines = list(describe_company(match, "ADA", NOW))
    assert lines[1] == f"Bob has been away for {told}; the seat is kept."


def test_bots_and_programs_are_told_from_people() -> None:
    assert next(iter(describe_company(mirror(ADA, KNUTH), "ADA", NOW))) == (
        "knuth (bot) is a bot of the server."
    )
    assert list(describe_company(mirror(ADA, ROBOT), "ADA", NOW))[:2] == [
        "Robot (bot) is somebody's own program.",
        "Robot (bot) is connected.",
    ]


def test_an_empty_seat_and_one_that_was_left_are_told() -> None:
    assert list(describe_company(mirror(ADA), "ADA", NOW)) == [
        "Nobody has joined yet.",
        "Nobody looks on.",
    ]
    match = mirror(ADA, BOB)
    match.apply(Row(2, (Left(player="BOB"), Finished(how=MatchEnd.LEFT, winner="ADA"))))
    assert "Bob has left." in list(describe_company(match, "ADA", NOW))


@pytest.mark.parametrize(
    ("number", "told"),
    [(0, "Nobody looks on."), (1, "1 spectator looks on."), (2, "2 spectators look on.")],
)
def test_spectators_are_counted(number: int, told: str) -> None:
    assert count_spectators(number) == told
