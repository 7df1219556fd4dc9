"""The page repeats the protocol's kinds of events, its requests with a version, and a limit."""

import re
from pathlib import Path
from typing import get_args

import msgspec

from mastermind_protocol.events import AnyEvent
from mastermind_protocol.requests import AnyRequest

PAGE = Path(__file__).parents[3] / "web" / "mastermind_web"


def test_types_d_ts_has_every_kind_of_event():
    kinds = {kind.__name__: kind.__struct_config__.tag for kind in get_args(AnyEvent)}
    text = (PAGE / "types.d.ts").read_text("utf-8")
    assert (
        dict(re.findall(r'^export type (\w+) = \{\s*event: "(\w+)"', text, re.MULTILINE)) == kinds
    )
    (union,) = re.findall(r"^export type Event =((?:\s*\| \w+)+);", text, re.MULTILINE)
    assert {*re.findall(r"\w+", union)} == kinds.keys()


def test_the_page_sends_a_version_with_the_requests_that_need_one():
    need = [
        kind.__struct_config__.tag
        for kind in get_args(AnyRequest)
        if any(field.name == "v" and field.required for field in msgspec.structs.fields(kind))
    ]
    text = (PAGE / "connection" / "connection.js").read_text("utf-8")
    (listed,) = re.findall(r"^export const VERSIONED = \[(.*)\];", text, re.MULTILINE)
    assert sorted(re.findall(r'"(\w+)"', listed)) == sorted(need)
