"""Requests, messages, events and values: each has a section with exactly its fields."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

import msgpack
import pytest

from mastermind_protocol.codec import decode_message
from mastermind_protocol.messages import Welcome
from mastermind_server.limits import USUAL
from mastermind_server.network.terms import describe_terms
from protocol.documents.markdown import REFERENCE, Document
from protocol.documents.schema import UNIONS, Schema, make_schema

NONE = "-"
PAGES = {
    word: Document(f"{REFERENCE}/{word}s.md") for word in ("request", "message", "event", "value")
}
KINDS: dict[str, Schema] = {
    name: schema for name, schema in make_schema()["$defs"].items() if name not in UNIONS
}


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
            found = re.fullmatch(r"\^\[(\w+)\]\{(\d+)\}\$", pattern)
            assert found, f"the documents have no words for the pattern {pattern}"
            return Described("str", f"{found[2]} characters of `{found[1]}`")
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


def describe_fields(schema: Schema) -> list[list[str]]:
    """Return name, type, limits and default of each field as it travels, the tag first."""
    if schema["type"] == "array":
        parts = schema["prefixItems"]
        return [[f"`{part['title']}`", *describe(part), "required"] for part in parts]
    return [
        [f"`{name}`", *describe(field), write_default(name, field, schema["required"])]
        for name, field in schema["properties"].items()
    ]


def write_default(name: str, field: Schema, required: list[str]) -> str:
    if name in required:
        return "required"
    return json.dumps(field["default"]) if "default" in field else "absent"


@pytest.mark.parametrize("name", KINDS)
def test_a_struct_has_a_table_of_exactly_its_fields(name):
    page, title = find_page(name)
    page.check_table(title, describe_fields(KINDS[name]))


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
