from __future__ import annotations

import pytest

from mastermind_client.language import use_language
from mastermind_client.own_bot.runner import CannotPlay
from mastermind_client.words.refusals import REASONS, describe_refusal, explain_refusal
from mastermind_protocol.code import parse_code
from mastermind_protocol.errors import ErrorCode, InvalidCode, MastermindError, Refused
from mastermind_protocol.rules import DEFAULT


def invalid(typed: str) -> InvalidCode:
    """Return what is wrong with what was typed for a code of `classic`."""
    with pytest.raises(InvalidCode) as raised:
        parse_code(typed, DEFAULT)
    return raised.value


def test_every_code_has_its_reason() -> None:
    assert set(REASONS) == set(ErrorCode)


def test_in_english_it_is_what_the_server_says_as_a_sentence() -> None:
    refused = Refused(ErrorCode.WRONG_PHASE, "not now: the match is over")
    assert describe_refusal(refused) == "Not now: the match is over."
    assert explain_refusal(refused) == "not now: the match is over"
    unknown = Refused("moonlight", "the moon is full.")
    assert describe_refusal(unknown) == "The moon is full."
    assert describe_refusal(invalid("12x4")) == (
        "Peg 3: 'x' is no colour of classic; allowed: 1 2 3 4 5 6 (or R G B Y O P)."
    )


def test_in_polish_it_says_as_much() -> None:
    use_language("pl")
    assert describe_refusal(invalid("12x4")) == (
        "Pionek 3: 'x' nie jest kolorem w classic; dozwolone: 1 2 3 4 5 6 (or R G B Y O P)."
    )
    assert describe_refusal(invalid("1")) == "Podanych pionków: 1, a kod w classic ma 4."
    taken = Refused(ErrorCode.SEAT_TAKEN, "both seats are taken: you may only watch")
    assert describe_refusal(taken) == "Oba miejsca są zajęte: możesz tylko patrzeć."
    limited = Refused(ErrorCode.RATE_LIMITED, "too many requests: wait 1.5 s", retry_after=1.5)
    assert describe_refusal(limited) == "Za dużo naraz (zapytania): poczekaj 1.5 s."


def test_what_another_server_says_is_told_by_its_code_and_with_an_unknown_code_as_it_is() -> None:
    use_language("pl")
    other = Refused(ErrorCode.SEAT_TAKEN, "somebody sits there")
    assert describe_refusal(other) == "Miejsce jest zajęte."
    assert describe_refusal(Refused("moonlight", "the moon is full")) == "The moon is full."


@pytest.mark.parametrize("kind", [MastermindError, CannotPlay])
def test_what_this_client_says_itself_is_in_the_readers_language_already(
    kind: type[MastermindError],
) -> None:
    use_language("pl")
    assert describe_refusal(kind(ErrorCode.UNKNOWN_BOT, "bot zniknął")) == "Bot zniknął."
