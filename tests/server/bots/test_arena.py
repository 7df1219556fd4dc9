from __future__ import annotations

import re
import statistics
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from kit.matches import SeededRandom
from mastermind_protocol.code import Code
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.match import BreakerView
from mastermind_protocol.rules import Rules, find_rules
from mastermind_protocol.usual_guesses import (
    HIDING_GUESSES,
    HIDING_SIZES,
    SIZES,
    USUAL_GUESSES,
)
from mastermind_server.bots import BOTS, find_bot
from mastermind_server.bots.arena import Contest, Tally, find_breaker
from mastermind_server.bots.bot import Bot, DeterministicBot
from mastermind_server.bots.position import BreakerPosition, find_position
from mastermind_server.bots.solver import find_code_by_number

DOCUMENT = Path(__file__).parents[3] / "docs" / "BOTS.md"
CLASSIC = find_rules("classic")
SMALL = find_rules("3x4")
LONG = pytest.mark.trees  # up to a second each; 4x6 and one of 4x7 show the same


class Chooser(Bot):
    """A bot with a given method."""

    name = "chooser"
    about = "Chooses as a test says."

    def __init__(self, choose: Callable[[BreakerView, Random], Code]) -> None:
        self._choose = choose

    def choose(self, view: BreakerView, random: Random) -> Code:
        return self._choose(view, random)


class Picker(DeterministicBot):
    """A deterministic bot with a given method."""

    name = "picker"
    about = "Picks as a test says."

    def __init__(self, pick: Callable[[BreakerPosition], int]) -> None:
        self._pick = pick

    def choose_code_number(self, position: BreakerPosition) -> int:
        return self._pick(position)


def print_nothing(_over: int) -> None:
    """Report no progress."""


def choose_any(view: BreakerView, random: Random) -> Code:
    candidates = find_position(view).candidates
    number = int(candidates[random.randrange(len(candidates))])
    return find_code_by_number(view.rules.space, number)


LOWEST = Picker(lambda position: int(position.candidates[0]))
HIGHEST = Picker(lambda position: int(position.candidates[-1]))
RANDOM = Chooser(choose_any)


def play(bot: Bot, rules: Rules = SMALL, drawn: int | None = None, seed: int = 1) -> Tally:
    return Contest(bot, rules, drawn, seed).play(lambda _: None)


def record(bot: Bot, drawn: int | None, seed: int) -> list[tuple[Code, ...]]:
    """Return the guesses of every game."""
    games: list[tuple[Code, ...]] = []

    def choose(view: BreakerView, random: Random) -> Code:
        guess = bot.choose(view, random)
        if not view.turns:
            games.append(())
        games[-1] += (guess,)
        return guess

    play(Chooser(choose), drawn=drawn, seed=seed)
    return games


@pytest.mark.parametrize(
    ("bot", "drawn", "seed"),
    [(LOWEST, None, None), (RANDOM, None, 3), (LOWEST, 64, 3), (RANDOM, 64, 3)],
    ids=["tree", "games", "drawn", "drawn at random"],
)
def test_a_tally_adds_up_and_names_its_seed_and_progress_counts_each_game(bot, drawn, seed):
    counted: list[int] = []
    contest = Contest(bot, SMALL, drawn, 3)
    tally = contest.play(counted.append)
    assert tally.games == contest.games == sum(tally.histogram.values()) == 64
    assert counted == list(range(1, 65))
    assert tally.total_guesses == sum(guesses * games for guesses, games in tally.histogram.items())
    assert tally.total_guesses == sum(tally.guess_times.values())
    assert (tally.mean, tally.worst) == (tally.total_guesses / 64, max(tally.histogram))
    assert list(tally.histogram) == sorted(tally.histogram)
    assert (tally.bot, tally.rules, tally.is_sample) == (bot.name, SMALL, drawn is not None)
    assert tally.seed == seed


@pytest.mark.parametrize("bot", [LOWEST, HIGHEST])
def test_the_tree_of_a_deterministic_bot_has_the_histogram_of_its_games(bot):
    games = record(bot, None, 1)
    assert [guesses[-1] for guesses in games] == [
        find_code_by_number(SMALL.space, n) for n in range(64)
    ]
    lengths = [len(guesses) for guesses in games]
    assert play(bot).histogram == {n: lengths.count(n) for n in sorted(set(lengths))}


def test_the_limit_of_guesses_of_the_rules_is_ignored():
    assert play(LOWEST, find_rules("3x4/1")).histogram == play(LOWEST).histogram


@pytest.mark.parametrize("drawn", [20, None])
def test_a_seed_fixes_the_choices_of_a_bot(drawn):
    assert record(RANDOM, drawn, 7) == record(RANDOM, drawn, 7) != record(RANDOM, drawn, 8)


@pytest.mark.parametrize("bot", [LOWEST, RANDOM])
def test_a_seed_fixes_the_drawn_secrets_for_every_bot(bot):
    random = SeededRandom(7)
    drawn = [find_code_by_number(SMALL.space, random.randrange(64)) for _ in range(100)]
    assert [guesses[-1] for guesses in record(bot, 100, 7)] == drawn


def test_the_standard_error_is_that_of_a_sample():
    lengths = [len(guesses) for guesses in record(LOWEST, 50, 2)]
    error = play(LOWEST, drawn=50, seed=2).standard_error
    assert error == pytest.approx(statistics.stdev(lengths) / 50**0.5)
    assert [play(LOWEST, drawn=drawn).standard_error for drawn in (None, 1)] == [None, None]


def test_a_shared_move_is_timed_once_and_counts_in_every_game():
    # The lowest of four codes is guessed, the lower of two, and the other two by themselves.
    readings = iter([0, 9_000_000, 10_000_000, 13_000_000, 20_000_000, 21_000_000, 30, 5_000_030])
    tally = Contest(LOWEST, find_rules("2x2"), None, 0).play(lambda _: None, lambda: next(readings))
    assert tally.guess_times == {9_000: 4, 3_000: 2, 1_000: 1, 5_000: 1}
    assert (tally.total_guesses, tally.median_ms, tally.longest_ms, tally.seconds) == (
        8,
        5.0,
        9.0,
        0.018,
    )


def fail(_: object, __: object = None) -> Code:
    raise LookupError("the book is shut")


@pytest.mark.parametrize(
    ("bot", "error"),
    [
        (Chooser(fail), " 1: LookupError: the book is shut"),
        (
            Chooser(lambda view, _: fail(view) if view.turns else (0, 0, 1)),
            " 2, after RRG: LookupError: the book is shut",
        ),
        (
            Chooser(lambda _, __: (0, 4, 0)),
            " 1: InvalidCode: peg 2: 4 is no colour of 3x4/12; allowed: 0 to 3",
        ),
        (
            Chooser(lambda _, __: (0, 0)),
            " 1: InvalidCode: 2 pegs given, and a code of 3x4/12 has 3",
        ),
        (
            Chooser(lambda _, __: (3, 3, 3)),
            f" 1000, after {'YYY ' * 9}...: the code is not broken yet",
        ),
        (Picker(lambda _: 64), " 1: IndexError: there is no code number 64"),
        (Picker(lambda _: -1), " 1: IndexError: there is no code number -1"),
        (Picker(lambda _: 0), f" 1000, after {'RRR ' * 9}...: the code is not broken yet"),
    ],
)
def test_a_bot_that_fails_is_reported_with_its_guesses(bot, error):
    with pytest.raises(Refused) as caught:
        play(bot)
    assert caught.value.message == f"{bot.name} failed at guess{error}"
    assert caught.value.code == ErrorCode.INTERNAL


def test_an_interrupt_is_not_reported_as_a_failure_of_the_bot():
    def interrupt(_, __):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(Chooser(interrupt))


@pytest.mark.parametrize(
    ("name", "code"), [("hal", ErrorCode.UNKNOWN_BOT), ("devious", ErrorCode.INVALID_SEATS)]
)
def test_a_codebreaker_enters_by_its_name_unless_it_only_makes_codes(name, code):
    assert find_breaker("knuth") is find_bot("knuth")
    with pytest.raises(Refused) as caught:
        find_breaker(name)
    assert caught.value.code == code


def test_a_maker_hides_the_secrets_in_its_way():
    means = {
        maker: Contest(find_bot("hard"), CLASSIC, 400, 1, find_bot(maker)).play(print_nothing).mean
        for maker in ("easy", "medium", "hard")
    }
    assert means["easy"] < means["medium"] - 0.2 < means["hard"] - 0.3


def test_an_adaptive_maker_answers_each_guess_anew():
    tally = Contest(find_bot("hard"), CLASSIC, 2, 1, find_bot("devious")).play(print_nothing)
    assert tally.maker == "devious"
    assert tally.worst > play(find_bot("hard"), CLASSIC).mean
    assert len(tally.histogram) == 1  # both play without random numbers


# Totals of all secrets, as published by the authors that the bots' modules name.


@pytest.mark.parametrize(
    ("bot", "total", "histogram"),
    [
        ("knuth", 5801, {1: 1, 2: 6, 3: 62, 4: 533, 5: 694}),
        ("expected-size", 5696, {1: 1, 2: 10, 3: 54, 4: 645, 5: 583, 6: 3}),
        ("entropy", 5722, {1: 1, 2: 4, 3: 71, 4: 612, 5: 596, 6: 12}),
        ("most-parts", 5668, {1: 1, 2: 12, 3: 72, 4: 635, 5: 569, 6: 7}),
        ("optimal", 5625, {1: 1, 2: 8, 3: 83, 4: 662, 5: 541, 6: 1}),
        ("optimal-5", 5626, {1: 1, 2: 8, 3: 82, 4: 662, 5: 543}),
    ],
)
def test_a_bot_breaks_all_secrets_of_4x6_in_the_published_number_of_guesses(bot, total, histogram):
    tally = play(find_bot(bot), CLASSIC)
    assert (tally.total_guesses, tally.histogram) == (total, histogram)


@pytest.mark.parametrize(
    ("bot", "size", "total", "worst"),
    [
        ("knuth", "4x7", 11613, 6),
        pytest.param("knuth", "4x8", 21230, 6, marks=LONG),
        # mikemag/Mastermind has 11412: guesses of equal cost
        pytest.param("expected-size", "4x7", 11409, 6, marks=LONG),
        pytest.param("expected-size", "4x8", 20725, 7, marks=LONG),
        pytest.param("entropy", "4x7", 11378, 6, marks=LONG),  # 11374
        pytest.param("entropy", "4x8", 20688, 7, marks=LONG),  # 20695
        pytest.param("most-parts", "4x7", 11388, 6, marks=LONG),
        pytest.param("most-parts", "4x8", 20896, 7, marks=LONG),  # 20838
    ],
)
def test_larger_games_take_nearly_the_number_of_guesses_that_others_found(bot, size, total, worst):
    tally = play(find_bot(bot), find_rules(size))
    assert (tally.total_guesses, tally.worst) == (total, worst)


def test_the_document_states_the_result_of_every_codebreaker_for_classic():
    table = DOCUMENT.read_text("utf-8").partition("<!-- guesses:")[2].partition("<!-- end -->")[0]
    rows = re.findall(r"(?m)^\| ([\w-]+) \| ([\d.]+) / (\d+) \|", table)
    tallies = {name: play(bot, CLASSIC) for name, bot in BOTS.items() if bot.max_codes}
    assert rows == [
        (name, f"{tallies[name].mean:.4f}", f"{tallies[name].worst}") for name, _, _ in rows
    ]
    assert {name for name, _, _ in rows} == tallies.keys()
    beginner = tallies["forgetful"]  # "seven guesses at 4x6, sometimes over twelve"
    assert 7 < beginner.mean < 7.3
    long = sum(games for guesses, games in beginner.histogram.items() if guesses > 12)
    assert 0 < long < beginner.games / 100


def test_the_texts_of_players_state_the_means_of_the_document():
    document = DOCUMENT.read_text("utf-8")
    for table, sizes, known in (
        ("guesses", SIZES, USUAL_GUESSES),
        ("hiding", HIDING_SIZES, HIDING_GUESSES),
    ):
        rows = document.partition(f"<!-- {table}:")[2].partition("<!-- end -->")[0].splitlines()
        told: dict[str, list[float]] = {}
        for names, *cells in (row.strip("| ").split(" | ") for row in rows if " / " in row):
            means = [float(cell.split()[0]) for cell in cells if cell.strip("| ")]
            told |= dict.fromkeys(names.split(", "), means[: len(sizes)])
        assert told.keys() == known.keys()
        for name, means in told.items():
            stated = [mean for mean in known[name] if mean is not None]
            assert stated == pytest.approx(means, abs=0.0501)
