"""The tables of docs/protocol that `make vectors` writes: first columns from the code.

The last column of most tables explains. It is kept, and a new row needs its explanation by hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from mastermind_client.words.chat import PHRASES
from mastermind_protocol import rules
from mastermind_protocol.errors import ErrorCode, Reason
from mastermind_protocol.events import MATCH_CODE_ALPHABET, MATCH_CODE_LENGTH
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.requests import TRANSFER_CODE_LENGTH
from protocol.documents.markdown import REFERENCE, Document
from protocol.documents.schema import UNIONS, Schema, make_schema

NONE = "-"
PAGES = {
    word: Document(f"{REFERENCE}/{word}s.md") for word in ("request", "message", "event", "value")
}
KINDS: dict[str, Schema] = {
    name: schema for name, schema in make_schema()["$defs"].items() if name not in UNIONS
}

IMPLIED = {"request": ("op", "id"), "message": ("op",), "event": ("event",)}
CODES = {MATCH_CODE_LENGTH: "match code", TRANSFER_CODE_LENGTH: "transfer code"}


class Table(NamedTuple):
    """A table by its document and section, and the cells that the code determines."""

    document: Document
    title: str
    rows: list[list[str]]


def make_tables() -> Iterator[Table]:
    """Yield each table that is written from the code."""
    for name, schema in KINDS.items():
        kind = name.partition("_")[0]
        if rows := describe_fields(schema, IMPLIED.get(kind, ())):
            yield Table(*find_page(name), rows)
    errors, chat, page = (
        Document(f"{REFERENCE}/{name}.md") for name in ("errors", "chat", "rules")
    )
    yield Table(errors, "Error codes", [[f"`{code}`"] for code in ErrorCode])
    reasons = [[f"`{one.key}`", f"`{one.code}`", _write_sentence(one)] for one in Reason]
    yield Table(errors, "Reasons", reasons)
    phrases = [[str(number), phrase] for number, phrase in enumerate(PHRASES, start=1)]
    yield Table(chat, "Phrases", phrases)
    yield Table(page, "Presets", [_describe_preset(one) for one in rules.PRESETS.values()])
    colours = [[str(at), name, name[0].upper()] for at, name in enumerate(rules.CUSTOM_PALETTE)]
    yield Table(page, "Colours of other rules", colours)


def make_pages() -> dict[str, str]:
    """Return the text of each document with these tables, by its path below docs."""
    pages: dict[str, Document] = {}
    for document, title, rows in make_tables():
        page = pages.get(document.path, document)
        pages[document.path] = page.with_table(title, rows)
    return {path: page.text for path, page in pages.items()}


def _write_sentence(reason: Reason) -> str:
    """Return the sentence with its placeholders marked, in the plural form."""
    return re.sub(r"\{(\w+)[^}]*\}", r"`{\1}`", reason.plural)


def _describe_preset(preset: rules.Rules) -> list[str]:
    guesses = str(preset.guesses or f"as many as it takes, at most {preset.limit}")
    alphabets = " or ".join(f"`{alphabet}`" for alphabet in preset.alphabets)
    shown = [f"`{preset.keys.write(Feedback(*keys), preset.pegs)}`" for keys in ((1, 2), (0, 0))]
    size = [str(preset.pegs), str(preset.colours), guesses]
    return [f"`{preset.name}`", *size, " ".join(preset.palette), alphabets, *shown]


class Described(NamedTuple):
    """A type as the documents write it: a word and its limits."""

    word: str
    limits: str


def find_page(name: str) -> tuple[Document, str]:
    """Return the document and the heading that a struct is described under."""
    word = next((union for union in UNIONS if name.startswith(f"{union}_")), "value")
    return PAGES[word], f"{word.title()} `{name.removeprefix(f'{word}_')}`"


def span(least: int | None, most: int | None, unit: str = "") -> str:
    """Return two bounds in words; an end that is open is not named."""
    if least is None and most is None:
        return NONE
    if most is None:
        return f"from {least}{unit}"
    return f"{least}{unit}" if least == most else f"{least or 0} to {most}{unit}"


def describe(schema: Schema) -> Described:
    """Return the words for a part of the schema."""
    match schema:
        case {"$ref": str(reference)}:
            return Described(reference.rpartition("/")[2], NONE)
        case {"const": word}:
            return Described("str", f"`{word}`")
        case {"enum": words}:
            return Described("str", " or ".join(f"`{word}`" for word in words))
        case {"anyOf": parts}:
            return Described(" or ".join(describe(part).word for part in parts), NONE)
        case {"type": "array", "prefixItems": [first, *others]}:
            each = describe(first)
            assert all(describe(item) == each for item in others)
            return Described(
                f"array of {each.word}", f"{1 + len(others)} items, each {each.limits}"
            )
        case {"type": "array", "items": items}:
            each = describe(items)
            bounds = [span(schema.get("minItems"), schema.get("maxItems"), " items")]
            bounds += [f"each {each.limits}" if each.limits != NONE else NONE]
            told = ", ".join(bound for bound in bounds if bound != NONE)
            return Described(f"array of {each.word}", told or NONE)
        case {"type": "object", "properties": {"$hex": {"pattern": pattern}}}:
            digits = re.search(r"\{(\d+)\}", pattern)
            assert digits
            return Described("bin", f"{int(digits[1]) // 2} bytes")
        case {"type": "object", "additionalProperties": values}:
            most = schema.get("maxProperties")
            return Described(f"map of {describe(values).word}", span(None, most, " items"))
        case {"type": "string", "pattern": pattern}:
            found = re.fullmatch(rf"\^\[{MATCH_CODE_ALPHABET}\]\{{(\d+)\}}\$", pattern)
            assert found, f"the documents have no words for the pattern {pattern}"
            return Described("str", CODES[int(found[1])])
        case {"type": "string"}:
            return Described(
                "str", span(schema.get("minLength"), schema.get("maxLength"), " characters")
            )
        case {"type": "integer"}:
            return Described("int", span(schema.get("minimum"), schema.get("maximum")))
        case {"type": "number"}:
            return Described("float", NONE)
        case {"type": "boolean"}:
            return Described("bool", NONE)
    raise AssertionError(f"the documents have no words for {schema}")


def describe_fields(schema: Schema, implied: tuple[str, ...] = ()) -> list[list[str]]:
    """Return name, type, limits and default of each field that its kind does not imply."""
    if schema["type"] == "array":
        parts = schema["prefixItems"]
        return [[f"`{part['title']}`", *describe(part), "required"] for part in parts]
    return [
        [f"`{name}`", *describe(field), write_default(name, field, schema["required"])]
        for name, field in schema["properties"].items()
        if name not in implied
    ]


def write_default(name: str, field: Schema, required: list[str]) -> str:
    if name in required:
        return "required"
    return json.dumps(field["default"]) if "default" in field else "absent"
