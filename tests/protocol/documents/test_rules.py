"""docs/protocol/rules.md: the names of other rules."""

from __future__ import annotations

from mastermind_protocol import rules
from protocol.documents.markdown import REFERENCE, Document

DOCUMENT = Document(f"{REFERENCE}/rules.md")


def test_names_of_rules_mean_what_the_document_says():
    rows = DOCUMENT.table("Names of other rules")
    assert rows
    for given, name, *size in rows:
        found = rules.find_rules(given.strip("`"))
        assert name == f"`{found.name}`"
        repeats = "yes" if found.repeats else "no"
        assert size == [str(found.pegs), str(found.colours), repeats, str(found.guess_limit)]


def test_the_bounds_of_names_of_rules_are_those_of_the_code():
    text = " ".join(DOCUMENT.sections["Names of other rules"].split())
    bounds = f"PEGS 1 to {rules.MAX_PEGS}, COLOURS 2 to {rules.MAX_COLOURS}"
    assert f"{bounds}, GUESSES 1 to {rules.MAX_GUESSES}" in text
    assert f"GUESSES is {rules.DEFAULT.guess_limit}." in text
