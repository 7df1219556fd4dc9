from __future__ import annotations

import pytest

from mastermind_client.statistics import Bar, Figures, Record, gather
from mastermind_client.words.statistics import (
    OPPONENTS,
    describe_statistics,
    head_record,
    label_bar,
    tell_games,
    tell_record,
    tell_streak,
    write_averages,
)
from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.messages import ArchivedMatch


def archived(
    number: int,
    *tries: int,
    won: bool | None = True,
    rules: str = "classic",
    opponent: str = "hard",
) -> ArchivedMatch:
    return ArchivedMatch(
        match=f"ABC{number + 234:03}", rules=rules, rounds=1, at=number, seat=Seat.BREAKER,
        opponent=opponent, bot=True, won=won, how=MatchEnd.PLAYED, guesses=sum(tries),
        points=(0, 0), tries=tries,
    )  # fmt: skip


def test_statistics_are_told_in_lines_with_bars():
    found = gather(
        [
            archived(0, 3),
            archived(1, 5),
            archived(2, 5),
            archived(3, 0, won=False),
            archived(4, won=None, rules="mini", opponent="\x1bEve"),
            archived(5, 4),
        ]
    )
    assert list(describe_statistics(found, "#", 8)) == [
        "6 matches, 4 won, 1 lost, 1 drawn.",
        "Won in a row: 1; at most it was 3.",
        "",
        "classic: 5 matches, 4 won, 1 lost.",
        "Cracked: 4 of 5 codes; best 3, average 4.2.",
        "  3  #### 1",
        "  4  #### 1",
        "  5  ######## 2",
        "  -  #### 1",
        "",
        "mini: 1 match, 0 won, 0 lost, 1 drawn.",
        "",
        "Against:",
        "  hard (bot): 5 matches, 4 won, 1 lost",
        "  ?Eve (bot): 1 match, 0 won, 0 lost, 1 drawn",
    ]


def test_whoever_has_finished_nothing_is_told_so():
    assert list(describe_statistics(gather([]), "#")) == ["You have finished no match yet."]


def test_only_those_one_has_played_most_are_told_of():
    found = gather(archived(number, 5, opponent=f"P{number:02}") for number in range(OPPONENTS + 3))
    lines = list(describe_statistics(found, "#"))
    assert len(lines) - lines.index("Against:") - 1 == OPPONENTS


def test_a_record_is_headed_and_told_in_short():
    record = Record().add([3, 5, 8, 0])
    assert head_record(record, "classic") == "Your 4 classic games"
    assert head_record(Record().add([3]), "4x6/10") == "Your 1 4x6/10 game"
    assert write_averages(record, "·") == "best 3 · average 5.3"
    assert write_averages(Record().add([0]), "·") == ""
    assert tell_record(Record().add([0])) == "Cracked: 0 of 1 code."


@pytest.mark.parametrize(
    ("bar", "label"), [(Bar(4, 4, 9), "4"), (Bar(9, 12, 2), "9-12"), (Bar(0, 0, 1), "-")]
)
def test_a_bar_is_labelled_by_its_guesses(bar, label):
    assert label_bar(bar) == label


def test_a_streak_is_told_if_there_ever_was_one():
    assert tell_streak(Figures(games=3, lost=3)) == ""
    assert tell_streak(Figures(longest=4)) == "Won in a row at most: 4."
    assert tell_streak(Figures(streak=2, longest=4)) == "Won in a row: 2; at most it was 4."
    assert tell_streak(Figures(streak=4, longest=4)) == "Won in a row: 4, the most so far."
    assert tell_games(Figures(games=1, won=1)) == "1 match, 1 won, 0 lost"
