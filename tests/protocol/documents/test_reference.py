"""The pages of docs/protocol: their tables are as `make vectors` writes them."""

from __future__ import annotations

import pytest

from mastermind_protocol.codec import decode_message
from mastermind_protocol.messages import Welcome
from mastermind_server.limits import DEFAULT_LIMITS, make_terms
from protocol.documents.markdown import DOCUMENTS, read_vectors
from protocol.documents.tables import (
    COMMON_FIELDS,
    KINDS,
    PAGES,
    find_page,
    make_fields,
    make_pages,
    make_tables,
)


@pytest.mark.parametrize(("path", "text"), make_pages().items())
def test_the_tables_are_as_make_vectors_writes_them(path, text):
    assert (DOCUMENTS / path).read_text(encoding="utf-8") == text, f"{path} is stale: make vectors"


def test_each_row_is_explained():
    for document, title, _rows in make_tables():
        for row in document.table(title):
            assert all(row), f"{document.path}, {title}: a cell is empty in {row}"


def test_each_field_is_explained():
    for document, title, _rows in make_fields():
        for name, kind, meaning in document.fields(title):
            prose = document.sections[title].partition("\n- ")[0]
            assert meaning or name in COMMON_FIELDS or name in prose, (
                f"{document.path}, {title}: explain {name} ({kind})"
            )


def test_each_common_field_has_a_type_that_is_used():
    fields = {(name, kind) for _, _, rows in make_fields() for name, kind in rows}
    assert fields >= set(COMMON_FIELDS.items())


def test_nothing_is_described_that_does_not_exist():
    described = {
        (page.path, title) for page in PAGES.values() for title in page.sections if "`" in title
    }
    assert described == {(page.path, title) for page, title in map(find_page, KINDS)}


def test_the_terms_of_the_example_are_this_servers():
    example = next(one for one in read_vectors("messages") if one["name"] == "message_welcome")
    welcome = decode_message(bytes.fromhex(example["hex"]))
    assert isinstance(welcome, Welcome)
    assert welcome.terms == make_terms(DEFAULT_LIMITS)
