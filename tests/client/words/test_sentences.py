from __future__ import annotations

import ast
import re
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import mastermind_protocol
import mastermind_server
from mastermind_client.language import use_language
from mastermind_client.words.proof import describe_fraud
from mastermind_client.words.sentences import SENTENCES, find_translation, translate
from mastermind_protocol import commitment
from mastermind_protocol.match import WAITING_FOR
from mastermind_protocol.rules import DEFAULT
from mastermind_server import limits

if TYPE_CHECKING:
    from collections.abc import Iterator

ERRORS = {"Refused": 1, "MastermindError": 1, "FrameError": 1, "InvalidCode": 0, "InvalidRules": 0}
"""Where each error has its message."""
SAMPLES = {"seat": ["maker", "breaker"], "command.seat": ["maker"], "pegs": ["peg", "pegs"]}
"""What may stand where a sentence has not one but several forms."""
PLAIN = {"WAITING_FOR[match.phase]": "the match is over", "self._rate.name": "requests"}
"""What is itself a sentence of theirs."""


def said_by_the_protocol_and_the_server() -> Iterator[str]:
    """Yield an example of every message of an error that either makes."""
    packages = (mastermind_protocol, mastermind_server)
    for source in chain(*(Path(str(found.__file__)).parent.rglob("*.py") for found in packages)):
        for call in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                place = ERRORS.get(call.func.id)
                if place is not None and len(call.args) > place:
                    yield from _examples(call.args[place])


def _examples(message: ast.expr) -> Iterator[str]:
    if isinstance(message, ast.Constant):
        yield str(message.value)
    elif isinstance(message, ast.JoinedStr):
        examples = [""]
        for part in message.values:
            if isinstance(part, ast.Constant):
                forms = [str(part.value)]
            else:
                value = ast.unparse(part.value) if isinstance(part, ast.FormattedValue) else ""
                forms = SAMPLES.get(value) or [PLAIN.get(value, "17")]
            examples = [example + form for example in examples for form in forms]
        yield from examples


@pytest.mark.parametrize("text", sorted(set(said_by_the_protocol_and_the_server())))
def test_whatever_is_refused_can_be_said_in_another_language(text: str) -> None:
    use_language("pl")
    assert find_translation(text) not in (None, text)


@pytest.mark.parametrize("text", WAITING_FOR.values())
def test_what_else_they_say_can_be_too(text: str) -> None:
    use_language("pl")
    assert find_translation(text) not in (None, text)


def test_every_rate_has_its_name() -> None:
    rates = [rate.name for rate in vars(limits).values() if isinstance(rate, limits.Rate)]
    assert set(rates) <= set(SENTENCES)


def test_every_fraud_can_be_told() -> None:
    returned = [
        node.value
        for node in ast.walk(ast.parse(Path(str(commitment.__file__)).read_text(encoding="utf-8")))
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Constant | ast.JoinedStr)
    ]
    use_language("pl")
    for value in returned:
        for text in _examples(value):
            assert text == "None" or find_translation(text) is not None, text


def test_english_stays_what_it_is() -> None:
    assert translate("not now: the match is over") == "not now: the match is over"


def test_a_sentence_within_a_sentence_is_translated_too_and_a_name_is_not() -> None:
    use_language("pl")
    assert translate("not now: the match is over") == "nie teraz: partia jest skończona"
    assert translate("advice could not answer and has left the match").startswith("advice nie umie")


def test_what_is_not_known_stays_what_it_is() -> None:
    use_language("pl")
    assert translate("the moon is full") == "the moon is full"
    assert find_translation("the moon is full") is None


def test_braces_in_what_is_said_do_no_harm() -> None:
    use_language("pl")
    text = translate("'{0.__class__}' is no bot here: use a, b or c")
    assert "{0.__class__}" in text


def test_an_honest_round_has_no_fraud() -> None:
    from mastermind_protocol.match import Round

    shown = Round(maker="A", breaker="B", commitment=commitment.commit(bytes(16), (0, 0, 0, 0)))
    assert describe_fraud(shown, DEFAULT) == "the code was not shown"
    use_language("pl")
    assert re.fullmatch("kodu nie pokazano", describe_fraud(shown, DEFAULT) or "")
