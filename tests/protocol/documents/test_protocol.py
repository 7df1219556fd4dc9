"""The tables of docs/PROTOCOL.md match the code."""

from __future__ import annotations

import hashlib
import json
import re
from enum import StrEnum

import msgpack
import pytest

from mastermind_protocol import commitment, events, messages, requests
from mastermind_protocol.commands import COMMANDS, LEGAL_SEATS
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.feedback import score
from mastermind_protocol.match import Phase
from mastermind_server.limits import DEFAULT_LIMITS
from protocol.documents.markdown import (
    DOCUMENTS,
    ONE_SITTING,
    Document,
    read_reference,
    read_session,
)
from protocol.documents.schema import UNIONS, make_schema, name_of

DOCUMENT = Document(ONE_SITTING)


def test_the_document_begins_with_a_whole_game():
    _title, first, *_ = DOCUMENT.sections
    assert read_session(DOCUMENT.block(first, "session"))


def test_the_first_frames_of_the_game_are_there_in_hex():
    game = [
        msgpack.packb(line.value).hex()
        for line in read_session(DOCUMENT.block("A game", "session"))
    ]
    shown = re.findall(r"^`([0-9a-f]+)`$", DOCUMENT.sections["A game"], re.MULTILINE)
    assert shown
    assert set(shown) <= set(game)


@pytest.mark.parametrize("document", read_reference(), ids=lambda document: document.path)
def test_every_link_leads_to_a_heading_or_a_file(document):
    folder = (DOCUMENTS / document.path).parent
    for path, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", document.text):
        target = (folder / path).resolve() if path else DOCUMENTS / document.path
        assert target.exists(), path
        if anchor:
            linked = Document(target.relative_to(DOCUMENTS.resolve()).as_posix())
            assert anchor in linked.anchors, f"{path}#{anchor}"


def test_every_request_is_listed_with_the_fields_that_it_must_have():
    definitions = make_schema()["$defs"]
    needed = {
        f"`{kind.__struct_config__.tag}`": definitions[name_of(kind)]["required"]
        for kind in UNIONS["request"]
    }
    DOCUMENT.check_table(
        "Requests",
        [
            [request, ", ".join(f"`{name}`" for name in fields if name not in ("op", "id")) or "-"]
            for request, fields in needed.items()
        ],
    )


def test_the_answers_are_messages():
    answers = {row[3].strip("`") for row in DOCUMENT.table("Requests")}
    assert answers <= {kind.__struct_config__.tag for kind in UNIONS["message"]}


def test_the_limits_are_those_of_the_code():
    text = " ".join(DOCUMENT.sections["Limits and rates"].split())
    assert f"at most {requests.MAX_REQUEST_BYTES} bytes" in text
    assert f"at most {requests.MAX_REQUEST_ID}." in text
    assert f"within {DEFAULT_LIMITS.hello_seconds:.0f} seconds" in text
    assert f"{DEFAULT_LIMITS.frames.per_second:.0f} requests a second" in text
    assert f"at most {DEFAULT_LIMITS.followed} matches" in text


def test_the_subprotocol_is_named():
    assert f"`{messages.SUBPROTOCOL}`" in DOCUMENT.sections["Connection"]


def check_words(title: str, words: type[StrEnum]) -> None:
    DOCUMENT.check_table(title, [[f"`{word}`"] for word in words])


def test_the_phases_and_the_ways_to_end_are_those_of_the_match():
    check_words("Phases", Phase)
    check_words("How a round ends", events.RoundEnd)
    check_words("How a match ends", events.MatchEnd)


def test_every_event_is_explained():
    told = [row[0] for row in DOCUMENT.table("The match")]
    assert len(told) == len(UNIONS["event"])
    assert set(told) == {f"`{kind.__struct_config__.tag}`" for kind in UNIONS["event"]}


def test_some_seat_may_give_each_command():
    assert {command for _, command in LEGAL_SEATS} == set(COMMANDS.values())


def test_the_feedback_of_the_examples_is_right():
    rows = DOCUMENT.table("Feedback")
    assert rows
    for secret, guess, *feedback in rows:
        code, guessed = (tuple(json.loads(cell.strip("`"))) for cell in (secret, guess))
        assert list(map(int, feedback)) == list(score(code, guessed))


def test_the_worked_commitment_is_right():
    lines = dict(
        line.split(": ") for line in DOCUMENT.block("A worked commitment", "text").splitlines()
    )
    nonce, code = bytes.fromhex(lines["nonce"]), tuple(json.loads(lines["code"]))
    assert lines["hashed"] == (nonce + bytes(code)).hex()
    assert lines["SHA-256"] == hashlib.sha256(nonce + bytes(code)).hexdigest()
    assert lines["SHA-256"] == commitment.commit(nonce, code).hex()


def test_every_error_code_has_one_advice_for_clients():
    told = [code for row in DOCUMENT.table("Errors") for code in re.findall(r"`(\w+)`", row[0])]
    assert sorted(told) == sorted(ErrorCode)
