"""The ways of hiding a code: what each likes, and that every code stays possible."""

from collections import Counter

import pytest

from kit.matches import SeededRandom
from mastermind_protocol.code import check_code
from mastermind_protocol.feedback import score
from mastermind_protocol.rules import PRESETS, find_rules
from mastermind_server.bots import BOTS
from mastermind_server.bots.hiding import (
    BY_CHANCE,
    FEW_COLOURS,
    MANY_COLOURS,
    OPEN,
    SECRETIVE,
    Hiding,
    draw_code,
    list_common_openings,
)

CLASSIC = PRESETS["classic"]


def hide_often(hiding: Hiding, times: int = 60) -> list[tuple[int, ...]]:
    random = SeededRandom(3)
    return [hiding.hide(CLASSIC, random) for _ in range(times)]


@pytest.mark.parametrize("name", [*PRESETS, "1x2", "9x2", "2x12", "9x12", "1x2u", "9x9u", "9x12u"])
@pytest.mark.parametrize("hiding", [BY_CHANCE, OPEN, FEW_COLOURS, MANY_COLOURS, SECRETIVE])
def test_a_hidden_code_is_valid_and_fixed_by_the_random_numbers(hiding, name):
    rules = find_rules(name)
    codes = [hiding.hide(rules, SeededRandom(5)) for _ in range(2)]
    assert check_code(codes[0], rules) == codes[0] == codes[1]


def test_the_openings_are_those_of_players():
    openings = list_common_openings(CLASSIC)
    assert openings == [(0, 0, 1, 1), (0, 0, 0, 1), (0, 0, 1, 2), (0, 1, 2, 3)]
    assert list_common_openings(find_rules("3x2"))[-1] == (0, 1, 0)


def test_the_openings_without_repeats_are_rows_of_digits():
    openings = [(0, 1, 2, 3), (1, 2, 3, 4), (4, 5, 6, 7), (9, 8, 7, 6)]
    assert list_common_openings(PRESETS["bulls"]) == openings
    for rules in map(find_rules, ("1x2u", "4x4u", "8x9u", "9x12u")):
        for opening in list_common_openings(rules):
            assert check_code(opening, rules) == opening


def test_each_code_without_repeats_is_drawn_equally_often():
    rules, random = find_rules("2x4u"), SeededRandom(3)
    drawn = Counter(draw_code(rules, random) for _ in range(6000))
    assert len(drawn) == rules.codes == 12
    assert all(abs(times - 500) < 100 for times in drawn.values())  # 4.7 standard deviations


def test_colours_are_few_or_many():
    few, some, many = (
        sum(len(set(code)) for code in hide_often(hiding))
        for hiding in (FEW_COLOURS, BY_CHANCE, MANY_COLOURS)
    )
    assert few < 0.8 * some < some < 0.9 * many


def test_common_openings_reveal_most_about_open_codes_and_least_about_secretive_ones():
    openings = list_common_openings(CLASSIC)
    cells = [
        Counter(score(code, opening) for code in hide_often(BY_CHANCE, 2000))
        for opening in openings
    ]

    def count_left(hiding: Hiding) -> int:
        return sum(
            cell[score(code, opening)]
            for code in hide_often(hiding)
            for cell, opening in zip(cells, openings, strict=True)
        )

    assert 1.6 * count_left(OPEN) < count_left(BY_CHANCE) < 0.85 * count_left(SECRETIVE)


def test_each_bot_describes_its_way_and_only_random_hides_by_chance():
    assert [name for name, bot in BOTS.items() if bot.hiding is BY_CHANCE] == ["random"]
    assert all(bot.hiding.about for bot in BOTS.values())
