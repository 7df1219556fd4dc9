import typing

import pytest

from mastermind_server.storage import notices
from mastermind_server.storage.notices import (
    NOTICES_PER_MESSAGE,
    ChallengeOpened,
    MatchChanged,
    Notice,
    NotifyLatency,
    RowWritten,
    decode_notices,
    encode_notices,
)

FIRST, SECOND, THIRD = (RowWritten("AAAAAA", version) for version in (1, 2, 3))


@pytest.fixture
def latency():
    return NotifyLatency()


def count(latency):
    return latency.delays.cumulative_buckets[-1][1]


def test_each_notice_is_sent_once_in_messages_of_limited_length():
    sent = [RowWritten(f"{n:04}AA", n) for n in range(1, NOTICES_PER_MESSAGE + 2)]
    (_, first), (_, second) = encode_notices(sent + sent)
    assert decode_notices(first) + decode_notices(second) == sent
    assert len(first) < 8000


def test_a_notice_of_a_match_is_for_the_nodes_of_its_part():
    sent: list[Notice] = [
        RowWritten("K7M2QX", 1),
        MatchChanged("AAAAAA"),
        ChallengeOpened("AAAAAA"),
        FIRST,
    ]
    assert encode_notices(sent) == [
        ("QX", "K7M2QX:1"), ("AA", "AAAAAA AAAAAA:1"), ("", "AAAAAA:-4"),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", typing.get_args(Notice))
def test_a_notice_of_each_kind_is_decoded(kind):
    values = {"match": "AAAAAA", "version": 7, "player": "p-1", "node": "n_2"}
    notice = kind(**{field: values[field] for field in kind.__struct_fields__})
    assert [decode_notices(text) for _, text in encode_notices([notice])] == [[notice]]


@pytest.mark.parametrize("other", ["AAAAAA:-99", "p-1:-2", "p-1:-3", "p-1@n_2:-5"])
def test_a_notice_of_a_newer_or_an_older_node_is_ignored(other):
    assert decode_notices(f"AAAAAA:7 {other}") == [RowWritten("AAAAAA", 7)]


def test_one_notice_at_a_time_is_timed(latency):
    latency.start_timing([])
    latency.start_timing([FIRST, SECOND])
    latency.start_timing([THIRD])
    latency.stop_timing([FIRST])
    assert count(latency) == 0
    latency.stop_timing([FIRST, SECOND])
    latency.stop_timing([SECOND, THIRD])
    assert count(latency) == 1
    latency.start_timing([THIRD])
    latency.stop_timing([THIRD])
    assert count(latency) == 2


def test_a_lost_notice_does_not_block_later_samples(latency, monkeypatch):
    monkeypatch.setattr(notices, "NOTIFY_SAMPLE_SECONDS", -1)
    latency.start_timing([FIRST])
    latency.start_timing([SECOND])
    latency.stop_timing([SECOND])
    assert count(latency) == 1
