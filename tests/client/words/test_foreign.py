from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mastermind_client.words.foreign import sanitise


@given(st.text())
def test_what_others_write_moves_no_cursor(text: str) -> None:
    clean = sanitise(text)
    assert clean.isprintable()
    assert len(clean) == len(text)
    assert all(ours in (theirs, "?") for ours, theirs in zip(clean, text, strict=True))


def test_names_in_any_script_stay_as_they_are() -> None:
    assert sanitise("Žofie 李 🎲") == "Žofie 李 🎲"
    assert sanitise("\x1b[2J\u202eevil\n") == "?[2J?evil?"
