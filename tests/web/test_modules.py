"""The modules of the page in the browser's own engine, by the vectors of the protocol."""

from __future__ import annotations

import hashlib
import json
from itertools import groupby
from pathlib import Path

import msgpack
import pytest

from mastermind_protocol.codec import decode_request
from web.modules import call_all

VECTORS = Path(__file__).parents[2] / "docs" / "protocol" / "vectors"


def read_vectors(name):
    return json.loads((VECTORS / f"{name}.json").read_text("utf-8"))


def read_hex(value):
    return bytes.fromhex(value["$hex"])


@pytest.fixture
def page(visit):
    return visit()


@pytest.mark.parametrize("name", ["requests", "messages", "events", "sessions", "tolerated"])
def test_the_browser_decodes_the_vectors(page, name):
    vectors = read_vectors(name)
    decoded = call_all(page, "msgpack", "decode", *([{"$hex": row["hex"]}] for row in vectors))
    assert decoded == [row["value"] for row in vectors]


def test_the_server_reads_the_requests_that_the_browser_encodes(page):
    vectors = read_vectors("requests")
    encoded = call_all(page, "msgpack", "encode", *([row["value"]] for row in vectors))
    assert [decode_request(read_hex(frame)) for frame in encoded] == [
        decode_request(bytes.fromhex(row["hex"])) for row in vectors
    ]


def test_the_browser_hashes_as_python_does(page):
    texts = [bytes(range(256))[:length] * 2 for length in (0, 1, 28, 32, 64, 256)]
    hashed = call_all(page, "sha256", "sha256", *([{"$hex": text.hex()}] for text in texts))
    assert [read_hex(value) for value in hashed] == [hashlib.sha256(text).digest() for text in texts]
