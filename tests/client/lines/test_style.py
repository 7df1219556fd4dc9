from __future__ import annotations

import pytest

from mastermind_client.lines.style import PLAIN, STYLES, find_style
from mastermind_protocol.rules import PRESETS, find_rules


def test_styles_are_the_presets_and_made_up_rules_have_the_plain_one() -> None:
    assert set(STYLES) <= set(PRESETS)
    assert find_style(find_rules("5x8/12")) == PLAIN
    assert find_style(find_rules("eight")) == PLAIN
    assert find_style(find_rules("THIRTEEN")) is STYLES["thirteen"]


@pytest.mark.parametrize(
    ("rules", "surrender", "again", "goodbye"),
    [
        ("classic", "resign", "Play again? (Y/N)", "Good-bye!"),
        ("thirteen", "surrender", "Continue? [Y/N]", "Goodbye!"),
        (
            "lab",
            "resign",
            "Would you like to play again? (Y/N)",
            "Thank you for playing. Good-bye!",
        ),
    ],
)
def test_a_preset_has_its_own_words(rules: str, surrender: str, again: str, goodbye: str) -> None:
    style = find_style(find_rules(rules))
    assert (style.surrender, style.again, style.goodbye) == (surrender, again, goodbye)


def test_each_preset_asks_what_its_players_know() -> None:
    asks = {
        name: (style.asks_name, style.asks_seat, style.asks_way) for name, style in STYLES.items()
    }
    assert asks["classic"] == (True, True, False)
    assert asks["mini"] == (False, False, True)
    assert asks["thirteen"] == asks["lab"] == (False, False, False)


def test_only_thirteen_shows_the_whole_board_and_only_lab_asks_peg_by_peg() -> None:
    assert [name for name in PRESETS if find_style(PRESETS[name]).whole_board] == ["thirteen"]
    assert [name for name in PRESETS if find_style(PRESETS[name]).peg_by_peg] == ["lab"]
