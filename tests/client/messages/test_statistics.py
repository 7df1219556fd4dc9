import pytest
from msgspec.structs import replace

from mastermind_client.messages.statistics import (
    OPPONENTS,
    describe_streak,
    format_averages,
    format_bar_label,
    format_games,
    format_record_heading,
    list_statistics,
)
from mastermind_client.statistics import Bar, Figures, Record, gather
from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.messages import ArchivedMatch


def archived(number: int, *tries: int, **changes: object) -> ArchivedMatch:
    """Return a match against the bot hard, won unless changed."""
    match = ArchivedMatch(
        match=f"ABC{number + 234:03}", rules="classic", rounds=1, at=number, seat=Seat.BREAKER,
        opponent="hard", bot=True, won=True, how=MatchEnd.PLAYED, guesses=sum(tries),
        points=(0, 0), tries=tries,
    )  # fmt: skip
    return replace(match, **changes)


def test_statistics_are_lines_with_bars():
    lost = archived(3, 0, won=False)
    drawn = archived(4, won=None, rules="mini", opponent="Eve")
    found = gather(
        [archived(0, 3), archived(1, 5), archived(2, 5), lost, drawn, archived(5, 4)]
    )  # fmt: skip
    assert list(list_statistics(found, ["", "ws://eve"], "#")) == [
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
        "",
        "Against",
        "hard (bot): 5 matches, 4 won, 1 lost",
        "Eve (bot): 1 match, 0 won, 0 lost, 1 drawn",
    ]


def test_only_the_most_frequent_opponents_are_listed():
    found = gather(archived(number, 5, opponent=f"P{number:02}") for number in range(OPPONENTS + 3))
    lines = list(list_statistics(found, [""], "#"))
    assert len(lines) - lines.index("Against") - 1 == OPPONENTS
    assert list(list_statistics(gather([]), [], "#")) == ["You have finished no match yet."]


RECORD = Record().add([3, 5, 8, 0])


@pytest.mark.parametrize(
    ("write", "given", "words"),
    [
        (format_record_heading, (RECORD, "classic"), "4 classic games here"),
        (format_record_heading, (Record().add([3]), "4x6/10"), "1 4x6/10 game here"),
        (format_averages, (RECORD, "·"), "best 3 · average 5.3"),
        (format_averages, (Record().add([0]), "·"), ""),
        (format_bar_label, (Bar(4, 4, 9),), "4"),
        (format_bar_label, (Bar(9, 12, 2),), "9-12"),
        (format_bar_label, (Bar(0, 0, 1),), "-"),
        (describe_streak, (Figures(games=3, lost=3),), ""),
        (describe_streak, (Figures(longest=4),), "Longest winning streak: 4."),
        (describe_streak, (Figures(streak=2, longest=4),), "Won in a row: 2; longest streak: 4."),
        (describe_streak, (Figures(streak=4, longest=4),), "Won in a row: 4, your longest streak."),
        (format_games, (Figures(games=1, won=1),), "1 match, 1 won, 0 lost"),
    ],
)  # fmt: skip
def test_a_figure_is_written(write, given, words):
    assert write(*given) == words
