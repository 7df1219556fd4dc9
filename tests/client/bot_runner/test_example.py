from itertools import product

import pytest

from greedy_bot import GreedyBot, expect_left, open_game
from kit.matches import SeededRandom
from mastermind_protocol.code import check_code
from mastermind_protocol.feedback import score
from mastermind_protocol.match import BreakerView, Turn
from mastermind_protocol.rules import DEFAULT, find_rules
from mastermind_server.bots.hiding import draw_code


@pytest.mark.parametrize(
    "rules", [DEFAULT, *map(find_rules, ("3x2", "5x4", "1x7", "bulls", "3x3u"))], ids=str
)
@pytest.mark.parametrize("seed", range(4))
def test_the_example_breaks_any_code(rules, seed):
    secret = draw_code(rules, SeededRandom(seed))
    bot, view = GreedyBot(), BreakerView(rules)
    while not view.turns or view.turns[-1].code != secret:
        guess = check_code(bot.choose(view), rules)
        view = BreakerView(rules, (*view.turns, Turn(guess, score(secret, guess))))
    assert len(view.turns) <= 8


def test_the_example_sets_codes_of_any_rules():
    for name in ("1x2", "classic", "9x12", "bulls", "9x9u"):
        rules = find_rules(name)
        assert check_code(GreedyBot().make(rules), rules)


def test_the_example_weighs_a_guess_by_what_it_leaves():
    codes = list(product(range(6), repeat=4))
    assert open_game(DEFAULT) == (0, 0, 1, 1)
    assert expect_left((0, 0, 1, 1), codes) == pytest.approx(204.5355, abs=1e-4)  # as Irving has it
    assert expect_left((0, 0, 0, 0), codes) > expect_left((0, 0, 1, 2), codes)
