"""The modules of the page in the browser's own engine, by the vectors of the protocol."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from pathlib import Path

import pytest

from mastermind_protocol.codec import decode_message, decode_request
from mastermind_protocol.events import AnyEvent
from mastermind_protocol.messages import Happened, Log
from mastermind_protocol.transitions import fold
from web.modules import call_all, find_folder

VECTORS = Path(__file__).parents[2] / "docs" / "protocol" / "vectors"


def read_vectors(name):
    return json.loads((VECTORS / f"{name}.json").read_text("utf-8"))


def read_hex(value):
    return bytes.fromhex(value["$hex"])


@pytest.fixture
def page(visit):
    page = visit()
    page.evaluate("async (it) => (await import(it)).loadTexts()", f"{find_folder(page)}/texts.js")
    return page


@pytest.mark.parametrize("name", ["requests", "messages", "events", "sessions", "tolerated"])
def test_the_browser_decodes_the_vectors(page, name):
    vectors = read_vectors(name)
    decoded = call_all(page, "msgpack", "decode", *([{"$hex": row["hex"]}] for row in vectors))
    assert decoded == [row["value"] for row in vectors]


def test_the_server_reads_the_requests_that_the_browser_encodes(page):
    vectors = read_vectors("requests")
    encoded = call_all(page, "msgpack", "encode", *([row["value"]] for row in vectors))
    assert [decode_request(read_hex(frame)) for frame in encoded] == [
        decode_request(bytes.fromhex(row["hex"])) for row in vectors
    ]


def test_the_browser_hashes_as_python_does(page):
    texts = [bytes(range(256))[:length] * 2 for length in (0, 1, 28, 32, 64, 256)]
    hashed = call_all(page, "sha256", "sha256", *([{"$hex": text.hex()}] for text in texts))
    assert [read_hex(value) for value in hashed] == [
        hashlib.sha256(text).digest() for text in texts
    ]


def test_the_browser_folds_matches_as_python_does(page):
    rows: defaultdict[tuple[str, str], list[object]] = defaultdict(list)
    events: defaultdict[tuple[str, str], list[AnyEvent]] = defaultdict(list)
    for row in read_vectors("sessions"):
        match row["sent"] or decode_message(bytes.fromhex(row["hex"])):
            case Log(match=code, rows=logged) if logged[0].v == 1 or rows[row["player"], code]:
                rows[row["player"], code] += row["value"]["rows"]
                events[row["player"], code] += [event for each in logged for event in each.events]
            case Happened(match=code, v=v, events=happened) if rows[row["player"], code]:
                rows[row["player"], code].append([v, row["value"]["events"]])
                events[row["player"], code] += happened
    logs = [key for key, value in rows.items() if value]
    matches = call_all(page, "game", "fold", *([rows[key]] for key in logs))
    assert [summarize_page(match) for match in matches] == [
        summarize(fold(events[key])) for key in logs
    ]
    assert {match["phase"] for match in matches} == {"finished"}
    rounds = [(played, match["rules"]) for match in matches for played in match["played"]]
    assert rounds
    assert call_all(page, "game", "checkRound", *map(list, rounds)) == [None] * len(rounds)


def summarize(match):
    rounds = [
        (each.secret, each.points, each.how, [(turn.code, *turn.feedback) for turn in each.turns])
        for each in match.played
    ]
    outcome = (match.outcome.how, match.outcome.winner)
    return match.phase, rounds, match.left, outcome, match.rematch


def summarize_page(match):
    rounds = [
        (
            tuple(each["secret"]) if "secret" in each else None,
            each["points"],
            each["how"],
            [(tuple(turn["code"]), turn["black"], turn["white"]) for turn in each["turns"]],
        )
        for each in match["played"]
    ]
    outcome = (match["outcome"]["how"], match["outcome"].get("winner"))
    return match["phase"], rounds, set(match["left"]), outcome, match.get("rematch")
