"""The pages of docs/protocol: their tables are as `make vectors` writes them, with examples."""

from __future__ import annotations

import json

import msgpack
import pytest

from mastermind_protocol.codec import decode_message
from mastermind_protocol.events import MATCH_CODE_ALPHABET, MATCH_CODE_LENGTH
from mastermind_protocol.messages import Welcome
from mastermind_protocol.requests import MAX_REQUEST_ID, TRANSFER_CODE_LENGTH
from mastermind_server.limits import USUAL
from mastermind_server.network.terms import describe_terms
from protocol.documents.markdown import DOCUMENTS
from protocol.documents.schema import UNIONS
from protocol.documents.tables import KINDS, PAGES, find_page, make_pages, make_tables


@pytest.mark.parametrize(("path", "text"), make_pages().items())
def test_the_tables_are_as_make_vectors_writes_them(path, text):
    assert (DOCUMENTS / path).read_text(encoding="utf-8") == text, f"{path} is stale: make vectors"


def test_each_row_is_explained():
    for document, title, _rows in make_tables():
        for row in document.table(title):
            assert all(row), f"{document.path}, {title}: a cell is empty in {row}"


def test_the_codes_and_ids_are_those_of_the_code():
    text = " ".join(PAGES["value"].text.split())
    assert f"{MATCH_CODE_LENGTH} characters of `{MATCH_CODE_ALPHABET}`" in text
    assert f"a *transfer code* one of {TRANSFER_CODE_LENGTH}." in text
    assert f"`id` (int, 1 to {MAX_REQUEST_ID})" in " ".join(PAGES["request"].text.split())


def test_nothing_is_described_that_does_not_exist():
    described = {
        (page.path, title) for page in PAGES.values() for title in page.sections if " `" in title
    }
    assert described == {(page.path, title) for page, title in map(find_page, KINDS)}


@pytest.mark.parametrize("name", [name for name in KINDS if name.startswith(tuple(UNIONS))])
def test_a_message_or_an_event_has_an_example(name):
    page, title = find_page(name)
    values = [json.loads(block.text) for block in page.blocks("json") if block.title == title]
    assert values
    for value in values:
        happened = [event for _v, row in value.get("rows", ()) for event in row]
        happened += value.get("events", ())
        tags = [value["op"], *(event["event"] for event in happened)]
        assert name.partition("_")[2] in (tags[1:] if name.startswith("event_") else tags[:1])


def test_the_terms_of_the_example_are_this_servers():
    example = PAGES["message"].block("Message `welcome`", "json")
    welcome = decode_message(msgpack.packb(json.loads(example)))
    assert isinstance(welcome, Welcome)
    assert welcome.terms == describe_terms(USUAL)
