"""docs/protocol/chat.md: the characters of names and texts."""

from __future__ import annotations

import re
from unicodedata import category

from mastermind_protocol import text
from protocol.documents.markdown import REFERENCE, Document

DOCUMENT = Document(f"{REFERENCE}/chat.md")


def code_points(text: str) -> set[str]:
    """Return the characters that a text names: U+0041, or U+0041 to U+005A."""
    spans = re.findall(r"U\+([0-9A-F]+)(?:\s+to\s+U\+([0-9A-F]+))?", text)
    return {
        chr(point)
        for first, last in spans
        for point in range(int(first, 16), int(last or first, 16) + 1)
    }


UNSHOWN = DOCUMENT.sections["Characters that cannot be shown"]
BLANK, HIDDEN, FILLERS = (
    part for part in re.split(r"^It refuses|^- |, or one\s+of", UNSHOWN, flags=re.MULTILINE)
    if "U+" in part
)  # fmt: skip


def test_blanks_are_those_of_the_document():
    blank = {char for char in map(chr, range(0x110000)) if char.isspace()}
    assert code_points(BLANK) == {char for char in blank if category(char) != "Zs"}


def test_hidden_characters_and_fillers_are_those_of_the_document():
    assert code_points(HIDDEN) == set(text.JOINERS)
    assert code_points(FILLERS) == set(text.FILLERS)


def test_characters_of_each_category_are_shown_as_the_document_says():
    hidden = set(re.findall(r"`([CZ][a-z])`", HIDDEN))
    one_of_each = {category(char): char for char in map(chr, range(0x3000)) if char != " "}
    one_of_each |= {"Cs": "\ud800", "Co": "\ue000"}
    del one_of_each["Zs"]  # a space
    assert len(one_of_each) == 29
    for kind, char in one_of_each.items():
        shown = kind not in hidden or char in text.JOINERS
        assert text.is_displayable(f"a{char}") is shown, kind
        assert text.is_displayable(char) is (shown and kind[0] not in "CMZ"), kind
