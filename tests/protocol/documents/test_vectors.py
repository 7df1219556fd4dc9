"""docs/protocol/schema.json and vectors/: made of the documents and the types, and right."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import msgpack
import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from kit.strategies import brief, values_of
from mastermind_protocol.codec import decode_message, decode_request, encode
from mastermind_protocol.errors import ErrorCode, MessageError
from mastermind_protocol.messages import AnyMessage, Error
from mastermind_protocol.requests import AnyRequest
from protocol.documents.markdown import DOCUMENTS, REFERENCE, read_value, read_vectors, write_value
from protocol.documents.schema import UNIONS, name_of
from protocol.documents.vectors import EXAMPLES, make_files

FOLDER = DOCUMENTS / REFERENCE
FILES = {path.relative_to(FOLDER).as_posix(): path for path in FOLDER.glob("**/*.json")}
SCHEMA: dict[str, Any] = json.loads(FILES["schema.json"].read_text(encoding="utf-8"))
WRONG: tuple[Any, ...] = (True, -1, 2**53, "", "a" * 200, [], [12], [[]], {}, [{}] * 3)


def decode(frame: bytes, schema: str) -> Any:
    return (decode_request if schema.startswith("request") else decode_message)(frame)


@cache
def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})


def test_the_files_are_as_make_vectors_makes_them():
    made = make_files()
    assert set(FILES) == set(made)
    for name, text in made.items():
        assert FILES[name].read_text(encoding="utf-8") == text, f"{name} is stale: make vectors"


def test_every_request_message_and_event_has_a_vector():
    names = set()
    for vector in (vector for name in EXAMPLES for vector in read_vectors(name)):
        name, value = vector["name"].partition(":")[0], vector["value"]
        happened = [event for _v, row, _at in value.get("rows", ()) for event in row]
        happened += value.get("events", ())
        tags = [event["event"] for event in happened] if "event_" in name else [value["op"]]
        assert name.partition("_")[2] in tags
        names.add(name)
    assert names == {name_of(kind) for kinds in UNIONS.values() for kind in kinds}


@pytest.mark.parametrize("name", [*EXAMPLES, "sessions"])
def test_a_vector_is_a_frame_and_its_value(name):
    for vector in read_vectors(name):
        frame = bytes.fromhex(vector["hex"])
        message = decode(frame, vector["schema"])
        assert name_of(type(message)) == vector["schema"]
        assert encode(message) == frame
        assert write_value(msgpack.unpackb(frame)) == vector["value"]
        validator(vector["schema"]).validate(vector["value"])


def test_a_refused_frame_gets_its_error():
    for vector in read_vectors("refused"):
        with pytest.raises(MessageError) as refused:
            decode_request(bytes.fromhex(vector["hex"]))
        answer = msgpack.unpackb(encode(Error.of(refused.value, refused.value.request)))
        assert answer == {**vector["error"], "op": "error", "message": refused.value.message}


def test_a_tolerated_frame_is_read_as_another():
    for vector in read_vectors("tolerated"):
        frame = bytes.fromhex(vector["hex"])
        assert write_value(msgpack.unpackb(frame)) == vector["value"]
        if vector["read_as"] is None:
            with pytest.raises(MessageError) as passed:
                decode(frame, vector["name"])
            assert passed.value.code == ErrorCode.UNKNOWN_MESSAGE
        else:
            read_as = encode(decode(frame, vector["name"]))
            assert write_value(msgpack.unpackb(read_as)) == vector["read_as"]
            assert read_as != frame


# The schema.


def test_the_schema_is_one():
    Draft202012Validator.check_schema(SCHEMA)
    for vector in read_vectors("requests") + read_vectors("messages"):
        assert Draft202012Validator(SCHEMA).is_valid(vector["value"])


@pytest.mark.parametrize("name", ["requests", "messages"])
def test_the_schema_takes_what_the_codec_takes(name):
    """Each field is left out and given wrong values, none of them nil or a whole float."""
    for vector in read_vectors(name):
        right, schema = vector["value"], vector["schema"]
        shorter = [{word: right[word] for word in right if word != without} for without in right]
        changed = [{**right, word: value} for word in right for value in WRONG if word != "op"]
        for value in [*shorter, *changed, {**right, "later": 1}]:
            try:
                decode(msgpack.packb(read_value(json.dumps(value))), schema)
            except MessageError:
                assert not validator(schema).is_valid(value), value
            else:
                assert validator(schema).is_valid(value), value


@brief
@given(values_of(AnyRequest) | values_of(AnyMessage))
def test_encoded_messages_fit_the_schema(message):
    value = write_value(msgpack.unpackb(encode(message)))
    validator(name_of(type(message))).validate(value)
