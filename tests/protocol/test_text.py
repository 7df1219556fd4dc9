import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.strategies import brief
from mastermind_protocol.text import MAX_COMBINING_MARKS, is_displayable, sanitise, tidy, tidy_name

ACUTE = "\N{COMBINING ACUTE ACCENT}"


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
def test_ordinary_text_is_unchanged_and_can_be_shown(text):
    assert tidy(text) == text
    assert is_displayable(text)


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
        "A\N{SOFT HYPHEN}nn",
        "A\N{WORD JOINER}nn",
        "A\tnn",
        "Ann\U000e0041",
    ],
    ids=ascii,
)
def test_an_invisible_text_or_a_control_character_cannot_be_shown(text):
    assert not is_displayable(text)
    assert not is_displayable(tidy_name(text))


def test_a_text_is_tidied_to_plain_blanks_and_few_marks():
    for blank in "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{IDEOGRAPHIC SPACE}\N{EN QUAD}":
        assert tidy(f"dwa{blank}czerwone") == "dwa czerwone"
    assert tidy("e" + ACUTE * 120 + "l") == "e" + ACUTE * MAX_COMBINING_MARKS + "l"
    assert (
        tidy("a" + "\N{ZERO WIDTH JOINER}" * 120)
        == "a" + "\N{ZERO WIDTH JOINER}" * MAX_COMBINING_MARKS
    )
    assert tidy(f"e{ACUTE}" * 60) == f"e{ACUTE}" * 60
    assert tidy(ACUTE * 120 + "e") == ACUTE * MAX_COMBINING_MARKS + "e"


@given(st.text())
@brief
def test_tidying_twice_changes_nothing_and_adds_nothing(text):
    once = tidy(text)
    assert tidy(once) == once
    assert len(once) <= len(text)


@given(st.text())
@brief
def test_a_sanitised_text_is_printable(text):
    clean = sanitise(text)
    assert clean.isprintable()
    assert len(clean) <= len(text)
    assert sanitise(clean) == clean


@given(st.text(st.characters(categories=["L", "N", "P"])))
@brief
def test_sanitising_keeps_letters_of_any_script(text):
    assert sanitise(text) == text


def test_sanitising_writes_question_marks_and_removes_joiners():
    assert sanitise("Žofie 李 🎲") == "Žofie 李 🎲"
    assert sanitise("\x1b[2J\u202eevil\n") == "?[2J?evil?"
    assert sanitise("dwa\N{NO-BREAK SPACE}czerwone") == "dwa czerwone"
    assert sanitise("\N{WOMAN}\N{ZERO WIDTH JOINER}\N{MAN}") == "\N{WOMAN}\N{MAN}"
    assert sanitise(f"e{ACUTE * 120}l") == f"e{ACUTE * MAX_COMBINING_MARKS}l"


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        (" Ann \N{NO-BREAK SPACE} Lee ", "Ann Lee"),
        ("\uff21nn", "Ann"),
        ("A\u030angstro\u0308m", "\xc5ngstr\xf6m"),
        ("A\N{ZERO WIDTH JOINER}n\N{ZERO WIDTH NON-JOINER}n\ufe0f", "Ann"),
        ("A\N{HANGUL FILLER}nn\N{BRAILLE PATTERN BLANK}", "Ann"),
        ("A\N{COMBINING GRAPHEME JOINER}nn", "Ann"),
        ("Ann\U000e0100", "Ann"),
        ("\ufb01n", "fin"),
    ],
)
def test_a_name_has_one_form_without_invisible_characters(name, kept):
    assert tidy_name(name) == kept


@given(st.text())
@brief
def test_tidying_a_name_twice_changes_nothing(name):
    once = tidy_name(name)
    assert tidy_name(once) == once
    assert unicodedata.is_normalized("NFKC", once)
