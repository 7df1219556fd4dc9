from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from random import Random

import pytest

from mastermind_protocol.code import Code, parse_code
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Turn
from mastermind_protocol.rules import PRESETS, Rules, find_rules
from mastermind_server.bots import BreakerView, ContradictionError, find_bot

BOT = find_bot("knuth")
KNUTH = PRESETS["knuth"]


class NoChance(Random):
    """Fails whoever draws from it."""

    def random(self) -> float:
        raise AssertionError("a draw of a fraction")

    def getrandbits(self, k: int, /) -> int:
        raise AssertionError(f"a draw of {k} bits")


def choose(rules: Rules, *turns: Turn) -> Code:
    return BOT.choose(BreakerView(rules, turns), NoChance())


def every(rules: Rules) -> list[Code]:
    return list(itertools.product(range(rules.colours), repeat=rules.pegs))


def divide(secrets: list[Code], guess: Code) -> dict[Feedback, list[Code]]:
    parts: dict[Feedback, list[Code]] = defaultdict(list)
    for secret in secrets:
        parts[score(secret, guess)].append(secret)
    return parts


def count_games(rules: Rules) -> Counter[int]:
    """Play against every secret at once, as one tree: how many need how many guesses."""
    games: Counter[int] = Counter()
    open_cells: list[tuple[tuple[Turn, ...], list[Code]]] = [((), every(rules))]
    while open_cells:
        turns, secrets = open_cells.pop()
        assert len(turns) < 12, f"no end to {turns}"
        guess = choose(rules, *turns)
        for feedback, part in divide(secrets, guess).items():
            if feedback.black == rules.pegs:
                games[len(turns) + 1] += 1
            else:
                open_cells.append(((*turns, Turn(guess, feedback)), part))
    return games


def choose_plainly(rules: Rules, turns: list[Turn]) -> Code:
    """Choose as Knuth's paper says, by the protocol's score alone and without any short cut."""
    codes = every(rules)
    left = [code for code in codes if all(score(code, t.code) == t.feedback for t in turns)]

    def rank(guess: Code) -> tuple[int, bool, Code]:
        return max(map(len, divide(left, guess).values())), guess not in left, guess

    return min(codes, key=rank)


def test_4x6_is_opened_by_1122() -> None:
    assert choose(KNUTH) == parse_code("1122", KNUTH)


def test_the_first_answer_for_1234_is_one_black_one_white() -> None:
    assert score(parse_code("1234", KNUTH), choose(KNUTH)) == Feedback(1, 1)


def test_all_1296_secrets_take_5801_guesses_and_none_more_than_five() -> None:
    games = count_games(KNUTH)
    assert games == {1: 1, 2: 6, 3: 62, 4: 533, 5: 694}
    assert sum(guesses * number for guesses, number in games.items()) == 5801


@pytest.mark.parametrize(
    ("name", "total", "worst"),
    [("4x7", 11613, 6), ("4x8", 21230, 6)],  # as published for mikemag/Mastermind
)
def test_larger_games_take_what_others_found(name: str, total: int, worst: int) -> None:
    games = count_games(find_rules(name))
    assert sum(guesses * number for guesses, number in games.items()) == total
    assert max(games) == worst


@pytest.mark.parametrize("name", ["1x2", "1x9", "2x7", "3x4", "3x5", "4x3", "6x2"])
def test_each_guess_is_the_one_that_the_paper_says(name: str) -> None:
    rules = find_rules(name)
    for secret in every(rules)[:: max(1, rules.codes // 4)]:
        turns: list[Turn] = []
        while not turns or turns[-1].code != secret:
            guess = choose(rules, *turns)
            assert guess == choose_plainly(rules, turns)
            turns.append(Turn(guess, score(secret, guess)))


@pytest.mark.parametrize(("name", "expected"), [("1x3", (0,)), ("1x2", (0,))])
def test_of_the_last_codes_the_lowest_is_played_at_once(name: str, expected: Code) -> None:
    assert choose(find_rules(name), Turn((1,), Feedback(0, 0))) == expected


def test_feedback_that_no_code_explains_is_an_error() -> None:
    with pytest.raises(ContradictionError):
        choose(KNUTH, Turn((0, 0, 1, 1), Feedback(3, 1)))
