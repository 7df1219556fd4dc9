from __future__ import annotations

from typing import Any, get_args

import msgpack
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mastermind_protocol.chat import MAX_CHAT, MAX_CHAT_SHOWN, ChatLine
from mastermind_protocol.codec import decode_message, decode_request, encode
from mastermind_protocol.events import (
    Guessed,
    MatchEnd,
    Player,
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
    Done,
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
    Welcome,
)
from mastermind_protocol.requests import (
    MAX_REQUEST_BYTES,
    MAX_REQUEST_ID,
    AnyRequest,
    Chair,
    Guess,
    Hello,
    Open,
    Request,
    RequestId,
    RulesName,
    Say,
    Token,
    Version,
)
from mastermind_protocol.rules import MAX_PEGS
from strategies import brief, values_of

REQUESTS: tuple[type[Request], ...] = get_args(AnyRequest)
MESSAGES: tuple[type[ServerMessage], ...] = get_args(AnyMessage)
SMALL_FRAME = 96  # what a guess, or the answer to it, may cost
LATEST = 2**31 - 1


def plain(frame: bytes) -> Any:
    return msgpack.unpackb(frame)


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


# What is on the wire, to the letter: another client can be written from it.


def test_a_guess_is_a_flat_map():
    request = Guess(id=7, match="ABCDEF", v=3, code=(0, 0, 1, 1))

    assert plain(encode(request)) == {
        "op": "guess",
        "id": 7,
        "match": "ABCDEF",
        "v": 3,
        "code": [0, 0, 1, 1],
    }


def test_what_is_left_at_its_default_is_not_sent():
    assert plain(encode(Hello(id=1))) == {"op": "hello", "id": 1}
    assert plain(encode(Open(id=2, rules="classic", maker="me", breaker="open"))) == {
        "op": "open",
        "id": 2,
        "rules": "classic",
        "maker": "me",
        "breaker": "open",
    }
    assert plain(encode(Done(id=3))) == {"op": "done", "id": 3}


def test_a_log_has_its_rows_as_pairs_of_version_and_events():
    guessed = Guessed(code=(0, 1), black=0, white=1)

    frame = encode(Log(id=1, match="ABCDEF", rows=(Row(4, (guessed,)),), present=("p-ann",)))

    assert plain(frame) == {
        "op": "log",
        "id": 1,
        "match": "ABCDEF",
        "rows": [[4, [{"event": "guessed", "code": [0, 1], "black": 0, "white": 1}]]],
        "present": ["p-ann"],
    }


def test_bytes_travel_as_bytes():
    ended = RoundEnded(how=RoundEnd.BROKEN, code=(0,), nonce=b"\xff" * 16, points=1)

    (event,) = plain(encode(Happened(match="ABCDEF", v=1, events=(ended,))))["events"]

    assert event["nonce"] == b"\xff" * 16
    assert event["how"] == "broken"


def test_names_and_words_travel_as_text():
    welcome = Welcome(id=1, player=Player(id="p", name="Zoë", bot="knuth"), token="t" * 43)
    listed = Listed(match="ABCDEF", rules="classic", rounds=2, phase=Phase.GATHERING, maker="Zoë")

    assert plain(encode(welcome))["player"] == {"id": "p", "name": "Zoë", "bot": "knuth"}
    assert plain(encode(Listing(id=2, matches=(listed,))))["matches"] == [
        {"match": "ABCDEF", "rules": "classic", "rounds": 2, "phase": "gathering", "maker": "Zoë"}
    ]


def test_a_phrase_travels_as_its_number_and_a_text_as_it_is():
    assert plain(encode(Say(id=1, match="ABCDEF", phrase=4))) == {
        "op": "say",
        "id": 1,
        "match": "ABCDEF",
        "phrase": 4,
    }
    line = ChatLine(room="players", n=3, by="p-zoe", name="Zoë", text="Zażółć gęślą jaźń")
    assert plain(encode(Said(match="ABCDEF", line=line)))["line"] == {
        "room": "players",
        "n": 3,
        "by": "p-zoe",
        "name": "Zoë",
        "text": "Zażółć gęślą jaźń",
    }


def test_of_a_draw_it_is_not_said_who_won():
    drawn = ArchivedMatch(
        match="ABCDEF",
        rules="mini",
        rounds=2,
        at=5,
        seat=Seat.MAKER,
        opponent="Bob",
        how=MatchEnd.PLAYED,
        guesses=4,
        points=(2, 2),
    )

    assert plain(encode(Archived(id=1, matches=(drawn,))))["matches"] == [
        {
            "match": "ABCDEF",
            "rules": "mini",
            "rounds": 2,
            "at": 5,
            "seat": "maker",
            "opponent": "Bob",
            "how": "played",
            "guesses": 4,
            "points": [2, 2],
        }
    ]


def test_an_error_carries_only_what_applies():
    assert plain(encode(Error(code="rate_limited", message="slow down", retry_after=0.5))) == {
        "op": "error",
        "code": "rate_limited",
        "message": "slow down",
        "retry_after": 0.5,
    }


# What a message costs.


def test_a_classic_guess_is_a_small_frame_even_with_the_largest_id():
    request = Guess(id=MAX_REQUEST_ID, match="ABCDEF", v=LATEST, code=(5, 5, 5, 5))

    assert len(encode(request)) <= SMALL_FRAME


@pytest.mark.parametrize("request_id", [None, 1, MAX_REQUEST_ID])
def test_the_answer_to_a_classic_guess_is_a_small_frame(request_id):
    guessed = Guessed(code=(5, 5, 5, 5), black=3, white=0)
    answer = Happened(match="ABCDEF", v=LATEST, events=(guessed,), id=request_id)

    assert len(encode(answer)) <= SMALL_FRAME


def test_a_full_log_message_stays_under_sixteen_kibibytes():
    code, nonce = (11,) * MAX_PEGS, bytes(16)
    secret = SecretSet(by="p" * 40, commitment=bytes(32), code=code, nonce=nonce)
    guessed = Guessed(code=code, black=MAX_PEGS, white=0)
    ended = RoundEnded(how=RoundEnd.EXHAUSTED, code=code, nonce=nonce, points=1)
    rows = (Row(LATEST, (secret,)), Row(LATEST, (guessed, ended))) * (MAX_ROWS // 2)

    assert len(encode(Log(id=MAX_REQUEST_ID, match="ABCDEF", rows=rows))) < 16 * 1024


def test_a_full_chat_stays_under_sixteen_kibibytes():
    line = ChatLine(
        room="spectators",
        n=LATEST,
        by="p" * 40,
        name="\N{SMILE}" * 24,
        text="\N{SMILING FACE WITH SUNGLASSES}" * MAX_CHAT,
    )

    assert len(encode(Chat(match="ABCDEF", lines=(line,) * MAX_CHAT_SHOWN))) < 16 * 1024


def test_the_longest_line_can_be_asked_for():
    text = "\N{SMILING FACE WITH SUNGLASSES}" * MAX_CHAT
    frame = encode(Say(id=MAX_REQUEST_ID, match="ABCDEF", text=text))

    assert len(frame) < MAX_REQUEST_BYTES
    assert decode_request(frame) == Say(id=MAX_REQUEST_ID, match="ABCDEF", text=text)


def test_a_full_archive_stays_under_sixteen_kibibytes():
    kept = ArchivedMatch(
        match="ABCDEF",
        rules="9x12/99",
        rounds=20,
        rated=True,
        at=2**53,
        seat=Seat.BREAKER,
        opponent="\N{SMILING FACE WITH SUNGLASSES}" * 24,
        bot=True,
        won=False,
        how=MatchEnd.PLAYED,
        guesses=20 * 999,
        points=(10_000, 10_000),
        tries=(999,) * 10,
    )

    assert len(encode(Archived(id=MAX_REQUEST_ID, matches=(kept,) * MAX_ARCHIVED))) < 16 * 1024


def test_a_full_list_of_own_matches_stays_under_sixteen_kibibytes():
    own = OwnMatch(
        match="ABCDEF",
        rules="9x12/99",
        rounds=20,
        round=20,
        guesses=999,
        phase=Phase.BREAKING,
        rated=True,
        seat=Seat.BREAKER,
        opponent="\N{SMILING FACE WITH SUNGLASSES}" * 24,
        bot=True,
        turn=True,
        since=2**53,
        away=2**53,
    )

    assert len(encode(OwnMatches(id=MAX_REQUEST_ID, matches=(own,) * MAX_OWN))) < 16 * 1024


def test_a_full_listing_stays_under_sixteen_kibibytes():
    listed = Listed(
        match="ABCDEF",
        rules="9x12/99",
        rounds=20,
        phase=Phase.GATHERING,
        maker="\N{SMILE}" * 24,
        breaker="\N{SMILE}" * 24,
    )

    assert len(encode(Listing(id=MAX_REQUEST_ID, matches=(listed,) * MAX_LISTED))) < 16 * 1024
