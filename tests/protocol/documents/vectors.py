"""Writes the schema, the tables and the test vectors (frames in hex) of docs/protocol.

    make vectors

A vector is a value and its frame. The values of valid messages are in docs/protocol/vectors. A new
type gets its section and a vector with the required fields there; both are then edited by hand.
Invalid and unusual frames are listed here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgpack
import msgspec

from mastermind_protocol.codec import decode_message, decode_request, encode
from mastermind_protocol.errors import ErrorCode, MessageError, Reason
from mastermind_protocol.messages import Error, ServerMessage
from mastermind_protocol.requests import MAX_REQUEST_BYTES, MAX_REQUEST_ITEMS, Request
from mastermind_server.limits import DEFAULT_LIMITS, make_terms
from protocol.documents.folds import make_folds
from protocol.documents.markdown import (
    DOCUMENTS,
    REFERENCE,
    read_value,
    read_vectors,
    write_value,
)
from protocol.documents.schema import UNIONS, make_schema, name_of
from protocol.documents.tables import make_pages

EXAMPLES = ("requests", "messages", "events")
WRITTEN = (*EXAMPLES, "sessions")
GUESS: dict[str, Any] = {
    "op": "guess",
    "id": 930018,
    "match": "72S54M",
    "v": 3,
    "code": [0, 0, 0, 2],
}
FOLLOW: dict[str, Any] = {"op": "follow", "id": 930025, "match": "72S54M"}
DONE: dict[str, Any] = {"op": "done", "id": 48204}
ERROR: dict[str, Any] = {"op": "error", "id": 48204, "message": "Not so."}
EVENT: dict[str, Any] = {"op": "event", "match": "72S54M", "v": 4}
GUESSED: dict[str, Any] = {"event": "guessed", "code": [0, 0, 0, 2], "black": 3, "white": 0}


def _pack(value: Any) -> bytes:
    packed: bytes = msgpack.packb(value)
    return packed


REFUSED: Mapping[str, bytes] = {
    "nothing": b"",
    "text in place of msgpack": b'{"op":"bots","id":1}',
    "a map that is cut off": _pack(GUESS)[:-1],
    "a byte too many": _pack(GUESS) + b"\xc0",
    "a byte that begins nothing": b"\xc1",
    "a str that is not UTF-8": b"\x81\xa2op\xa1\xff",
    "a number as a key": _pack({1: 2}),
    "no map": _pack([GUESS]),
    "no op": _pack({"id": 1}),
    "an op that is not known": _pack({"op": "cheat", "id": 1}),
    "an op of the server's": _pack(DONE),
    "no id": _pack({"op": "bots"}),
    "0 as id": _pack({"op": "bots", "id": 0}),
    "an id above 2**53 - 1": _pack({"op": "bots", "id": 2**53}),
    "a field that is missing": _pack({"op": "join", "id": 1}),
    "a field that is not known": _pack({**GUESS, "colour": 1}),
    "a field of another type": _pack({**GUESS, "v": "3"}),
    "a fraction": _pack({**GUESS, "v": 3.5}),
    "bin in place of str": _pack({**GUESS, "match": b"72S54M"}),
    "a match code in small letters": _pack({**GUESS, "match": "72s54m"}),
    "a code without pegs": _pack({**GUESS, "code": []}),
    "a code of ten pegs": _pack({**GUESS, "code": [0] * 10}),
    "a colour that no rules have": _pack({**GUESS, "code": [0, 0, 0, 12]}),
    "a float within an array": _pack({**GUESS, "code": [0, 0, 0, 2.0]}),
    "a word that is not in the list": _pack({"op": "list", "id": 1, "what": "all"}),
    "too many items": _pack({**GUESS, "code": [0] * (MAX_REQUEST_ITEMS + 1)}),
    "nine levels": _pack({"op": "bots", "id": [[[[[[[[1]]]]]]]]}),
    "too many bytes": _pack({"op": "say", "id": 1, "text": "a" * MAX_REQUEST_BYTES}),
}
"""Frames of a client that the server refuses."""

TOLERATED: Mapping[str, bytes] = {
    "request: nil for what is absent": _pack({"op": "hello", "id": 48201, "token": None}),
    "request: nil for a default": _pack({**FOLLOW, "v": None}),
    "request: a default that is written out": _pack({**FOLLOW, "v": 0}),
    "request: whole floats as id and version": _pack({**GUESS, "id": 930018.0, "v": 3.0}),
    "request: its fields in another order": _pack(dict(reversed(GUESS.items()))),
    "request: an int in nine bytes": _pack({"op": "bots", "id": 0})[:-1]
    + b"\xcf"
    + bytes(7)
    + b"\x01",
    "message: an int for a float": _pack({**ERROR, "code": "rate_limited", "retry_after": 2}),
    "message: a field that is new": _pack({**DONE, "later": {"a": [1, 2]}}),
    "message: a field that is new in an event": _pack(
        {**EVENT, "events": [{**GUESSED, "later": 1}]}
    ),
    "message: an error code that is new": _pack({**ERROR, "code": "later"}),
    "message: an op that is new": _pack({"op": "later", "match": "72S54M"}),
}
"""Frames that are read like another one, or ignored. Some are from a newer server."""


def make_files() -> dict[str, str]:
    """Return the text of each file, by its path below docs/protocol."""
    vectors = {
        **{name: [_complete(vector) for vector in _add_missing(name)] for name in WRITTEN},
        "refused": [_refused(name, frame) for name, frame in REFUSED.items()],
        "tolerated": [_tolerated(name, frame) for name, frame in TOLERATED.items()],
    }
    files = {f"vectors/{name}.json": _write(made, depth=2) for name, made in vectors.items()}
    files["vectors/folds.json"] = _write(make_folds(), depth=4)
    files["reasons.json"] = _write(make_reasons(), depth=1)
    files["schema.json"] = _write(make_schema(), depth=4)
    return {name: f"{text}\n" for name, text in files.items()}


def make_reasons() -> dict[str, dict[str, str]]:
    """Return the code and the sentence of each reason; `plural` is for a `number` above 1."""
    reasons = {}
    for reason in Reason:
        reasons[reason.key] = {"code": reason.code, "sentence": strip_formats(reason.singular)}
        if reason.plural != reason.singular:
            reasons[reason.key]["plural"] = strip_formats(reason.plural)
    return reasons


def strip_formats(sentence: str) -> str:
    """Return a sentence without the formats of its placeholders."""
    return re.sub(r"\{(\w+)[^}]*\}", r"{\1}", sentence)


def _add_missing(name: str) -> list[dict[str, Any]]:
    """Return the vectors of a file, and one of each type that has none.

    Its required fields have the values of fields with their names in other vectors.
    """
    vectors = read_vectors(name)
    for vector in vectors:
        if vector.get("name") == "message_welcome":
            vector["value"]["terms"] = msgspec.to_builtins(make_terms(DEFAULT_LIMITS))
    present = {vector.get("name", "").partition(":")[0] for vector in vectors}
    values = dict(_list_fields(vectors))
    for kind in UNIONS.get(name.removesuffix("s"), ()):
        if name_of(kind) not in present:
            field, config = msgspec.structs.fields(kind), kind.__struct_config__
            value = {each.name: values[each.name] for each in field if each.required}
            value = {str(config.tag_field): config.tag, **value}
            value = {**EVENT, "events": [value]} if name == "events" else value
            vectors.append({"name": name_of(kind), "value": value})
    return vectors


def _list_fields(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield each field of a value and of the values in it."""
    if isinstance(value, dict):
        yield from value.items()
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from _list_fields(inner)


def _complete(vector: dict[str, Any]) -> dict[str, Any]:
    """Return a vector with the schema and the frame of its value."""
    name = vector.get("name", "")
    sent = vector.get("sent", name.startswith("request"))
    frame = _pack(read_value(json.dumps(vector["value"])))
    message = (decode_request if sent else decode_message)(frame)
    made = _vector(message)
    return {key: value for key, value in vector.items() if key not in made} | made


def _vector(message: Request | ServerMessage) -> dict[str, Any]:
    frame = encode(message)
    value = write_value(msgpack.unpackb(frame))
    return {"schema": name_of(type(message)), "hex": frame.hex(), "value": value}


def _refused(name: str, frame: bytes) -> dict[str, Any]:
    """Return a frame and the fields of the server's `error`, without its message."""
    try:
        decode_request(frame)
    except MessageError as error:
        answer = msgpack.unpackb(encode(Error.of(error, error.request)))
        told = {name: value for name, value in answer.items() if name not in ("op", "message")}
        return {"name": name, "hex": frame.hex(), "error": told}
    raise AssertionError(f"{name} is a request")


def _tolerated(name: str, frame: bytes) -> dict[str, Any]:
    """Return a frame and the message it is read as, null if a client ignores it."""
    read = decode_request if name.startswith("request") else decode_message
    given = {"name": name, "hex": frame.hex(), "value": write_value(msgpack.unpackb(frame))}
    try:
        return given | {"read_as": _vector(read(frame))["value"]}
    except MessageError as error:
        if error.code != ErrorCode.UNKNOWN_MESSAGE:
            raise
        return given | {"read_as": None}


def _write(value: Any, depth: int, indent: str = "") -> str:
    """Return JSON with a line for each item, down to a depth."""
    if not depth or not value or not isinstance(value, dict | list):
        return json.dumps(value)
    inner = f"{indent} "
    if isinstance(value, dict):
        lines = [f"{json.dumps(k)}: {_write(of, depth - 1, inner)}" for k, of in value.items()]
        first, last = "{}"
    else:
        lines = [_write(item, depth - 1, inner) for item in value]
        first, last = "[]"
    return f"{first}\n{inner}" + f",\n{inner}".join(lines) + f"\n{indent}{last}"


def main() -> None:
    """Write the files, and remove stale ones."""
    folder = DOCUMENTS / REFERENCE
    files = make_files()
    for path in folder.glob("**/*.json"):
        if path.relative_to(folder).as_posix() not in files:
            path.unlink()
    for page, text in make_pages().items():
        (DOCUMENTS / page).write_text(text, encoding="utf-8")
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
