"""vectors/sessions.json: the messages of players and server, in order."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import Any

import msgpack
import pytest

from kit.client import RawClient
from kit.days import make_day
from kit.server import GameServer
from mastermind_protocol import messages
from mastermind_protocol.codec import decode_message, encode
from mastermind_protocol.commitment import commit
from mastermind_protocol.days import DAY_MS, find_day_start, find_reveal
from mastermind_protocol.match import Match, Phase
from mastermind_protocol.messages import AnyMessage
from mastermind_protocol.proof import find_fraud
from mastermind_protocol.transitions import evolve, fold, reveal
from mastermind_server.storage.statements.days import add_day
from protocol.documents.markdown import (
    ONE_SITTING,
    Document,
    Line,
    read_session,
    read_value,
    read_vectors,
)

SESSIONS = defaultdict[str, list[Line]](list)
for _vector in read_vectors("sessions"):
    _value = read_value(json.dumps(_vector["value"]))
    SESSIONS[_vector["session"]].append(Line(_vector["player"], _vector["sent"], _value))
WHOLE = ("A game", "A worked try", "A whole session")
REPEATABLE = (*WHOLE, "A worked analysis")
DAY, CODE, NONCE = 147, (2, 4, 2, 0), bytes.fromhex("5f1c2b9e07d4438ab1660f3a92c7e85d")
NOON = find_day_start(DAY) + DAY_MS // 2
TIMES = {5200: NOON, 5204: NOON + 61_000, 5206: find_reveal(DAY) + 5_000}
"""The times of day of some requests, by their ids."""


def test_the_sessions_of_the_document_are_vectors():
    shown = Document(ONE_SITTING).blocks("session")
    assert len(shown) == 4
    for title, _about, text in shown:
        assert read_session(text) == SESSIONS[title]


@pytest.mark.parametrize("title", SESSIONS)
def test_in_a_session_the_answers_come_in_the_order_of_the_requests(title):
    asked, answered = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    for player, sent, value in SESSIONS[title]:
        if "id" in value:
            (asked if sent else answered)[player].append(value["id"])
    for player, ids in answered.items():
        requests = iter(asked[player])
        assert all(answer in requests for answer in ids)
    if title in REPEATABLE:
        assert asked == answered


@pytest.mark.parametrize("title", WHOLE)
def test_in_a_session_every_player_sees_one_match_to_its_end_and_can_prove_it_fair(title):
    session = SESSIONS[title]
    first = next(value["match"] for _, _, value in session if value["op"] == "log")
    mirrors: dict[str, Match | None] = {}
    versions: dict[str, int] = {}
    for player, sent, value in session:
        if sent or value.get("match") != first:
            continue
        for row in rows_in(decode_message(msgpack.packb(value))):
            assert row.v == versions.get(player, 0) + 1
            versions[player] = row.v
            for event in row.events:
                mirrors[player] = evolve(mirrors.get(player), event)
    assert set(mirrors) == {line.player for line in session}
    one, *others = mirrors.values()
    assert one is not None
    assert all(other == one for other in others)
    assert one.phase is Phase.FINISHED
    assert [find_fraud(played, one.rules) for played in one.played] == [None]


def test_the_closed_day_of_a_session_proves_its_try():
    entry: Match | None = None
    for _, sent, value in SESSIONS["A worked try"]:
        if sent:
            continue
        message = decode_message(msgpack.packb(value))
        for row in rows_in(message):
            entry = fold(row.events, entry)
        if isinstance(message, messages.Day) and message.code and message.nonce:
            assert entry is not None
            entry = reveal(entry, message.code, message.nonce)
    assert entry is not None
    (played,) = entry.played
    assert not played.awaits_proof
    assert find_fraud(played, entry.rules) is None


def rows_in(message: AnyMessage) -> tuple[messages.Row, ...]:
    if isinstance(message, messages.Log):
        return message.rows
    if isinstance(message, messages.Happened):
        return (messages.Row(message.v, message.events),)
    return ()


def test_in_a_session_only_the_codemaker_is_sent_the_secret():
    told = {
        player: event["code"]
        for player, sent, value in SESSIONS["A whole session"]
        for event in ([] if sent else value.get("events", ()))
        if event["event"] == "secret" and "code" in event
    }
    assert set(told) == {"ann"}


MADE = re.compile(r"[2-9A-HJ-NP-Z]{6}|[0-9A-Z]{10}|[\w-]{43}")
"""Match codes, ids of players and tokens, which are other ones each time."""


MEASURED = ("now", "milliseconds")
"""Fields with times, which take some milliseconds more or less each time."""


class Likeness:
    """Maps values of the document to those of the server that plays the session again."""

    def __init__(self) -> None:
        self._found: dict[str | bytes, str | bytes] = {}

    def translate(self, told: Any) -> Any:
        """Return a value of the document as it is on this server."""
        if isinstance(told, dict):
            return {name: self.translate(value) for name, value in told.items()}
        return self._found.get(told, told) if isinstance(told, str | bytes) else told

    def compare(self, told: Any, found: Any) -> None:
        """Compare a value of the document with the received one."""
        if isinstance(told, dict):
            assert told.keys() == found.keys()
            for name, value in told.items():
                if name not in MEASURED:
                    self.compare(value, found[name])
        elif isinstance(told, list):
            assert len(told) == len(found)
            for one, other in zip(told, found, strict=True):
                self.compare(one, other)
        elif isinstance(told, bytes) or (isinstance(told, str) and MADE.fullmatch(told)):
            assert type(told) is type(found)
            assert self._found.setdefault(told, found) == found
        else:
            assert told == found


@pytest.mark.parametrize("title", REPEATABLE)
async def test_a_server_answers_as_the_session_shows(title, tmp_path):
    likeness = Likeness()
    hall = GameServer(tmp_path)
    await hall.start()
    await hall.store.write(add_day, make_day(epoch=hall.store.epoch)._replace(
        day=DAY, code=bytes(CODE), nonce=NONCE, commitment=commit(NONCE, CODE)
    ))  # fmt: skip
    wires: dict[str, RawClient] = {}
    try:
        for player, sent, told in SESSIONS[title]:
            wire = wires.get(player) or wires.setdefault(player, await hall.connect())
            if sent:
                if (time := TIMES.get(told["id"])) is not None:
                    hall.clock.jump(time)
                await wire.send(msgpack.packb(likeness.translate(told)))
            else:
                found = msgpack.unpackb(encode(await wire.next()))
                for left_out in ("terms", "epoch"):
                    found.pop(left_out, None)
                likeness.compare(told, found)
    finally:
        await hall.close()
