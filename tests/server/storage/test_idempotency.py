import msgpack
import pytest
from hypothesis import given

from kit.matches import pegs
from kit.strategies import brief, values_of
from mastermind_protocol.codec import decode_request
from mastermind_protocol.requests import AnyRequest, Guess
from mastermind_server.storage import idempotency
from mastermind_server.storage.idempotency import RecentRequests, RequestKey, ReusedId

GUESS = Guess(id=7, match="ABCDEF", v=3, code=pegs("1122"))


@given(values_of(AnyRequest), values_of(AnyRequest))
@brief
def test_only_equal_requests_have_equal_stamps(first, second):
    assert (RequestKey.of(first) == RequestKey.of(second)) is (first == second)


def test_a_row_of_an_older_version_without_a_digest_fits_every_request():
    RequestKey.of(GUESS).check_same_request(None)


def test_the_packing_of_a_request_does_not_change_its_stamp():
    frame = msgpack.packb(
        {"code": [0, 0, 1, 1], "id": 7.0, "v": 3, "why": None, "match": "ABCDEF", "op": "guess"}
    )
    assert RequestKey.of(decode_request(frame)) == RequestKey.of(GUESS)


def test_an_id_is_bound_until_it_is_released():
    known, stamp, other = RecentRequests(), RequestKey(7, b"guess"), RequestKey(7, b"leave")
    assert known.bind("Ada", stamp) is None
    assert known.bind("Ada", stamp) is None
    with pytest.raises(ReusedId):
        known.bind("Ada", other)
    assert known.bind("Bob", other) is None

    known.release("Ada", stamp)
    assert known.bind("Ada", other) is None


def test_a_refusal_is_kept_when_its_id_is_reused():
    known, stamp = RecentRequests(), RequestKey(7, b"guess")
    known.bind("Ada", stamp)
    known.keep_refusal("Ada", stamp, b"no")
    with pytest.raises(ReusedId):
        known.bind("Ada", RequestKey(7, b"leave"))
    assert known.bind("Ada", stamp) == b"no"


def test_the_oldest_requests_are_forgotten(monkeypatch):
    monkeypatch.setattr(idempotency, "REQUESTS_KEPT", 2)
    known = RecentRequests()
    for number in range(3):
        known.bind("Ada", RequestKey(number, b"first"))
    known.keep_refusal("Ada", RequestKey(0, b"first"), b"no")  # too late
    assert known.bind("Ada", RequestKey(0, b"second")) is None
    with pytest.raises(ReusedId):
        known.bind("Ada", RequestKey(2, b"second"))


def test_a_refusal_is_forgotten_with_its_request(monkeypatch):
    monkeypatch.setattr(idempotency, "REQUESTS_KEPT", 1)
    known, stamp = RecentRequests(), RequestKey(7, b"guess")
    known.bind("Ada", stamp)
    known.keep_refusal("Ada", stamp, b"no")
    known.bind("Bob", stamp)
    assert known.bind("Ada", stamp) is None
