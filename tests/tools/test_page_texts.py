"""The texts of the page are written from the sources and the catalogues."""

import pytest

from mastermind_client.language import LANGUAGES
from tools.page_texts import make_files
from tools.translations import PAGE_FOLDER


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_texts_are_as_make_messages_writes_them(language):
    name = f"texts/{language}.json"
    assert (PAGE_FOLDER / name).read_text("utf-8") == make_files()[name], "stale: make messages"
