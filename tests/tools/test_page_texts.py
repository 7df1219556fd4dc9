"""The texts of the page are written from the sources and the catalogues."""

import re

import pytest

from mastermind_client.language import LANGUAGES
from mastermind_protocol.errors import Reason
from tools.page_texts import MISTAKES, NOT_SENT, make_files, make_texts
from tools.translations import PAGE, PAGE_FOLDER, find_marked


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_texts_are_as_make_messages_writes_them(language):
    name = f"texts/{language}.json"
    assert (PAGE_FOLDER / name).read_text("utf-8") == make_files()[name], "stale: make messages"


def test_every_text_of_the_page_is_collected():
    # Babel overlooks a call in the arguments of another one, and in a template string.
    called = {
        text
        for module in PAGE
        for text in re.findall(r"\b[tn]\(\"(.+?)\"", module.read_text("utf-8"))
    }
    assert called == {text for _context, text in find_marked(PAGE)}


def test_refusals_that_a_page_receives_have_one_form_that_says_more_than_their_code():
    texts = make_texts("pl")
    received = {it for it in Reason if it.code not in MISTAKES} - NOT_SENT
    assert all(it.singular == it.plural for it in received)
    assert texts["reasons"].keys() <= {it.key for it in received}
    for reason in received:
        written = texts["reasons"].get(reason.key)
        assert written != texts["codes"][reason.code], reason
