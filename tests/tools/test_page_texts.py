"""The texts of the page are written from the sources and the catalogues."""

import re

import pytest

from mastermind_client.language import LANGUAGES
from mastermind_protocol.errors import ErrorCode, Reason
from tools.page_texts import LATER, MISTAKES, NOT_SENT, make_files, make_more_texts, make_texts
from tools.translations import PAGE, PAGE_FOLDER, find_marked

IMPORTED_PAGE = re.compile(r'^(?:import\b.*|\}) from "\.{1,2}/pages/', re.MULTILINE)


def test_the_texts_are_as_make_messages_writes_them():
    paths = [*PAGE_FOLDER.glob("texts/*.json"), *PAGE_FOLDER.glob("device/*.css")]
    written = {str(path.relative_to(PAGE_FOLDER)): path.read_text("utf-8") for path in paths}
    assert written == make_files(), "stale: make messages"


def test_no_text_is_in_both_files_of_a_language():
    first, more = make_texts("pl"), make_more_texts("pl")
    for kind in ("sentences", "plurals"):
        assert first[kind]
        assert not first[kind].keys() & more[kind].keys()
    assert all(module in PAGE for module in LATER)


def test_every_text_of_the_page_is_collected():
    # Babel overlooks a call in the arguments of another one, and in a template string.
    called = {
        text
        for module in PAGE
        for text in re.findall(r"\b[tn]\(\s*\"(.+?)\"", module.read_text("utf-8"))
    }
    assert called == {text for _context, text in find_marked(PAGE)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_of_a_refusal_has_a_sentence(language):
    codes = make_more_texts(language)["codes"]
    assert {code for code, sentence in codes.items() if sentence} == {*ErrorCode}


def test_refusals_that_a_page_receives_have_one_form_that_says_more_than_their_code():
    texts = make_more_texts("pl")
    received = {it for it in Reason if it.code not in MISTAKES} - NOT_SENT
    assert all(it.singular == it.plural for it in received)
    assert texts["reasons"].keys() <= {it.key for it in received}
    for reason in received:
        written = texts["reasons"].get(reason.key)
        assert written != texts["codes"][reason.code], reason


def test_no_other_module_imports_a_page_before_it_is_opened():
    others = [path for path in PAGE if path.parent.name != "pages"]
    imported = [path.name for path in others if IMPORTED_PAGE.search(path.read_text("utf-8"))]
    assert imported == [], "move what they share out of pages"
