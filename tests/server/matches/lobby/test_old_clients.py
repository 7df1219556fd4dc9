"""Clients of earlier protocols, which take codes without repeats for codes with them."""

import msgspec
import pytest

from kit.matches import pegs, state_of
from mastermind_protocol.errors import ErrorCode, Reason
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import OLD_SUBPROTOCOLS, Challenged, Log
from mastermind_protocol.requests import Challenge, Follow, Guess, Join, Leave, Open, Rematch, Seek

QUIET = {"welcome", "error", "listing"}  # the messages to a client that nobody challenges


@pytest.mark.parametrize("subprotocol", OLD_SUBPROTOCOLS)
@pytest.mark.parametrize("rules", ["bulls", "4x10u"])
async def test_an_old_client_is_told_why_it_cannot_play_without_repeats(
    hall, ada, subprotocol, rules
):
    match = (await ada.seek(rules)).match
    old = await hall.connect(subprotocols=[subprotocol])
    await old.hello("Old")
    requests = (
        *((Join, {"match": match}), (Follow, {"match": match}), (Seek, {"rules": rules})),
        (Guess, {"match": match, "v": 1, "code": pegs("1234")}),
        (Open, {"rules": rules, "maker": "me", "breaker": "open", "public": True}),
    )
    for kind, fields in requests:
        refused = await old.refused(kind, **fields)
        assert refused.code == ErrorCode.NEEDS_V3
        assert Reason.REPEATS_NEED_V3.key in str(refused.details)
    (listed,) = (await old.list("waiting")).matches  # nothing was opened, and no seat is taken
    assert listed.match == match
    await ada.unfollow(match)
    await old.refused(Seek, rules=rules)  # nor does it open a match of its own
    assert (await old.seek("mini")).match


async def test_an_old_client_gets_no_challenge_without_repeats(hall, ada):
    old = await hall.connect(subprotocols=OLD_SUBPROTOCOLS[:1])
    await old.hello("Old")
    refused = await ada.refused(Challenge, player=old.id, rules="bulls")
    assert refused.code == ErrorCode.NOT_ONLINE
    new = await hall.connect_again(old)
    opened = await ada.ask(ada.new(Challenge, player=old.id, rules="bulls"))
    assert isinstance(opened, Log)
    assert (await new.until(Challenged)).match == opened.match
    later = await hall.connect(subprotocols=OLD_SUBPROTOCOLS[:1])
    await later.hello(token=old.token)
    await ada.ask(ada.new(Leave, match=opened.match))
    for wire in (old, later):
        await wire.list("waiting")
        assert {msgspec.msgpack.decode(frame)["op"] for frame in wire.frames} <= QUIET
    assert await ada.ask(ada.new(Challenge, player=old.id, rules="mini"))
    assert (await old.until(Challenged)).rules == "mini"


@pytest.mark.parametrize(
    ("subprotocol", "terms", "code", "needs"),
    [
        (OLD_SUBPROTOCOLS[0], {"rules": "bulls"}, "1234", ErrorCode.NEEDS_V3),
        (OLD_SUBPROTOCOLS[1], {"clock": "3d/move"}, "1122", ErrorCode.NEEDS_V2),
    ],
)
async def test_an_old_client_offers_no_rematch_of_a_match_that_it_does_not_understand(
    hall, ada, bob, subprotocol, terms, code, needs
):
    match = (await ada.open(maker="me", breaker="open", **terms)).match
    await bob.join(match)
    await ada.set(match, code)
    await bob.resign(match)
    old = await hall.connect(ada.ids, subprotocols=[subprotocol])
    await old.hello(token=ada.token)
    assert (await old.refused(Rematch, match=match)).code == needs
    state = state_of(await bob.follow(match))
    assert (state.phase, state.rematch) == (Phase.FINISHED, None)
