from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mastermind_protocol.text import MAX_MARKS, can_be_shown, sanitise, tidy
from strategies import brief

ACUTE = "\N{COMBINING ACUTE ACCENT}"


@pytest.mark.parametrize(
    "blank",
    ["\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}", "\N{IDEOGRAPHIC SPACE}", "\N{EN QUAD}"],
    ids=unicodedata.name,
)
def test_a_blank_of_any_kind_is_a_space(blank: str) -> None:
    assert tidy(f"dwa{blank}czerwone") == "dwa czerwone"


@pytest.mark.parametrize(
    "text",
    [
        "Two reds, I bet.",
        "Zażółć gęślą jaźń!",
        unicodedata.normalize("NFD", "Zażółć gęślą jaźń!"),
        "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{HEAVY BLACK HEART}\ufe0f\N{ZERO WIDTH JOINER}\N{MAN}",
        "1\ufe0f\N{COMBINING ENCLOSING KEYCAP}",
        "می\N{ZERO WIDTH NON-JOINER}خواهم",
        "ကြွမြှို့",
        "בְּרֵאשִׁ֖ית",
        "李 🎲",
    ],
)
def test_what_people_write_stays_as_it_is_and_can_be_shown(text: str) -> None:
    assert tidy(text) == text
    assert can_be_shown(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\N{HANGUL FILLER}",
        "\N{HALFWIDTH HANGUL FILLER} \N{BRAILLE PATTERN BLANK}",
        "\ufe0f",
        "\N{ZERO WIDTH JOINER}",
        ACUTE,
        "red\x1b[2J",
        "a\nb",
        "a\N{RIGHT-TO-LEFT OVERRIDE}b",
        "a\N{ZERO WIDTH SPACE}b",
        "a\N{LINE SEPARATOR}b",
    ],
    ids=ascii,
)
def test_what_shows_nothing_or_moves_a_cursor_cannot_be_shown(text: str) -> None:
    assert not can_be_shown(text)


def test_a_character_keeps_only_so_many_marks() -> None:
    assert tidy("e" + ACUTE * 120 + "l") == "e" + ACUTE * MAX_MARKS + "l"
    assert tidy("a" + "\N{ZERO WIDTH JOINER}" * 120) == "a" + "\N{ZERO WIDTH JOINER}" * MAX_MARKS
    assert tidy(f"e{ACUTE}" * 60) == f"e{ACUTE}" * 60
    assert tidy(ACUTE * 120 + "e") == ACUTE * MAX_MARKS + "e"


@given(st.text())
@brief
def test_what_is_tidy_stays_so_and_is_no_longer_than_it_was(text: str) -> None:
    once = tidy(text)

    assert tidy(once) == once
    assert len(once) <= len(text)


@given(st.text())
@brief
def test_what_is_made_harmless_moves_no_cursor(text: str) -> None:
    clean = sanitise(text)

    assert clean.isprintable()
    assert len(clean) <= len(text)
    assert sanitise(clean) == clean


@given(st.text(st.characters(categories=["L", "N", "P"])))
@brief
def test_letters_of_any_script_are_harmless(text: str) -> None:
    assert sanitise(text) == text


def test_what_cannot_be_shown_becomes_a_question_mark_and_joiners_go() -> None:
    assert sanitise("Žofie 李 🎲") == "Žofie 李 🎲"
    assert sanitise("\x1b[2J\u202eevil\n") == "?[2J?evil?"
    assert sanitise("dwa\N{NO-BREAK SPACE}czerwone") == "dwa czerwone"
    assert sanitise("\N{WOMAN}\N{ZERO WIDTH JOINER}\N{MAN}") == "\N{WOMAN}\N{MAN}"
    assert sanitise(f"e{ACUTE * 120}l") == f"e{ACUTE * MAX_MARKS}l"
