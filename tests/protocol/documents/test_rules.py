"""docs/protocol/rules.md: the presets, the names of other rules, and their colours."""

from __future__ import annotations

from mastermind_protocol import rules
from mastermind_protocol.feedback import Feedback
from protocol.documents.markdown import REFERENCE, Document

DOCUMENT = Document(f"{REFERENCE}/rules.md")


def describe_preset(preset: rules.Rules) -> list[str]:
    guesses = str(preset.guesses or f"as many as it takes, at most {preset.limit}")
    alphabets = " or ".join(f"`{alphabet}`" for alphabet in preset.alphabets)
    shown = [f"`{preset.keys.write(Feedback(*keys), preset.pegs)}`" for keys in ((1, 2), (0, 0))]
    size = [str(preset.pegs), str(preset.colours), guesses]
    return [f"`{preset.name}`", *size, " ".join(preset.palette), alphabets, *shown]


def test_the_presets_are_those_of_the_code():
    DOCUMENT.check_table("Presets", [describe_preset(preset) for preset in rules.PRESETS.values()])


def test_the_colours_of_other_rules_are_in_order():
    DOCUMENT.check_table(
        "Colours of other rules",
        [
            [str(index), colour, colour[0].upper()]
            for index, colour in enumerate(rules.CUSTOM_PALETTE)
        ],
    )


def test_names_of_rules_mean_what_the_document_says():
    rows = DOCUMENT.table("Names of other rules")
    assert rows
    for given, name, *size in rows:
        found = rules.find_rules(given.strip("`"))
        assert name == f"`{found.name}`"
        assert size == [str(found.pegs), str(found.colours), str(found.limit)]


def test_the_bounds_of_names_of_rules_are_those_of_the_code():
    text = " ".join(DOCUMENT.sections["Names of other rules"].split())
    bounds = f"PEGS 1 to {rules.MAX_PEGS}, COLOURS 2 to {rules.MAX_COLOURS}"
    assert f"{bounds}, GUESSES 1 to {rules.MAX_GUESSES}" in text
    assert f"GUESSES is {rules.DEFAULT.limit}." in text
