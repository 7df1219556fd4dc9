"""The sessions of the documents: what players send and are sent, in order."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgpack
import pytest

from mastermind_protocol import commitment, messages
from mastermind_protocol.codec import decode_message, decode_request, encode
from mastermind_protocol.match import Match, Phase, evolve
from protocol.documents.markdown import Line, read_reference, read_session

if TYPE_CHECKING:
    from mastermind_protocol.messages import AnyMessage, AnyRequest

SESSIONS: dict[str, list[Line]] = {
    block.title: read_session(block.text)
    for document in read_reference()
    for block in document.blocks("session")
}
WHOLE = ("A game", "A whole session")


@pytest.mark.parametrize("title", SESSIONS)
def test_every_line_of_a_session_is_a_message(title: str) -> None:
    for _, sent, value in SESSIONS[title]:
        frame = msgpack.packb(value)
        message: AnyRequest | AnyMessage = (decode_request if sent else decode_message)(frame)

        assert msgpack.unpackb(encode(message)) == value


@pytest.mark.parametrize("title", SESSIONS)
def test_in_a_session_the_answers_come_in_the_order_of_the_requests(title: str) -> None:
    asked, answered = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    for player, sent, value in SESSIONS[title]:
        if "id" in value:
            (asked if sent else answered)[player].append(value["id"])

    for player, ids in answered.items():
        requests = iter(asked[player])
        assert all(answer in requests for answer in ids)
    if title in WHOLE:
        assert asked == answered


@pytest.mark.parametrize("title", WHOLE)
def test_in_a_session_every_player_sees_one_match_to_its_end_and_can_prove_it_fair(
    title: str,
) -> None:
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
    assert [commitment.find_fraud(played, one.rules) for played in one.played] == [None]


def rows_in(message: AnyMessage) -> tuple[messages.Row, ...]:
    if isinstance(message, messages.Log):
        return message.rows
    if isinstance(message, messages.Happened):
        return (messages.Row(message.v, message.events),)
    return ()


def test_in_a_session_only_the_codemaker_is_sent_the_secret() -> None:
    told = {
        player: event["code"]
        for player, sent, value in SESSIONS["A whole session"]
        for event in ([] if sent else value.get("events", ()))
        if event["event"] == "secret" and "code" in event
    }

    assert set(told) == {"ann"}
