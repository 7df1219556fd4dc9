from __future__ import annotations

from typing import get_args

import msgpack
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kit.strategies import brief, values_of
from mastermind_protocol.chat import MAX_CHAT_LENGTH, MAX_CHAT_LINES_SHOWN, ChatLine
from mastermind_protocol.codec import decode_message, decode_request, encode
from mastermind_protocol.events import (
    MATCH_CODE_ALPHABET,
    MAX_NAME_LENGTH,
    AnyEvent,
    Commitment,
    Event,
    Guessed,
    MatchCode,
    MatchEnd,
    Name,
    Nonce,
    PegCount,
    PlayerId,
    RoundEnd,
    RoundEnded,
    Rounds,
    Seat,
    SecretSet,
    Seed,
    WireCode,
)
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import (
    MAX_ARCHIVED_MATCHES,
    MAX_LISTED_MATCHES,
    MAX_OWN_MATCHES,
    MAX_ROWS,
    AnyMessage,
    Archived,
    ArchivedMatch,
    Chat,
    Happened,
    Listed,
    Listing,
    Log,
    OwnMatch,
    OwnMatches,
    Row,
    ServerMessage,
)
from mastermind_protocol.requests import (
    MAX_REQUEST_BYTES,
    MAX_REQUEST_ID,
    AnyRequest,
    Guess,
    Request,
    RequestId,
    RulesName,
    Say,
    SeatChoice,
    Token,
    Version,
)
from mastermind_protocol.rules import MAX_PEGS
from protocol.frames import pack

REQUESTS: tuple[type[Request], ...] = get_args(AnyRequest)
EVENTS: tuple[type[Event], ...] = get_args(AnyEvent)
MESSAGES: tuple[type[ServerMessage], ...] = get_args(AnyMessage)
SMALL_FRAME = 96  # bytes of a guess or its answer
LATEST = 2**31 - 1


@pytest.mark.parametrize("kind", [*REQUESTS, *MESSAGES], ids=lambda kind: kind.__name__)
@given(st.data())
@settings(max_examples=8)
def test_a_message_arrives_as_it_was_sent_in_frames_that_the_package_msgpack_reads(kind, data):
    message = data.draw(values_of(kind))
    frame = encode(message)
    fields = msgspec.to_builtins(message, builtin_types=(bytes,))
    assert msgpack.unpackb(frame) == msgpack.unpackb(pack(fields))
    arrived = (decode_request if kind in REQUESTS else decode_message)(frame)
    assert (type(arrived), arrived) == (kind, message)


@pytest.mark.parametrize(
    ("base", "union"), [(Request, REQUESTS), (ServerMessage, MESSAGES), (Event, EVENTS)]
)
def test_a_union_has_all_its_kinds_which_are_frozen_and_differ_in_their_tags(base, union):
    assert set(base.__subclasses__()) == set(union)
    assert len({kind.__struct_config__.tag for kind in union}) == len(union)
    assert all(kind.__struct_config__.frozen for kind in union)


@given(values_of(AnyRequest))
@brief
def test_every_request_is_far_below_the_limit(request):
    assert len(encode(request)) <= MAX_REQUEST_BYTES * 3 // 5


BOUNDS = {
    "id": (RequestId, [1, 2**53 - 1], [0, -1, 2**53, True, 1.0, "1"]),
    "version": (Version, [0, 2**31 - 1], [-1, 2**31, False, 0.0]),
    "token": (Token, ["t" * 43], ["", "t" * 42, "t" * 44, b"t" * 43]),
    "rules": (RulesName, ["c", "c" * 40], ["", "c" * 41]),
    "seat choice": (SeatChoice, ["me", "open", "b" * 24], ["", "b" * 25, None]),
    "match": (
        MatchCode,
        ["ABCDEF", "234567", "ZZZZZZ"],
        ["", "ABCDE", "ABCDEFG", "abcdef", "ABCDE0", " ABCDEF", "ABCDEF\n"],
    ),
    "code": (
        WireCode,
        [[0], [11] * 9, [0, 5, 3, 1]],
        [[], [0] * 10, [12], [-1], [True], [0.0], ["0"], "0123"],
    ),
    "name": (Name, ["A", "Zoë", "x" * MAX_NAME_LENGTH], ["", "x" * (MAX_NAME_LENGTH + 1), 5, None]),
    "player": (PlayerId, ["p", "p" * 40], ["", "p" * 41]),
    "seed": (Seed, [0, 1 - 2**63, 2**63 - 1], [-(2**63), 2**63, 1.0, "1", True]),
    "rounds": (Rounds, [1, 20], [0, 21, True]),
    "peg count": (PegCount, [0, 9], [-1, 10]),
    "nonce": (Nonce, [bytes(16)], [b"", bytes(15), bytes(17)]),
    "commitment": (Commitment, [bytes(32)], [b"", bytes(31), bytes(33)]),
}


@pytest.mark.parametrize(("kind", "inside", "outside"), BOUNDS.values(), ids=BOUNDS)
def test_a_field_takes_exactly_the_values_in_its_bounds(kind, inside, outside):
    for value in inside:
        converted = msgspec.convert(value, kind)
        assert converted == (tuple(value) if isinstance(value, list) else value)
    for value in outside:
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(value, kind)


def test_a_match_code_has_no_characters_that_look_alike():
    assert len(set(MATCH_CODE_ALPHABET)) == len(MATCH_CODE_ALPHABET)
    assert not set(MATCH_CODE_ALPHABET) & set("01ILO")
    assert MATCH_CODE_ALPHABET.upper() == MATCH_CODE_ALPHABET


# Sizes.


GUESSED = Guessed(code=(5, 5, 5, 5), black=3, white=0)


@pytest.mark.parametrize(
    "message",
    [
        Guess(id=MAX_REQUEST_ID, match="ABCDEF", v=LATEST, code=(5, 5, 5, 5)),
        Happened(match="ABCDEF", v=LATEST, events=(GUESSED,), id=MAX_REQUEST_ID),
    ],
)
def test_a_classic_guess_and_its_answer_are_small_frames(message):
    assert len(encode(message)) <= SMALL_FRAME


FACE = "\N{SMILING FACE WITH SUNGLASSES}"
CODE, NONCE = (11,) * MAX_PEGS, bytes(16)
LONGEST_ROWS = (
    Row(LATEST, (SecretSet(by="p" * 40, commitment=bytes(32), code=CODE, nonce=NONCE),)),
    Row(
        LATEST,
        (
            Guessed(code=CODE, black=MAX_PEGS, white=0),
            RoundEnded(how=RoundEnd.EXHAUSTED, code=CODE, nonce=NONCE, points=1),
        ),
    ),
)
LONGEST_LINE = ChatLine(
    room="spectators", n=LATEST, by="p" * 40, name=FACE * 24, text=FACE * MAX_CHAT_LENGTH,
    v=LATEST, at=2**53,
)  # fmt: skip
LONGEST_ARCHIVED = ArchivedMatch(
    match="ABCDEF",
    rules="9x12/99",
    rounds=20,
    rated=True,
    at=2**53,
    seat=Seat.BREAKER,
    opponent=FACE * 24,
    bot=True,
    won=False,
    how=MatchEnd.PLAYED,
    guesses=20 * 999,
    points=(10_000, 10_000),
    tries=(999,) * 10,
)
LONGEST_OWN = OwnMatch(
    match="ABCDEF",
    rules="9x12/99",
    rounds=20,
    round=20,
    guesses=999,
    phase=Phase.BREAKING,
    rated=True,
    seat=Seat.BREAKER,
    opponent=FACE * 24,
    bot=True,
    turn=True,
    since=2**53,
    away=2**53,
)
LONGEST_LISTED = Listed(
    match="ABCDEF",
    rules="9x12/99",
    rounds=20,
    phase=Phase.GATHERING,
    maker=FACE * 24,
    breaker=FACE * 24,
)
FULL = [
    Log(id=MAX_REQUEST_ID, match="ABCDEF", rows=LONGEST_ROWS * (MAX_ROWS // 2)),
    Chat(match="ABCDEF", lines=(LONGEST_LINE,) * MAX_CHAT_LINES_SHOWN),
    Archived(id=MAX_REQUEST_ID, matches=(LONGEST_ARCHIVED,) * MAX_ARCHIVED_MATCHES),
    OwnMatches(id=MAX_REQUEST_ID, matches=(LONGEST_OWN,) * MAX_OWN_MATCHES),
    Listing(id=MAX_REQUEST_ID, matches=(LONGEST_LISTED,) * MAX_LISTED_MATCHES),
]


@pytest.mark.parametrize("message", FULL, ids=lambda message: type(message).__name__)
def test_a_full_message_stays_under_sixteen_kibibytes(message):
    assert len(encode(message)) < 16 * 1024


def test_the_longest_chat_line_fits_into_a_request():
    text = FACE * MAX_CHAT_LENGTH
    frame = encode(Say(id=MAX_REQUEST_ID, match="ABCDEF", text=text))
    assert len(frame) < MAX_REQUEST_BYTES
    assert decode_request(frame) == Say(id=MAX_REQUEST_ID, match="ABCDEF", text=text)
