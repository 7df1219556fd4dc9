"""Clients of earlier protocols, which take codes without repeats for codes with them."""

import pytest

from kit.matches import pegs
from mastermind_protocol.errors import ErrorCode, Reason
from mastermind_protocol.messages import OLD_SUBPROTOCOLS
from mastermind_protocol.requests import Follow, Guess, Join, Open, Seek


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
