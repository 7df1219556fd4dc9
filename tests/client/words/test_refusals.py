from __future__ import annotations

import pytest

from mastermind_client.language import gettext, use_language
from mastermind_client.own_bot.runner import CannotPlay
from mastermind_client.words.refusals import (
    MEANINGS,
    describe_close,
    describe_refusal,
    explain_refusal,
)
from mastermind_protocol.code import parse_code
from mastermind_protocol.errors import ErrorCode, InvalidCode, MastermindError, Reason, Refused
from mastermind_protocol.rules import DEFAULT


def invalid(typed: str) -> InvalidCode:
    """Return what is wrong with what was typed for a code of `classic`."""
    with pytest.raises(InvalidCode) as raised:
        parse_code(typed, DEFAULT)
    return raised.value


def test_every_code_has_its_meaning():
    assert set(MEANINGS) == set(ErrorCode)


def test_in_english_it_is_what_the_server_says_as_a_sentence():
    refused = Refused(Reason.NOT_WHEN_FINISHED)
    assert describe_refusal(refused) == "Not now: the match is over."
    assert explain_refusal(refused) == "not now: the match is over"
    unknown = Refused.told("moonlight", "the moon is full.")
    assert describe_refusal(unknown) == "The moon is full."
    assert describe_refusal(invalid("12x4")) == (
        "Peg 3: 'x' is no colour of classic; allowed: 1 2 3 4 5 6 (or R G B Y O P)."
    )


def test_in_polish_it_says_as_much():
    use_language("pl")
    assert describe_refusal(invalid("12x4")) == (
        "Pionek 3: 'x' nie jest kolorem w classic; dozwolone: 1 2 3 4 5 6 (albo R G B Y O P)."
    )
    assert describe_refusal(invalid("1")) == "Podanych pionków: 1, a kod w classic ma 4."
    taken = Refused(Reason.BOTH_SEATS_TAKEN)
    assert describe_refusal(taken) == "Oba miejsca są zajęte: możesz tylko patrzeć."
    limited = Refused(Reason.TOO_MANY_REQUESTS, retry_after=1.5)
    assert describe_refusal(limited) == "Za dużo zapytań: poczekaj 2 s."


@pytest.mark.parametrize("reason", Reason, ids=lambda reason: reason.key)
def test_every_reason_keeps_its_values_in_polish(reason):
    values = {place: f"<{place}>" for place in reason.places}
    english = reason.write(values)
    use_language("pl")

    polish = reason.write(values, gettext)

    assert all(polish.count(value) == english.count(value) for value in values.values())


def test_braces_in_a_value_do_no_harm():
    use_language("pl")
    told = Refused(Reason.UNKNOWN_BOT, name="{0.__class__}", known="{known}", last="c")
    assert describe_refusal(told) == "'{0.__class__}' to nie tutejszy bot: użyj {known} albo c."


def test_without_a_known_reason_it_is_told_by_its_code_and_with_an_unknown_code_as_it_is():
    use_language("pl")
    other = Refused.told(ErrorCode.SEAT_TAKEN, "somebody sits there")
    assert describe_refusal(other) == "Miejsce jest zajęte."
    assert describe_refusal(Refused.told("moonlight", "the moon is full")) == "The moon is full."


@pytest.mark.parametrize("kind", [MastermindError, CannotPlay])
def test_what_this_client_says_itself_is_in_the_readers_language_already(kind):
    use_language("pl")
    assert describe_refusal(kind.told(ErrorCode.UNKNOWN_BOT, "bot zniknął")) == "Bot zniknął."


def test_the_reason_for_which_a_server_closes_a_connection_is_translated_if_it_is_known():
    use_language("pl")
    assert describe_close("no hello") not in ("", "no hello")
    assert describe_close("the moon is full") == "the moon is full"
    assert describe_close("") == ""
