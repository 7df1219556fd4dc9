"""The texts of the page are written from the sources and the catalogues."""

import re

import pytest

from mastermind_client.language import LANGUAGES
from tools.page_texts import make_files
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
