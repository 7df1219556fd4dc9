from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.strategies import brief
from mastermind_protocol.chat import MAX_CHAT_LENGTH, MAX_PHRASE_NUMBER, ChatLine, normalise_chat
from mastermind_protocol.codec import decode_message, encode
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.messages import Said
from mastermind_protocol.text import is_displayable, tidy


def refusal(text: str | None, phrase: int | None) -> Refused:
    with pytest.raises(Refused) as refused:
        normalise_chat(text, phrase)
    return refused.value


def test_blanks_around_a_text_are_removed():
    assert normalise_chat("  Zażółć gęślą jaźń! \n", None) == "Zażółć gęślą jaźń!"
    assert normalise_chat("\N{NO-BREAK SPACE}dwa\N{NO-BREAK SPACE}czerwone", None) == "dwa czerwone"
    assert normalise_chat(" " * 500 + "x" * MAX_CHAT_LENGTH, None) == "x" * MAX_CHAT_LENGTH


def test_a_text_or_a_phrase_is_said_and_not_both():
    assert [normalise_chat(None, phrase) for phrase in (1, MAX_PHRASE_NUMBER)] == [None, None]
    neither, both = refusal(None, None), refusal("Hello", 1)
    assert (neither.code, neither.field) == (ErrorCode.INVALID_MESSAGE, "text")
    assert (both.code, both.field) == (ErrorCode.INVALID_MESSAGE, "phrase")


@pytest.mark.parametrize("phrase", [-1, 0, MAX_PHRASE_NUMBER + 1])
def test_an_unknown_phrase_is_refused(phrase):
    refused = refusal(None, phrase)
    assert (refused.code, refused.field) == (ErrorCode.INVALID_MESSAGE, "phrase")
    assert (refused.message, refused.limit) == (f"there is no phrase {phrase}: use 1 to 9", 9)


def test_a_text_that_is_too_long_is_refused_with_the_limit():
    refused = refusal("x" * (MAX_CHAT_LENGTH + 1), None)
    assert (refused.code, refused.field) == (ErrorCode.INVALID_MESSAGE, "text")
    assert (refused.message, refused.limit) == (
        "121 characters; at most 120 can be said at once",
        120,
    )


@pytest.mark.parametrize(
    "text",
    ["", " ", "\t\n", "\x1b[31m", "a\nb", "a\x00b", "a\u202eb", "\x7f", "\ufe0f", "\u3164"],
    ids=ascii,
)
def test_a_text_that_cannot_be_shown_is_refused(text):
    refused = refusal(text, None)
    assert (refused.code, refused.field) == (ErrorCode.INVALID_TEXT, "text")


@given(st.text())
@brief
def test_an_accepted_text_can_be_shown_on_one_line(text):
    try:
        said = normalise_chat(text, None)
    except Refused:
        return
    assert said is not None
    assert is_displayable(said)
    assert said == tidy(said).strip()
    assert len(said) <= MAX_CHAT_LENGTH


def test_a_line_may_have_a_phrase_of_a_newer_version():
    newer = ChatLine(room="players", n=1, by="ADA", name="Ada", phrase=MAX_PHRASE_NUMBER + 1)
    said = Said(match="ABCDEF", line=newer)
    assert decode_message(encode(said)) == said
