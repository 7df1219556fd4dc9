from __future__ import annotations

from typing import get_args

import msgpack
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kit.strategies import brief, values_of
from mastermind_protocol.chat import MAX_CHAT, MAX_CHAT_SHOWN, ChatLine
from mastermind_protocol.codec import decode_message, decode_request, encode
from mastermind_protocol.events import (
    Guessed,
    MatchEnd,
    RoundEnd,
    RoundEnded,
    Seat,
    SecretSet,
)
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import (
    MAX_ARCHIVED,
    MAX_LISTED,
    MAX_OWN,
    MAX_ROWS,
    AnyMessage,
    Archived,
    ArchivedMatch,
    Chat,
    Error,
    Happened,
    Listed,
    Listing,
    Log,
    OwnMatch,
    OwnMatches,
    Row,
    Said,
    ServerMessage,
)
from mastermind_protocol.requests import (
    MAX_REQUEST_BYTES,
    MAX_REQUEST_ID,
    AnyRequest,
    Chair,
    Guess,
    Hello,
    Request,
    RequestId,
    RulesName,
    Say,
    Token,
    Version,
)
from mastermind_protocol.rules import MAX_PEGS

REQUESTS: tuple[type[Request], ...] = get_args(AnyRequest)
MESSAGES: tuple[type[ServerMessage], ...] = get_args(AnyMessage)
SMALL_FRAME = 96  # bytes of a guess or its answer
LATEST = 2**31 - 1


@pytest.mark.parametrize("kind", REQUESTS, ids=lambda kind: kind.__name__)
@given(st.data())
@settings(max_examples=12)
def test_a_request_arrives_as_it_was_sent(kind, data):
    request = data.draw(values_of(kind))

    arrived = decode_request(encode(request))

    assert type(arrived) is kind
    assert arrived == request


@pytest.mark.parametrize("kind", MESSAGES, ids=lambda kind: kind.__name__)
@given(st.data())
@settings(max_examples=12)
def test_a_server_message_arrives_as_it_was_sent(kind, data):
    message = data.draw(values_of(kind))

    arrived = decode_message(encode(message))

    assert type(arrived) is kind
    assert arrived == message


def test_the_unions_are_complete_and_their_tags_differ():
    assert set(Request.__subclasses__()) == set(REQUESTS)
    assert set(ServerMessage.__subclasses__()) == set(MESSAGES)
    for union in (REQUESTS, MESSAGES):
        assert len({kind.__struct_config__.tag for kind in union}) == len(union)


@pytest.mark.parametrize("kind", [*REQUESTS, *MESSAGES], ids=lambda kind: kind.__name__)
def test_a_message_cannot_be_changed(kind):
    assert kind.__struct_config__.frozen


@given(values_of(AnyRequest))
@brief
def test_every_request_stays_far_below_the_limit(request):
    assert len(encode(request)) <= MAX_REQUEST_BYTES * 3 // 5


# Bounds of the fields that only messages have.


@pytest.mark.parametrize(
    ("kind", "inside", "outside"),
    [
        (RequestId, [1, 2**53 - 1], [0, -1, 2**53, True, 1.0, "1"]),
        (Version, [0, 2**31 - 1], [-1, 2**31, False, 0.0]),
        (Token, ["t" * 43], ["", "t" * 42, "t" * 44, b"t" * 43]),
        (RulesName, ["c", "c" * 40], ["", "c" * 41]),
        (Chair, ["me", "open", "b" * 24], ["", "b" * 25, None]),
    ],
    ids=["id", "version", "token", "rules", "chair"],
)
def test_a_field_takes_only_what_is_in_its_bounds(kind, inside, outside):
    for value in inside:
        assert msgspec.convert(value, kind) == value
    for value in outside:
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(value, kind)


# The wire format, to the letter. Most of it is in docs/protocol/vectors.


WIRE = {
    "a guess is a flat map": (
        Guess(id=7, match="ABCDEF", v=3, code=(0, 0, 1, 1)),
        {"op": "guess", "id": 7, "match": "ABCDEF", "v": 3, "code": [0, 0, 1, 1]},
    ),
    "defaults are not sent": (Hello(id=1), {"op": "hello", "id": 1}),
    "rows are pairs of version and events": (
        Log(id=1, match="ABCDEF", rows=(Row(4, (Guessed(code=(0, 1), black=0, white=1),)),)),
        {
            "op": "log",
            "id": 1,
            "match": "ABCDEF",
            "rows": [[4, [{"event": "guessed", "code": [0, 1], "black": 0, "white": 1}]]],
        },
    ),
    "bytes travel as bytes": (
        Happened(
            match="ABCDEF",
            v=1,
            events=(RoundEnded(how=RoundEnd.BROKEN, code=(0,), nonce=b"\xff" * 16, points=1),),
        ),
        {
            "op": "event",
            "match": "ABCDEF",
            "v": 1,
            "events": [
                {
                    "event": "round_ended",
                    "how": "broken",
                    "code": [0],
                    "nonce": b"\xff" * 16,
                    "points": 1,
                }
            ],
        },
    ),
    "text travels as text": (
        Said(
            match="ABCDEF",
            line=ChatLine(room="players", n=3, by="p-zoe", name="Zoë", text="Zażółć gęślą jaźń"),
        ),
        {
            "op": "said",
            "match": "ABCDEF",
            "line": {
                "room": "players",
                "n": 3,
                "by": "p-zoe",
                "name": "Zoë",
                "text": "Zażółć gęślą jaźń",
            },
        },
    ),
    "a phrase travels as its number": (
        Say(id=1, match="ABCDEF", phrase=4),
        {"op": "say", "id": 1, "match": "ABCDEF", "phrase": 4},
    ),
    "an error carries only what applies": (
        Error(code="rate_limited", message="slow down", retry_after=0.5),
        {"op": "error", "code": "rate_limited", "message": "slow down", "retry_after": 0.5},
    ),
}


@pytest.mark.parametrize(("message", "value"), WIRE.values(), ids=WIRE)
def test_a_message_is_written_field_by_field(message, value):
    assert msgpack.unpackb(encode(message)) == value


# Sizes.


def test_a_classic_guess_is_a_small_frame_even_with_the_largest_id():
    request = Guess(id=MAX_REQUEST_ID, match="ABCDEF", v=LATEST, code=(5, 5, 5, 5))

    assert len(encode(request)) <= SMALL_FRAME


@pytest.mark.parametrize("request_id", [None, 1, MAX_REQUEST_ID])
def test_the_answer_to_a_classic_guess_is_a_small_frame(request_id):
    guessed = Guessed(code=(5, 5, 5, 5), black=3, white=0)
    answer = Happened(match="ABCDEF", v=LATEST, events=(guessed,), id=request_id)

    assert len(encode(answer)) <= SMALL_FRAME


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
    room="spectators", n=LATEST, by="p" * 40, name=FACE * 24, text=FACE * MAX_CHAT
)
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
    Chat(match="ABCDEF", lines=(LONGEST_LINE,) * MAX_CHAT_SHOWN),
    Archived(id=MAX_REQUEST_ID, matches=(LONGEST_ARCHIVED,) * MAX_ARCHIVED),
    OwnMatches(id=MAX_REQUEST_ID, matches=(LONGEST_OWN,) * MAX_OWN),
    Listing(id=MAX_REQUEST_ID, matches=(LONGEST_LISTED,) * MAX_LISTED),
]


@pytest.mark.parametrize("message", FULL, ids=lambda message: type(message).__name__)
def test_a_full_message_stays_under_sixteen_kibibytes(message):
    assert len(encode(message)) < 16 * 1024


def test_the_longest_chat_line_fits_into_a_request():
    text = FACE * MAX_CHAT
    frame = encode(Say(id=MAX_REQUEST_ID, match="ABCDEF", text=text))

    assert len(frame) < MAX_REQUEST_BYTES
    assert decode_request(frame) == Say(id=MAX_REQUEST_ID, match="ABCDEF", text=text)
