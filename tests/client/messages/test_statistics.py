from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kit.matches import NONCE, do, game, pegs, play, sit
from kit.strategies import brief
from mastermind_client.messages.statistics import (
    MAX_BARS,
    MAX_OPPONENTS,
    Bar,
    Figures,
    Opponent,
    Record,
    Statistics,
    describe_streak,
    find_fewest_wrong_pegs,
    format_bar_label,
    format_best_and_average,
    format_games,
    format_record_heading,
    gather_statistics,
    list_statistics,
    scale_bar,
)
from mastermind_protocol.commands import LeaveMatch, SetSecret
from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.match import list_tries
from mastermind_protocol.messages import ArchivedMatch

TRIES = st.lists(st.integers(0, 99), max_size=12)


def archived(
    number: int,
    *,
    rules: str = "classic",
    opponent: str | None = "Bob",
    bot: bool = False,
    won: bool | None = True,
    tries: tuple[int, ...] = (5,),
) -> ArchivedMatch:
    """Return the match with this number: the higher, the later."""
    return ArchivedMatch(
        match=f"ABC{number + 234:03}", rules=rules, rounds=1, at=number, seat=Seat.BREAKER,
        opponent=opponent, bot=bot, won=won, how=MatchEnd.PLAYED, guesses=sum(tries),
        points=(0, 0), tries=tries,
    )  # fmt: skip


def test_a_closed_match_is_no_game():
    closed = replace(archived(2, won=None, tries=()), how=MatchEnd.CLOSED)
    assert gather_statistics([archived(1), closed]) == gather_statistics([archived(1)])


@st.composite
def archives(draw: st.DrawFn) -> list[ArchivedMatch]:
    return [
        archived(
            number,
            rules=draw(st.sampled_from(["classic", "mini", "4x6/10"])),
            opponent=draw(st.sampled_from(["Bob", "hard", None])),
            bot=draw(st.booleans()),
            won=draw(st.sampled_from([True, False, None])),
            tries=tuple(draw(st.lists(st.integers(0, 12), max_size=3))),
        )
        for number in range(draw(st.integers(0, 8)))
    ]


def changed(before: Figures, after: Figures, last: ArchivedMatch) -> None:
    """Check that figures have changed by one match, and by nothing else."""
    assert after.games == before.games + 1 == after.won + after.lost + after.drawn
    assert after.won - before.won == (last.won is True)
    assert after.lost - before.lost == (last.won is False)
    assert after.drawn - before.drawn == (last.won is None)
    assert after.streak == (before.streak + 1 if last.won else 0)
    assert after.longest == max(before.longest, after.streak)
    assert after.record == before.record.add(last.tries)


@brief
@given(archives(), st.data())
def test_a_match_changes_only_its_own_figures(matches, data):
    rules = data.draw(st.sampled_from(["classic", "mini"]))
    opponent = data.draw(st.sampled_from([Opponent("Bob", bot=False), Opponent(None, bot=True)]))
    last = archived(
        len(matches),
        rules=rules,
        opponent=opponent.name,
        bot=opponent.bot,
        won=data.draw(st.sampled_from([True, False, None])),
        tries=tuple(data.draw(TRIES)),
    )
    before, after = gather_statistics(matches), gather_statistics([*matches, last])
    changed(before.total, after.total, last)
    changed(before.by_rules.get(rules, Figures()), after.by_rules[rules], last)
    changed(before.by_opponent.get(opponent, Figures()), after.by_opponent[opponent], last)
    for name in before.by_rules.keys() - {rules}:
        assert after.by_rules[name] == before.by_rules[name]
    for other in before.by_opponent.keys() - {opponent}:
        assert after.by_opponent[other] == before.by_opponent[other]


@brief
@given(archives(), st.data())
def test_the_order_of_matches_does_not_matter(matches, data):
    assert gather_statistics(data.draw(st.permutations(matches))) == gather_statistics(matches)


@brief
@given(archives())
def test_groups_sum_to_the_total_and_are_sorted_by_size(matches):
    found = gather_statistics(matches)
    for groups in (found.by_rules.values(), found.by_opponent.values()):
        sizes = [figures.games for figures in groups]
        assert sum(sizes) == found.total.games == len(matches)
        assert sizes == sorted(sizes, reverse=True)
        assert sum(figures.record.games for figures in groups) == found.total.record.games


def test_a_streak_is_of_the_latest_matches():
    results = [True, True, True, False, True, True]
    found = gather_statistics(archived(number, won=won) for number, won in enumerate(results)).total
    assert (found.streak, found.longest) == (2, 3)
    assert gather_statistics([archived(0), archived(1, won=None)]).total.streak == 0


def test_without_matches_there_are_no_figures():
    nothing = gather_statistics([])
    assert nothing == Statistics()
    record = nothing.record("classic")
    assert (record.games, record.best, record.average, record.make_bars()) == (0, None, None, ())


@brief
@given(TRIES)
def test_a_record_has_the_best_and_average_of_broken_codes(tries):
    record, broken = Record().add(tries), [guesses for guesses in tries if guesses]
    assert record.games == len(tries)
    assert record.unbroken == tries.count(0)
    assert record.best == min(broken, default=None)
    assert record.average == (pytest.approx(sum(broken) / len(broken)) if broken else None)
    assert record == Record().add(reversed(tries))


@brief
@given(TRIES, st.integers(2, 9))
def test_a_chart_counts_every_game_once_in_a_limited_number_of_bars(tries, most):
    bars = Record().add(tries).make_bars(most)
    assert len(bars) <= most
    for guesses, games in Counter(tries).items():
        (bar,) = (bar for bar in bars if guesses in bar)
        assert bar.games >= games
    assert sum(bar.games for bar in bars) == len(tries)
    numbers = [
        number
        for bar in bars
        if bar.most_guesses
        for number in range(bar.least_guesses, bar.most_guesses + 1)
    ]
    broken = [guesses for guesses in tries if guesses]
    assert numbers == (list(range(min(broken), max(broken) + 1)) if broken else [])


def test_a_chart_merges_the_bars_with_the_fewest_games():
    record = Record().add([3, 4, 4, 5, 5, 5, 6, 6, 7, 8, 12, 0])
    assert record.make_bars() == (
        Bar(3, 3, 1), Bar(4, 4, 2), Bar(5, 5, 3), Bar(6, 6, 2), Bar(7, 7, 1), Bar(8, 12, 2),
        Bar(0, 0, 1),
    )  # fmt: skip
    assert len(record.make_bars()) == MAX_BARS
    assert Record().add([3, 5]).make_bars() == (Bar(3, 3, 1), Bar(4, 4, 0), Bar(5, 5, 1))
    with pytest.raises(ValueError, match="needs 2"):
        record.make_bars(1)


def test_a_bar_with_a_game_is_visible():
    assert [scale_bar(part, 900, 32) for part in (0, 1, 450, 900)] == [0, 1, 16, 32]


def test_tries_count_only_the_players_rounds_as_codebreaker():
    match = play(game("1234", "1122", "1234"), game("1122", "1234"), game("1234", "1234"))
    assert list_tries(match.played, "BOB") == (2, 1)
    assert list_tries(match.played, "ADA") == (0,)
    assert list_tries(match.played, "EVE") == ()
    left = do(do(sit(), "ADA", SetSecret(pegs("1234"), NONCE)), "ADA", LeaveMatch())
    assert list_tries(left.played, "BOB") == ()


def test_the_best_guess_is_the_closest():
    match = play(game("1234", "1122", "1256", "5555"))
    assert find_fewest_wrong_pegs(match, "BOB") == 2
    assert find_fewest_wrong_pegs(match, "ADA") is None


def bot_game(number: int, *tries: int, **changes: object) -> ArchivedMatch:
    """Return a match against the bot hard, won unless changed."""
    return replace(archived(number, opponent="hard", bot=True, tries=tries), **changes)


def test_statistics_are_lines_with_bars():
    lost = bot_game(3, 0, won=False)
    drawn = bot_game(4, won=None, rules="mini", opponent="Eve")
    found = gather_statistics(
        [bot_game(0, 3), bot_game(1, 5), bot_game(2, 5), lost, drawn, bot_game(5, 4)]
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
    found = gather_statistics(
        bot_game(number, 5, opponent=f"P{number:02}") for number in range(MAX_OPPONENTS + 3)
    )
    lines = list(list_statistics(found, [""], "#"))
    assert len(lines) - lines.index("Against") - 1 == MAX_OPPONENTS
    assert list(list_statistics(gather_statistics([]), [], "#")) == [
        "You have finished no match yet."
    ]


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
        (format_games, (Figures(games=1, won=1),), "1 match, 1 won, 0 lost"),
    ],
)  # fmt: skip
def test_a_figure_is_written(write, given, words):
    assert write(*given) == words
