from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mastermind_protocol.commitment import COMMITMENT_BYTES, NONCE_BYTES, commit, find_fraud
from mastermind_protocol.events import RoundEnd
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Round, Turn
from mastermind_protocol.rules import DEFAULT
from strategies import codes_of, nonces, thorough

if TYPE_CHECKING:
    from mastermind_protocol.code import Code

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


def test_a_commitment_is_sha_256_over_nonce_and_one_byte_a_peg() -> None:
    by_hand = hashlib.sha256(
        b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" + b"\x00\x01\x02\x03"
    )

    assert commit(NONCE, SECRET) == by_hand.digest()
    assert commit(NONCE, SECRET).hex() == (
        "be042c6ccc8433f59950dfb2ca262b3dc604ad4f3c385ba8e118d3008d83acfc"
    )


def test_nonce_and_commitment_have_the_sizes_that_are_told() -> None:
    assert NONCE_BYTES == len(NONCE) == 16
    assert COMMITMENT_BYTES == len(commit(NONCE, SECRET)) == 32


@given(nonces, nonces, codes_of(DEFAULT), codes_of(DEFAULT))
@thorough
def test_only_the_same_nonce_and_code_give_the_same_commitment(
    nonce: bytes, other_nonce: bytes, code: Code, other_code: Code
) -> None:
    same = (nonce, code) == (other_nonce, other_code)

    assert (commit(nonce, code) == commit(other_nonce, other_code)) == same


@given(nonces, codes_of(DEFAULT), st.lists(codes_of(DEFAULT), max_size=5))
@thorough
def test_a_round_that_was_played_fairly_is_proven(
    nonce: bytes, secret: Code, guesses: list[Code]
) -> None:
    assert find_fraud(played(secret, nonce, tuple(guesses)), DEFAULT) is None


def test_a_changed_code_is_found() -> None:
    changed = replace(played(guesses=()), secret=(0, 1, 2, 4))

    assert find_fraud(changed, DEFAULT) == "the code shown is not the one that was committed to"


def test_a_code_changed_to_one_with_the_same_feedback_is_found() -> None:
    secret, other, guess = (0, 0, 1, 1), (0, 0, 1, 2), (0, 0, 3, 3)
    assert score(secret, guess) == score(other, guess)

    changed = replace(played(secret, guesses=(guess,)), secret=other)

    assert find_fraud(changed, DEFAULT) == "the code shown is not the one that was committed to"


def test_a_changed_nonce_is_found() -> None:
    changed = replace(played(), nonce=bytes(16))

    assert find_fraud(changed, DEFAULT) == "the code shown is not the one that was committed to"


def test_a_changed_commitment_is_found() -> None:
    changed = replace(played(), commitment=bytes(32))

    assert find_fraud(changed, DEFAULT) == "the code shown is not the one that was committed to"


@pytest.mark.parametrize("number", [1, 2, 3])
def test_falsified_feedback_is_found_and_the_guess_is_named(number: int) -> None:
    honest = played()
    turns = list(honest.turns)
    turns[number - 1] = Turn(turns[number - 1].code, Feedback(0, 1))
    falsified = replace(honest, turns=tuple(turns))

    assert find_fraud(falsified, DEFAULT) == (
        f"the feedback to guess {number} does not fit the code shown"
    )


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
def test_a_round_that_shows_too_little_is_no_proof(hidden: Round) -> None:
    assert find_fraud(hidden, DEFAULT) == "the code was not shown"


@pytest.mark.parametrize("secret", [(11, 11, 11, 11), (0, 1, 2), (0, 1, 2, 3, 4)])
def test_a_secret_that_is_no_code_of_the_game_is_found(secret: Code) -> None:
    shown = played(secret, guesses=((0, 0, 1, 1),))

    assert (find_fraud(shown, DEFAULT) or "").startswith("the code shown is none of this game")
