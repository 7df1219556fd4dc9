from __future__ import annotations

import re
import statistics
from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random

import pytest

from kit.matches import SeededRandom
from mastermind_protocol.breaker import BreakerView
from mastermind_protocol.code import Code
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.rules import Rules, find_rules
from mastermind_server.bots import BOTS, find_bot
from mastermind_server.bots.arena import Contest, Tally, enter
from mastermind_server.bots.bot import Bot, Deterministic
from mastermind_server.bots.position import BreakerPosition, find_position
from mastermind_server.bots.solver import find_code

DOCUMENT = Path(__file__).parents[3] / "docs" / "BOTS.md"
CLASSIC = find_rules("classic")
SMALL = find_rules("3x4")


class Anyhow(Bot):
    """A bot with a given method."""

    name = "anyhow"
    about = "Chooses as a test says."
    largest = 10_000

    def __init__(self, choose: Callable[[BreakerView, Random], Code]) -> None:
        self._choose = choose

    def choose(self, view: BreakerView, random: Random) -> Code:
        return self._choose(view, random)


class Picker(Deterministic):
    """A deterministic bot with a given method."""

    name = "picker"
    about = "Picks as a test says."

    def __init__(self, pick: Callable[[BreakerPosition], int]) -> None:
        self._pick = pick

    def pick(self, position: BreakerPosition) -> int:
        return self._pick(position)


def pick_lowest(position: BreakerPosition) -> int:
    return int(position.candidates[0])


def choose_any(view: BreakerView, random: Random) -> Code:
    candidates = find_position(view).candidates
    number = int(candidates[random.randrange(len(candidates))])
    return find_code(view.rules.pegs, view.rules.colours, number)


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

    play(Anyhow(choose), drawn=drawn, seed=seed)
    return games


every_way = pytest.mark.parametrize(
    ("bot", "drawn"),
    [(Picker(pick_lowest), None), (Anyhow(choose_any), None), (Picker(pick_lowest), 64)],
    ids=["tree", "games", "drawn"],
)


@every_way
def test_a_tally_adds_up(bot, drawn):
    tally = play(bot, drawn=drawn)
    assert tally.games == sum(tally.histogram.values()) == 64
    assert tally.total == sum(guesses * games for guesses, games in tally.histogram.items())
    assert tally.total == sum(tally.moves.values())
    assert tally.mean == tally.total / 64
    assert tally.worst == max(tally.histogram)
    assert list(tally.histogram) == sorted(tally.histogram)
    assert (tally.bot, tally.rules, tally.drawn) == (bot.name, SMALL, drawn is not None)


@every_way
def test_progress_hears_of_each_game(bot, drawn):
    heard: list[int] = []
    contest = Contest(bot, SMALL, drawn, 1)
    contest.play(heard.append)
    assert heard == list(range(1, contest.games + 1))


def test_every_secret_is_played_once_where_there_is_chance():
    games = record(Anyhow(choose_any), None, 5)
    assert len(games) == 64
    assert {guesses[-1] for guesses in games} == {find_code(3, 4, number) for number in range(64)}


def test_every_secret_is_played_once_where_there_is_none():
    asked: list[BreakerPosition] = []

    def pick(position):
        asked.append(position)
        return pick_lowest(position)

    tally = play(Picker(pick))
    found = [int(position.candidates[0]) for position in asked]
    assert sorted(found) == list(range(64))  # as each guess may be the secret
    assert tally.total == sum(len(position.candidates) for position in asked)


@pytest.mark.parametrize("pick", [pick_lowest, lambda position: int(position.candidates[-1])])
def test_a_tree_is_worth_what_its_games_are(pick):
    bot = Picker(pick)
    tree, games = play(bot), play(Anyhow(bot.choose))
    assert tree.histogram == games.histogram
    assert tree.total == games.total


def test_the_rules_limit_of_guesses_is_left_aside():
    unhurried, hurried = (play(Picker(pick_lowest), find_rules(name)) for name in ("3x4", "3x4/1"))
    assert hurried.histogram == unhurried.histogram


def test_a_seed_fixes_the_drawn_secrets_and_the_bots_chance():
    assert record(Anyhow(choose_any), 20, 7) == record(Anyhow(choose_any), 20, 7)
    assert record(Anyhow(choose_any), 20, 7) != record(Anyhow(choose_any), 20, 8)
    assert record(Anyhow(choose_any), None, 7) == record(Anyhow(choose_any), None, 7)
    assert record(Anyhow(choose_any), None, 7) != record(Anyhow(choose_any), None, 8)


def test_every_bot_is_given_the_same_drawn_secrets():
    any_games, lowest_games = (
        record(bot, 20, 7) for bot in (Anyhow(choose_any), Picker(pick_lowest))
    )
    assert [guesses[-1] for guesses in any_games] == [guesses[-1] for guesses in lowest_games]


def test_secrets_are_drawn_as_the_standard_generator_does():
    random = SeededRandom(7)
    drawn = [find_code(3, 4, random.randrange(64)) for _ in range(100)]
    assert [guesses[-1] for guesses in record(Picker(pick_lowest), 100, 7)] == drawn


@pytest.mark.parametrize(
    ("bot", "drawn", "seed"),
    [
        (Picker(pick_lowest), None, None),
        (Picker(pick_lowest), 5, 3),
        (Anyhow(choose_any), None, 3),
        (Anyhow(choose_any), 5, 3),
    ],
)
def test_a_seed_is_told_where_there_was_chance(bot, drawn, seed):
    assert play(bot, drawn=drawn, seed=3).seed == seed


def test_the_standard_error_is_that_of_a_sample():
    lengths = [len(guesses) for guesses in record(Picker(pick_lowest), 50, 2)]
    error = play(Picker(pick_lowest), drawn=50, seed=2).error
    assert error == pytest.approx(statistics.stdev(lengths) / 50**0.5)


@pytest.mark.parametrize("drawn", [None, 1])
def test_all_secrets_and_one_alone_have_no_standard_error(drawn):
    assert play(Picker(pick_lowest), drawn=drawn).error is None


def test_moves_are_clocked_and_a_shared_one_counts_in_every_game():
    # The lowest of four codes is guessed, the lower of two, and the other two by themselves.
    readings = iter([0, 9_000_000, 10_000_000, 13_000_000, 20_000_000, 21_000_000, 30, 5_000_030])
    contest = Contest(Picker(pick_lowest), find_rules("2x2"), None, 0)
    tally = contest.play(lambda _: None, lambda: next(readings))
    assert tally.moves == {9_000: 4, 3_000: 2, 1_000: 1, 5_000: 1}
    assert (tally.total, tally.median, tally.longest, tally.seconds) == (8, 5.0, 9.0, 0.018)


def test_half_of_all_moves_take_no_longer_than_the_median():
    ticks = count()
    tally = Contest(Anyhow(choose_any), SMALL, 10, 1).play(
        lambda _: None, lambda: next(ticks) ** 2 * 1_000_000
    )
    taken = sorted(tally.moves)
    assert len(taken) == tally.total
    assert tally.median == taken[(tally.total - 1) // 2] / 1000
    assert tally.longest == taken[-1] / 1000


AT_ONCE = "anyhow failed at guess 1: InvalidCode:"


def fail(_: object, __: object = None) -> Code:
    raise LookupError("the book is shut")


@pytest.mark.parametrize(
    ("bot", "message"),
    [
        (Anyhow(fail), "anyhow failed at guess 1: LookupError: the book is shut"),
        (
            Anyhow(lambda view, _: fail(view) if view.turns else (0, 0, 1)),
            "anyhow failed at guess 2, after RRG: LookupError: the book is shut",
        ),
        (
            Anyhow(lambda _, __: (0, 4, 0)),
            f"{AT_ONCE} peg 2: 4 is no colour of 3x4/12; allowed: 0 to 3",
        ),
        (
            Anyhow(lambda _, __: (0, 0)),
            f"{AT_ONCE} 2 pegs given, and a code of 3x4/12 has 3",
        ),
        (
            Anyhow(lambda _, __: (3, 3, 3)),
            f"anyhow failed at guess 1000, after {'YYY ' * 9}...: the code is not broken yet",
        ),
        (Picker(lambda _: 64), "picker failed at guess 1: IndexError: there is no code number 64"),
        (Picker(lambda _: -1), "picker failed at guess 1: IndexError: there is no code number -1"),
        (
            Picker(lambda _: 0),
            f"picker failed at guess 1000, after {'RRR ' * 9}...: the code is not broken yet",
        ),
    ],
    ids=["raises", "raises later", "colour", "pegs", "stubborn", "number", "negative", "loop"],
)
def test_a_bot_that_does_not_play_is_told_with_its_guesses(bot, message):
    with pytest.raises(Refused) as caught:
        play(bot)
    assert caught.value.message == message
    assert caught.value.code == ErrorCode.INTERNAL


def test_ctrl_c_is_no_failure_of_the_bots():
    def interrupt(_, __):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(Anyhow(interrupt))


def test_bots_enter_by_name_and_are_refused_as_at_any_table():
    contest = enter("knuth", CLASSIC, None, 0)
    assert (contest.bot, contest.games) == (find_bot("knuth"), 1296)
    assert enter("knuth", CLASSIC, 20, 0).games == 20
    with pytest.raises(Refused) as caught:
        enter("hal", CLASSIC, None, 0)
    assert caught.value.code == ErrorCode.UNKNOWN_BOT
    with pytest.raises(Refused) as caught:
        enter("knuth", find_rules("9x12"), None, 0)
    assert caught.value.code == ErrorCode.RULES_TOO_LARGE


def test_knuths_own_histogram_is_found_again():
    assert play(find_bot("knuth"), CLASSIC).histogram == {1: 1, 2: 6, 3: 62, 4: 533, 5: 694}


@pytest.mark.parametrize(("name", "total", "worst"), [("optimal", 5625, 6), ("optimal-5", 5626, 5)])
def test_what_is_proven_to_be_the_least_is_found_again(name, total, worst):
    tally = play(find_bot(name), CLASSIC)
    assert (tally.total, tally.worst) == (total, worst)


def documented() -> list[tuple[str, str, str]]:
    """Return bot, total and worst of each row for `classic` in the document."""
    row = r"(?m)^\| classic \| ([\w-]+) \| all 1296 \| (\d+) \| \S+ \| (\d+) \|"
    return re.findall(row, DOCUMENT.read_text("utf-8"))


def test_the_document_tells_every_codebreakers_total_for_classic_as_it_is():
    rows = documented()
    assert {bot for bot, _, _ in rows} == {bot.name for bot in BOTS.values() if bot.largest}
    tallies = {bot: play(find_bot(bot), CLASSIC) for bot, _, _ in rows}
    for bot, total, worst in rows:
        tally = tallies[bot]
        assert (bot, tally.total, tally.worst) == (bot, int(total), int(worst))
    beginner = tallies["forgetful"]  # "some seven guesses, and now and then more than twelve"
    assert 7 < beginner.mean < 7.3
    long = sum(games for guesses, games in beginner.histogram.items() if guesses > 12)
    assert 0 < long < beginner.games / 100
