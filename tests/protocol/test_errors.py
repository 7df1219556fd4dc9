from __future__ import annotations

import ast
import inspect
import pickle
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mastermind_protocol
import mastermind_server
from mastermind_protocol import errors
from mastermind_protocol.codec import decode_message, encode
from mastermind_protocol.errors import (
    MAX_DETAIL_LENGTH,
    ErrorCode,
    InvalidCode,
    InvalidRules,
    MastermindError,
    MessageError,
    Reason,
    Refused,
    Value,
)
from mastermind_protocol.messages import Error

TREE = [
    error
    for _, error in inspect.getmembers(errors, inspect.isclass)
    if issubclass(error, MastermindError)
]
OWN = {"field", "limit", "retry_after"}
PACKAGES = (mastermind_protocol, mastermind_server)


@pytest.mark.parametrize("error", TREE, ids=lambda error: error.__name__)
def test_an_error_has_its_reason_and_the_fields_of_its_message(error):
    raised = error(Reason.UNKNOWN_ROUND, field="round", limit=1, retry_after=0.5, round=3)
    assert (type(raised.code), raised.code) == (str, ErrorCode.INVALID_MESSAGE)
    assert str(raised) == raised.message == "there is no round 3: 1 were played"
    assert (raised.field, raised.limit, raised.retry_after) == ("round", 1, 0.5)
    assert raised.details == {"reason": "unknown_round", "round": 3}


def test_an_error_omits_absent_fields():
    raised = Refused(Reason.NOT_SEATED)
    assert (raised.field, raised.limit, raised.retry_after) == (None, None, None)
    assert raised.details == {"reason": "not_seated"}
    assert MessageError.with_message(ErrorCode.INVALID_MESSAGE, "in words").details is None


def test_an_error_keeps_a_code_that_only_a_newer_server_knows():
    raised = MastermindError.with_message("from_the_future", "in words")
    assert (raised.code, raised.message, raised.reason) == ("from_the_future", "in words", None)
    assert type(raised.code) is str


# The values of the sentences.


def test_an_error_cannot_be_made_without_a_value_that_its_sentence_needs():
    with pytest.raises(KeyError, match="round"):
        Refused(Reason.UNKNOWN_ROUND, limit=1)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("lab", "lab"),
        (3, "3"),
        (5.0, "5"),
        (0.125, "0.125"),
        (1296, "1296"),
        (5159780352, "5,159,780,352"),
        (("1 2", "R G", "a b"), "1 2 (or R G) (or a b)"),
        ((), ""),
    ],
)
def test_a_value_is_written_as_a_person_reads_it(value, written):
    raised = Refused(Reason.UNKNOWN_MATCH, match=value)
    assert raised.message == f"there is no match {written} on this server"


@pytest.mark.parametrize(("number", "pegs"), [(0, "0 pegs"), (1, "1 peg"), (2, "2 pegs")])
def test_a_sentence_with_a_number_has_the_form_that_goes_with_it(number, pegs):
    raised = InvalidCode(Reason.WRONG_LENGTH, number=number, rules="classic", pegs=4)
    assert raised.message == f"{pegs} given, and a code of classic has 4"


def reasons_in(source: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        match node:
            case ast.Attribute(value=ast.Name(id="Reason"), attr=name):
                yield name


def test_every_reason_is_given_somewhere():
    sources = chain(*(Path(str(package.__file__)).parent.rglob("*.py") for package in PACKAGES))
    assert set(chain(*map(reasons_in, sources))) == set(Reason.__members__)


# Another side's errors.

values = (
    st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(max_size=MAX_DETAIL_LENGTH)
)


@given(st.sampled_from(Reason), st.data())
def test_an_error_comes_out_of_the_wire_as_it_went_in(reason, data):
    places = {place: data.draw(values) for place in sorted(reason.placeholders - OWN)}
    sent = Refused(reason, limit=7, retry_after=1.5, **places)
    frame = encode(
        Error(code=sent.code, message=sent.message, details=sent.details, limit=7, retry_after=1.5)
    )
    error = decode_message(frame)
    assert isinstance(error, Error)
    told = Refused.with_message(
        error.code, error.message, details=error.details, limit=error.limit, retry_after=1.5
    )
    assert (told.reason, told.values, told.write()) == (reason, places, sent.message)


@pytest.mark.parametrize(
    "details",
    [
        None,
        {},
        {"reason": "from_the_future", "round": 3},
        {"reason": 3},
        {"reason": "unknown_round"},
        {"round": 3},
    ],
)
def test_an_unknown_or_incomplete_reason_is_none(details):
    told = Refused.with_message(ErrorCode.INVALID_MESSAGE, "in words", details=details, limit=1)
    assert told.reason is None
    assert told.write() == "in words"


def test_a_value_that_no_sentence_needs_is_passed_over():
    details: dict[str, Value] = {"reason": "not_seated", "moon": "full"}
    told = Refused.with_message(ErrorCode.NOT_SEATED, "you have no seat", details=details)
    assert told.write() == "you have no seat in this match: you may only watch"


def test_a_text_in_the_details_is_cut_before_it_travels():
    raised = MessageError(Reason.NOT_MSGPACK, problem="x" * 1000)
    assert raised.details == {"reason": "not_msgpack", "problem": "x" * MAX_DETAIL_LENGTH}


@pytest.mark.parametrize(
    "error",
    [
        InvalidRules(Reason.UNKNOWN_MATCH, field="rules", match="ABCDEF"),
        Refused.with_message("from_the_future", "in words", limit=3),
    ],
)
def test_an_error_can_be_sent_between_processes(error):
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert type(copy) is type(error)
    assert (copy.__dict__, str(copy)) == (error.__dict__, str(error))
