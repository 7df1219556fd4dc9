from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from kit.strategies import codes_of, nonces, thorough
from mastermind_protocol.code import Code
from mastermind_protocol.commitment import commit
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import RoundEnd
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Round, Turn
from mastermind_protocol.proof import (
    ChangedCode,
    FalseFeedback,
    HiddenCode,
    IllegalCode,
    find_fraud,
)
from mastermind_protocol.rules import DEFAULT

NONCE = bytes(range(16))
SECRET = (0, 1, 2, 3)
GUESSES = ((0, 0, 1, 1), (3, 2, 1, 0), SECRET)


def played(
    secret: Code = SECRET, nonce: bytes = NONCE, guesses: tuple[Code, ...] = GUESSES
) -> Round:
    return Round(
        maker="p-ann",
        breaker="p-bob",
        commitment=commit(nonce, secret),
        secret=secret,
        nonce=nonce,
        turns=tuple(Turn(guess, score(secret, guess)) for guess in guesses),
        how=RoundEnd.BROKEN,
        points=len(guesses),
    )


@given(nonces, codes_of(DEFAULT), st.lists(codes_of(DEFAULT), max_size=5))
@thorough
def test_a_round_that_was_played_fairly_is_proven(nonce, secret, guesses):
    assert find_fraud(played(secret, nonce, tuple(guesses)), DEFAULT) is None


@pytest.mark.promise("commitment")
@pytest.mark.parametrize(
    "changed",
    [
        replace(played(guesses=()), secret=(0, 1, 2, 4)),
        replace(played((0, 0, 1, 1), guesses=((0, 0, 3, 3),)), secret=(0, 0, 1, 2)),
        replace(played(), nonce=bytes(16)),
        replace(played(), commitment=bytes(32)),
    ],
    ids=["code", "code with the same feedback", "nonce", "commitment"],
)
def test_a_change_after_the_commitment_is_found(changed):
    assert find_fraud(changed, DEFAULT) == ChangedCode()


@pytest.mark.parametrize("number", [1, 2, 3])
def test_falsified_feedback_is_found_and_the_guess_is_named(number):
    honest = played()
    turns = list(honest.turns)
    turns[number - 1] = Turn(turns[number - 1].code, Feedback(0, 1))
    falsified = replace(honest, turns=tuple(turns))
    assert find_fraud(falsified, DEFAULT) == FalseFeedback(number)


@pytest.mark.parametrize(
    "hidden",
    [
        replace(played(), secret=None),
        replace(played(), nonce=None),
        replace(played(), commitment=None),
        Round(maker="p-ann", breaker="p-bob"),
    ],
    ids=["no code", "no nonce", "no commitment", "nothing"],
)
def test_a_round_that_shows_too_little_is_no_proof(hidden):
    assert find_fraud(hidden, DEFAULT) == HiddenCode()


def test_a_round_whose_contest_has_not_revealed_the_code_is_no_fraud_yet():
    sealed = replace(played(), secret=None, nonce=None)
    assert sealed.awaits_proof
    assert find_fraud(sealed, DEFAULT) is None


@pytest.mark.parametrize("secret", [(11, 11, 11, 11), (0, 1, 2), (0, 1, 2, 3, 4)])
def test_a_secret_that_is_no_code_of_the_game_is_found(secret):
    shown = played(secret, guesses=((0, 0, 1, 1),))
    fraud = find_fraud(shown, DEFAULT)
    assert isinstance(fraud, IllegalCode)
    assert fraud.error.code == ErrorCode.INVALID_CODE
