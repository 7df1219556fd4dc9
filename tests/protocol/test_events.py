from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given

from kit.strategies import brief, values_of
from mastermind_protocol.events import (
    MATCH_CODE_ALPHABET,
    MATCH_CODE_LENGTH,
    MAX_NAME,
    AnyEvent,
    Commitment,
    Event,
    Guessed,
    MatchCode,
    Name,
    Nonce,
    Opened,
    PegCount,
    Player,
    PlayerId,
    Rounds,
    Seat,
    SecretSet,
    Seed,
    WireCode,
)

KINDS: tuple[type[Event], ...] = get_args(AnyEvent)


def fits(value: object, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def test_every_event_is_in_the_union_under_a_tag_of_its_own():
    tags = {kind.__struct_config__.tag for kind in KINDS}

    assert set(Event.__subclasses__()) == set(KINDS)
    assert len(tags) == len(KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_event_cannot_be_changed(kind):
    assert kind.__struct_config__.frozen


@given(values_of(AnyEvent))
@brief
def test_equal_events_have_equal_hashes(event):
    copy = msgspec.structs.replace(event)

    assert (copy, hash(copy)) == (event, hash(event))


def test_a_seat_knows_the_one_across_the_board():
    assert Seat.MAKER.other is Seat.BREAKER
    assert Seat.BREAKER.other is Seat.MAKER


def test_what_others_may_not_see_can_be_left_out():
    assert msgspec.to_builtins(SecretSet(by="p", commitment=bytes(32)), builtin_types=(bytes,)) == {
        "event": "secret",
        "by": "p",
        "commitment": bytes(32),
    }
    assert msgspec.to_builtins(Opened(rules="classic", rounds=1)) == {
        "event": "opened",
        "rules": "classic",
        "rounds": 1,
    }


def test_a_guess_travels_with_short_and_plain_fields():
    assert msgspec.to_builtins(Guessed(code=(0, 1, 2, 3), black=1, white=2)) == {
        "event": "guessed",
        "code": (0, 1, 2, 3),
        "black": 1,
        "white": 2,
    }


def test_a_match_code_has_no_characters_that_are_taken_for_each_other():
    assert len(set(MATCH_CODE_ALPHABET)) == len(MATCH_CODE_ALPHABET)
    assert not set(MATCH_CODE_ALPHABET) & set("01ILO")
    assert MATCH_CODE_ALPHABET.upper() == MATCH_CODE_ALPHABET
    assert MATCH_CODE_LENGTH == 6


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        *[(MatchCode, code) for code in ("ABCDEF", "234567", "ZZZZZZ")],
        *[(WireCode, code) for code in ([0], [11] * 9, [0, 5, 3, 1])],
        *[(Name, name) for name in ("A", "Zoë", "x" * MAX_NAME)],
        *[(PlayerId, player) for player in ("p", "p" * 40)],
        *[(Seed, seed) for seed in (0, 1 - 2**63, 2**63 - 1)],
        *[(Rounds, rounds) for rounds in (1, 20)],
        *[(PegCount, count) for count in (0, 9)],
        (Nonce, bytes(16)),
        (Commitment, bytes(32)),
    ],
)
def test_a_field_takes_what_is_in_its_bounds(kind, value):
    assert fits(value, kind)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        *[(MatchCode, code) for code in ("", "ABCDE", "ABCDEFG", "abcdef", "ABCDE0", " ABCDEF")],
        *[(WireCode, code) for code in ([], [0] * 10, [12], [-1], [True], [0.0], ["0"], "0123")],
        *[(Name, name) for name in ("", "x" * (MAX_NAME + 1), 5, None)],
        *[(PlayerId, player) for player in ("", "p" * 41)],
        *[(Seed, seed) for seed in (-(2**63), 2**63, 1.0, "1", True)],
        *[(Rounds, rounds) for rounds in (0, 21, True)],
        *[(PegCount, count) for count in (-1, 10)],
        *[(Nonce, nonce) for nonce in (b"", bytes(15), bytes(17))],
        *[(Commitment, commitment) for commitment in (b"", bytes(31), bytes(33))],
    ],
)
def test_a_field_takes_nothing_out_of_its_bounds(kind, value):
    assert not fits(value, kind)


def test_a_player_without_a_bot_says_nothing_of_one():
    assert msgspec.to_builtins(Player(id="p", name="Ann")) == {"id": "p", "name": "Ann"}
