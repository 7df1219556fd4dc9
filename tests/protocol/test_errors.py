from __future__ import annotations

import inspect

import pytest

from mastermind_protocol import errors
from mastermind_protocol.errors import (
    ErrorCode,
    FrameError,
    InvalidCode,
    InvalidRules,
    MastermindError,
    Refused,
)

TREE = [
    error
    for _, error in inspect.getmembers(errors, inspect.isclass)
    if issubclass(error, MastermindError)
]


def test_the_tree_in_the_docstring_is_the_tree_in_the_code() -> None:
    drawn = [
        line.strip("├└─ ").split()[0]
        for line in (errors.__doc__ or "").splitlines()
        if line.lstrip().startswith(("MastermindError", "├", "└"))
    ]

    assert sorted(drawn) == sorted(error.__name__ for error in TREE)
    assert drawn[0] == "MastermindError"


@pytest.mark.parametrize("error", TREE, ids=lambda error: error.__name__)
def test_every_error_can_be_caught_at_the_root(error: type[MastermindError]) -> None:
    assert issubclass(error, MastermindError)
    assert error.__doc__


@pytest.mark.parametrize("error", [MastermindError, FrameError, Refused])
@pytest.mark.parametrize("code", ErrorCode)
def test_an_error_carries_all_that_is_sent(error: type[MastermindError], code: ErrorCode) -> None:
    raised = error(code, "in words", field="code", limit=3, retry_after=0.5)

    assert ErrorCode(raised.code) is code
    assert str(raised) == raised.message == "in words"
    assert (raised.field, raised.limit, raised.retry_after) == ("code", 3, 0.5)


def test_an_error_leaves_out_what_does_not_apply() -> None:
    raised = Refused(ErrorCode.NOT_SEATED, "you may only watch")

    assert (raised.field, raised.limit, raised.retry_after) == (None, None, None)


def test_an_error_keeps_a_code_that_only_a_newer_server_knows() -> None:
    raised = MastermindError("from_the_future", "in words")

    assert raised.code == "from_the_future"
    assert type(raised.code) is str


def test_the_code_of_an_error_is_the_plain_text_that_travels() -> None:
    assert type(Refused(ErrorCode.SEAT_TAKEN, "taken").code) is str


def test_invalid_rules_name_their_field() -> None:
    raised = InvalidRules("no such rules")

    assert (ErrorCode(raised.code), raised.field) == (ErrorCode.INVALID_RULES, "rules")


@pytest.mark.parametrize("peg", [None, 1, 9])
def test_an_invalid_code_names_its_field_and_its_peg(peg: int | None) -> None:
    raised = InvalidCode("no such colour", peg=peg)

    assert (ErrorCode(raised.code), raised.field) == (ErrorCode.INVALID_CODE, "code")
    assert raised.peg == peg


def test_every_code_is_its_name_in_small_letters() -> None:
    assert {code.name.lower() for code in ErrorCode} == {code.value for code in ErrorCode}
