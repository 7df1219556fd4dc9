from typing import Any

import pytest

from kit.statistics import sum_matches
from mastermind_client.figures import Bar, Figures, Record, Statistics, combine_statistics
from mastermind_client.messages.statistics import (
    MAX_OPPONENTS,
    describe_streak,
    format_bar_label,
    format_best_and_average,
    format_games,
    format_record_heading,
    format_uncounted,
    list_statistics,
    scale_bar,
)
from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.messages import MAX_STATISTICS_RULES, ArchivedMatch

OMISSION = "Only those with the most matches are listed."


def test_a_bar_with_a_game_is_visible():
    assert [scale_bar(part, 900, 32) for part in (0, 1, 450, 900)] == [0, 1, 16, 32]


def archived(number: int, *tries: int, **changes: Any) -> ArchivedMatch:
    """Return match `number` against the bot hard, won unless changed: the higher, the later."""
    fields = {"rules": "classic", "opponent": "hard", "won": True, **changes}
    return ArchivedMatch(
        match=f"ABC{number + 234:03}", rounds=1, at=number, seat=Seat.BREAKER, bot=True,
        how=MatchEnd.PLAYED, guesses=sum(tries), points=(0, 0), tries=tries, **fields,
    )  # fmt: skip


def test_statistics_are_lines_with_bars():
    answer = sum_matches(
        [
            archived(0, 3), archived(1, 5), archived(2, 5), archived(3, 0, won=False),
            archived(4, won=None, rules="mini", opponent="Eve"), archived(5, 4),
        ]
    )  # fmt: skip
    assert list(list_statistics(combine_statistics([answer]), ["", "ws://eve"], "#")) == [
        "6 matches, 4 won, 1 lost, 1 drawn",
        "Counted: this computer, ws://eve.",
        "Won in a row: 1; longest streak: 3.",
        "",
        "classic: best 3, average 4.2",
        "5 matches, 4 won, 1 lost",
        "    3 ################# 1",
        "    4 ################# 1",
        "    5 ################################## 2",
        "    - ################# 1",
        "",
        "mini",
        "1 match, 0 won, 0 lost, 1 drawn",
        "1 code with advice: not counted in best and average.",
        "",
        "Against",
        "hard (bot): 5 matches, 4 won, 1 lost",
        "Eve (bot): 1 match, 0 won, 0 lost, 1 drawn",
    ]


def test_only_the_most_frequent_opponents_are_listed():
    answer = sum_matches(
        archived(number, 5, opponent=f"P{number:02}") for number in range(MAX_OPPONENTS + 3)
    )
    lines = list(list_statistics(combine_statistics([answer]), [""], "#"))
    assert len(lines[lines.index("Against") + 1 :]) == MAX_OPPONENTS + 1
    assert lines.count(OMISSION) == 1
    assert lines[-1] == OMISSION
    assert list(list_statistics(Statistics(), [], "#")) == ["You have finished no match yet."]


def test_rules_that_the_server_has_omitted_are_mentioned():
    answer = sum_matches(
        archived(number, 5, rules=f"{number + 2}x12/99")
        for number in range(MAX_STATISTICS_RULES + 1)
    )
    lines = list(list_statistics(combine_statistics([answer]), [""], "#"))
    assert lines[lines.index("Against") - 2] == OMISSION
    assert lines.count(OMISSION) == 1


RECORD = Record().add([3, 5, 8, 0])


@pytest.mark.parametrize(
    ("write", "given", "words"),
    [
        (format_record_heading, (RECORD, "classic"), "4 classic games here"),
        (format_record_heading, (Record().add([3]), "4x6/10"), "1 4x6/10 game here"),
        (format_best_and_average, (RECORD, "·"), "best 3 · average 5.3"),
        (format_best_and_average, (Record().add([0]), "·"), ""),
        (format_bar_label, (Bar(4, 4, 9),), "4"),
        (format_bar_label, (Bar(9, 12, 2),), "9-12"),
        (format_bar_label, (Bar(0, 0, 1),), "-"),
        (describe_streak, (Figures(games=3, lost=3),), ""),
        (describe_streak, (Figures(longest=4),), "Longest winning streak: 4."),
        (describe_streak, (Figures(streak=2, longest=4),), "Won in a row: 2; longest streak: 4."),
        (describe_streak, (Figures(streak=4, longest=4),), "Won in a row: 4, your longest streak."),
        (format_uncounted, ("", "no"), "this computer is not counted: no"),
        (format_games, (Figures(games=1, won=1),), "1 match, 1 won, 0 lost"),
    ],
)  # fmt: skip
def test_a_figure_is_written(write, given, words):
    assert write(*given) == words
