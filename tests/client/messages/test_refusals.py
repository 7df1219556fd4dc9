import pytest

from mastermind_client.bot_runner.runner import CannotPlay
from mastermind_client.language import gettext, use_language
from mastermind_client.messages.refusals import (
    MEANINGS,
    describe_close,
    describe_refusal,
    explain_refusal,
)
from mastermind_protocol.code import parse_code
from mastermind_protocol.errors import ErrorCode, InvalidCode, MastermindError, Reason, Refused
from mastermind_protocol.rules import DEFAULT


def invalid(typed: str) -> InvalidCode:
    """Return the error for a text typed as a code of `classic`."""
    with pytest.raises(InvalidCode) as raised:
        parse_code(typed, DEFAULT)
    return raised.value


UNKNOWN = Refused.with_message("moonlight", "the moon is full.")


@pytest.mark.parametrize(
    ("language", "refused", "line"),
    [
        ("en", Refused(Reason.NOT_WHEN_FINISHED), "Not now: the match is over."),
        ("en", UNKNOWN, "The moon is full."),
        ("pl", UNKNOWN, "The moon is full."),
        ("en", invalid("12x4"),
         "Peg 3: 'x' is no colour of classic; allowed: 1 2 3 4 5 6 (or R G B Y O P)."),
        ("pl", invalid("12x4"),
         "Pionek 3: 'x' nie jest kolorem w classic; dozwolone: 1 2 3 4 5 6 (albo R G B Y O P)."),
        ("pl", invalid("1"), "Podanych pionków: 1, a kod w classic ma 4."),
        ("pl", Refused(Reason.BOTH_SEATS_TAKEN), "Oba miejsca są zajęte: możesz tylko patrzeć."),
        ("pl", Refused(Reason.TOO_MANY_REQUESTS, retry_after=1.5),
         "Za dużo zapytań: poczekaj 2 s."),
        ("pl", Refused.with_message(ErrorCode.SEAT_TAKEN, "somebody sits there"),
         "Miejsce jest zajęte."),
        # The client's own text:
        *(("pl", kind.with_message(ErrorCode.UNKNOWN_BOT, "bot zniknął"), "Bot zniknął.")
          for kind in (MastermindError, CannotPlay)),
    ],
)  # fmt: skip
def test_a_refusal_is_a_sentence_in_the_readers_language(language, refused, line):
    use_language(language)
    assert describe_refusal(refused) == line


def test_an_explanation_is_no_sentence():
    assert explain_refusal(Refused(Reason.NOT_WHEN_FINISHED)) == "not now: the match is over"


def test_every_code_has_a_meaning():
    assert set(MEANINGS) == set(ErrorCode)


@pytest.mark.parametrize("reason", Reason, ids=lambda reason: reason.key)
def test_a_translated_reason_keeps_its_values(reason):
    values = {place: f"<{place}>" for place in reason.placeholders}
    english = reason.write(values)
    use_language("pl")
    polish = reason.write(values, gettext)
    assert all(polish.count(value) == english.count(value) for value in values.values())


def test_braces_in_a_value_are_text():
    use_language("pl")
    refused = Refused(Reason.UNKNOWN_BOT, name="{0.__class__}", known="{known}", last="c")
    assert describe_refusal(refused) == "'{0.__class__}' to nie tutejszy bot: użyj {known} albo c."


def test_a_known_reason_of_a_close_is_translated():
    use_language("pl")
    assert describe_close("no hello") not in ("", "no hello")
    assert describe_close("the moon is full") == "the moon is full"
    assert describe_close("") == ""
