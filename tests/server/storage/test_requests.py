import msgpack
import msgspec
import pytest
from hypothesis import given

from kit.matches import pegs
from kit.strategies import brief, values_of
from mastermind_protocol.codec import decode_request
from mastermind_protocol.requests import AnyRequest, Guess, Leave, ListBots
from mastermind_server.storage import requests
from mastermind_server.storage.requests import Requests, ReusedId, Stamp

GUESS = Guess(id=7, match="ABCDEF", v=3, code=pegs("1122"))


@given(values_of(AnyRequest), values_of(AnyRequest))
@brief
def test_two_requests_have_one_stamp_just_if_they_are_one(first, second):
    assert (Stamp.of(first) == Stamp.of(second)) is (first == second)


@pytest.mark.parametrize(
    "other",
    [
        msgspec.structs.replace(GUESS, v=4),
        msgspec.structs.replace(GUESS, code=pegs("1123")),
        msgspec.structs.replace(GUESS, match="GHJKMN"),
        Leave(id=7, match="ABCDEF"),
        ListBots(id=7),
    ],
    ids=repr,
)
def test_a_request_that_asks_something_else_has_another_stamp(other):
    with pytest.raises(ReusedId):
        Stamp.of(other).check(Stamp.of(GUESS).digest)
    Stamp.of(other).check(None)  # nothing was kept by an older version


def test_how_a_request_was_packed_does_not_matter():
    frame = msgpack.packb(
        {"code": [0, 0, 1, 1], "id": 7.0, "v": 3, "why": None, "match": "ABCDEF", "op": "guess"}
    )
    assert Stamp.of(decode_request(frame)) == Stamp.of(GUESS)


def test_an_id_is_bound_until_it_is_released():
    known, stamp, other = Requests(), Stamp(7, b"guess"), Stamp(7, b"leave")
    assert known.bind("Ada", stamp) is None
    assert known.bind("Ada", stamp) is None
    with pytest.raises(ReusedId):
        known.bind("Ada", other)
    assert known.bind("Bob", other) is None

    known.release("Ada", stamp)
    assert known.bind("Ada", other) is None


def test_a_refusal_is_remembered_and_no_other_request_makes_it_forgotten():
    known, stamp = Requests(), Stamp(7, b"guess")
    known.bind("Ada", stamp)
    known.refuse("Ada", stamp, b"no")
    with pytest.raises(ReusedId):
        known.bind("Ada", Stamp(7, b"leave"))
    assert known.bind("Ada", stamp) == b"no"


def test_only_so_many_requests_are_remembered(monkeypatch):
    monkeypatch.setattr(requests, "REQUESTS_KEPT", 2)
    known = Requests()
    for number in range(3):
        known.bind("Ada", Stamp(number, b"first"))
    known.refuse("Ada", Stamp(0, b"first"), b"no")  # too late
    assert known.bind("Ada", Stamp(0, b"second")) is None
    with pytest.raises(ReusedId):
        known.bind("Ada", Stamp(2, b"second"))


def test_a_refusal_is_forgotten_with_its_request(monkeypatch):
    monkeypatch.setattr(requests, "REQUESTS_KEPT", 1)
    known, stamp = Requests(), Stamp(7, b"guess")
    known.bind("Ada", stamp)
    known.refuse("Ada", stamp, b"no")
    known.bind("Bob", stamp)
    assert known.bind("Ada", stamp) is None
