from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mastermind_protocol.text import MAX_MARKS, sanitise


@given(st.text())
def test_what_others_write_moves_no_cursor(text: str) -> None:
    clean = sanitise(text)
    assert clean.isprintable()
    assert len(clean) <= len(text)
    assert sanitise(clean) == clean


@given(st.text(st.characters(categories=["L", "N", "P"])))
def test_letters_of_any_script_stay_as_they_are(text: str) -> None:
    assert sanitise(text) == text


def test_what_cannot_be_shown_is_a_question_mark() -> None:
    assert sanitise("Žofie 李 🎲") == "Žofie 李 🎲"
    assert sanitise("\x1b[2J\u202eevil\n") == "?[2J?evil?"


def test_blanks_of_every_kind_are_spaces_and_joiners_go() -> None:
    assert sanitise("dwa\N{NO-BREAK SPACE}czerwone") == "dwa czerwone"
    assert sanitise("\N{WOMAN}\N{ZERO WIDTH JOINER}\N{MAN}") == "\N{WOMAN}\N{MAN}"


def test_a_character_with_a_heap_of_marks_is_shown_with_some() -> None:
    accent = "\N{COMBINING ACUTE ACCENT}"
    assert sanitise(f"e{accent * 120}l") == f"e{accent * MAX_MARKS}l"
