from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kit.matches import NONCE, do, game, pegs, play, sit
from kit.strategies import brief
from mastermind_client.figures import (
    MAX_BARS,
    Bar,
    Figures,
    Opponent,
    Record,
    Statistics,
    combine_people,
    combine_statistics,
    find_fewest_wrong_pegs,
)
from mastermind_protocol import messages as wire
from mastermind_protocol.commands import LeaveMatch, SetSecret
from mastermind_protocol.match import list_tries

TRIES = st.lists(st.integers(0, 99), max_size=12)


def test_an_empty_record_has_no_best_and_no_bars():
    record = Record()
    assert (record.games, record.best, record.average, record.make_bars()) == (0, None, None, ())


@brief
@given(TRIES, TRIES)
def test_games_are_removed_from_a_record(tries, later):
    assert Record().add(tries).add(later).remove(later) == Record().add(tries)
    assert Record().remove(tries) == Record()


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


def test_tries_count_only_the_players_rounds_as_codebreaker():
    match = play(game("1234", "1122", "1234"), game("1122", "1234"), game("1234", "1234"))
    assert list_tries(match.played, "BOB") == (2, 1)
    assert list_tries(match.played, "ADA") == (0,)
    assert list_tries(match.played, "EVE") == ()
    advised = play(game("1234", "1122", "1234", advised=(2,)), game("1234"), game("1234", "1234"))
    assert list_tries(advised.played, "BOB") == (1,)
    left = do(do(sit(), "ADA", SetSecret(pegs("1234"), NONCE)), "ADA", LeaveMatch())
    assert list_tries(left.played, "BOB") == ()


def test_the_best_guess_is_the_closest():
    match = play(game("1234", "1122", "1256", "5555"))
    assert find_fewest_wrong_pegs(match, "BOB") == 2
    assert find_fewest_wrong_pegs(match, "ADA") is None


def make_answer(games: int, last: int, streak: int = 0, longest: int = 0) -> wire.Statistics:
    """Return statistics of drawn matches against the same opponents by the same rules."""
    figures = wire.Figures(
        matches=games, draws=games, last=last, streak=streak, longest=longest,
        distribution=(0, 0, games), unbroken=1,
    )  # fmt: skip
    return wire.Statistics(
        id=1,
        total=figures,
        by_rules=(wire.RulesFigures(rules="classic", figures=figures),),
        by_opponent=tuple(
            wire.OpponentFigures(opponent="Bob", bot=bot, figures=figures) for bot in (True, False)
        ),
    )


def test_statistics_of_several_servers_are_added():
    one, other = make_answer(2, last=7), make_answer(3, last=5)
    more = wire.RulesFigures(rules="mini", figures=wire.Figures(matches=9, wins=8, losses=1))

    found = combine_statistics([one, replace(other, by_rules=(*other.by_rules, more))])

    both = Figures(games=5, drawn=5, last=7, record=Record({3: 5}, 2))
    assert found.total == both
    assert list(found.by_rules.items()) == [
        ("mini", Figures(games=9, won=8, lost=1)), ("classic", both)
    ]  # fmt: skip
    bot, person = Opponent("Bob", bot=True), Opponent("Bob", bot=False)
    assert found.by_opponent == {bot: both, person: both}


def test_streaks_do_not_continue_on_another_server():
    older, newer = make_answer(9, 5, streak=3, longest=4), make_answer(9, 7, streak=2, longest=2)
    for answers in ((older, newer), (newer, older)):
        total = combine_statistics(answers).total
        assert (total.streak, total.longest) == (2, 4)


def test_without_matches_there_are_no_figures():
    assert combine_statistics([]) == Statistics()
    assert combine_statistics([wire.Statistics(id=1, total=wire.Figures())]) == Statistics()


def test_a_person_is_listed_once_with_the_row_of_the_server_that_has_the_matches():
    copied = wire.Person(player="A", name="Ada", wins=1, last=5)
    answers = {"offline": copied, "host": replace(copied, online=True)}
    people = {server: wire.People(id=1, people=(row,)) for server, row in answers.items()}
    assert combine_people(people, "offline", {"Ada"}) == [("host", answers["host"], False)]
