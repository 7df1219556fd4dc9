import typing
from base64 import b64encode

import msgspec
import pytest

from mastermind_server.storage import notices
from mastermind_server.storage.notices import (
    ChallengeOpened,
    MatchChanged,
    Notice,
    NotifyLatency,
    RowCopied,
    RowWritten,
    decode_notices,
    encode_notices,
)
from mastermind_server.storage.rows import LogRow

PAYLOAD_BYTES = 8000  # that PostgreSQL refuses
ROW = LogRow("AAAAAA", 7, 0, b"\x90", "p-1", 3, b"digest")
BOT_ROW = LogRow("AAAAAA", 7, 0, b"\x90", "bot")
FIRST, SECOND, THIRD = (RowWritten("AAAAAA", version) for version in (1, 2, 3))


@pytest.fixture
def latency():
    return NotifyLatency()


def count(latency):
    return latency.delays.cumulative_buckets[-1][1]


def test_each_notice_is_sent_once_in_messages_of_limited_length():
    sent: list[Notice] = [RowWritten(f"{n:04}AA", n) for n in range(1, 1700)]
    sent += [RowCopied(ROW, "new"), FIRST] * 2
    texts = [text for _, text in encode_notices(sent + sent)]
    assert [notice for text in texts for notice in decode_notices(text)] == sent[:-2]
    assert len(texts) == 3
    assert max(map(len, texts)) < PAYLOAD_BYTES


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
    ((part, text),) = encode_notices([copy := RowCopied(BOT_ROW, "new")])
    assert (part, decode_notices(text)) == ("AA", [copy])


@pytest.mark.parametrize("kind", typing.get_args(Notice))
def test_a_notice_of_each_kind_is_decoded(kind):
    values = {"match": "AAAAAA", "version": 7, "player": "p-1", "row": ROW, "epoch": "new"}
    notice = kind(**{field: values[field] for field in kind.__struct_fields__})
    assert [decode_notices(text) for _, text in encode_notices([notice])] == [[notice]]


WIDER = b64encode(msgspec.msgpack.encode([[*ROW, "a new column"], "new"])).decode()


@pytest.mark.parametrize(
    "other", ["AAAAAA:-99", "p-1:-2", "p-1:-3", "p-1@n_2:-5", f"{WIDER}:-7", "AAAAA:-7"]
)
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
