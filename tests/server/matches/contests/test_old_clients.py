"""Clients of earlier protocols, which cannot fold a match whose code is revealed later."""

import pytest

from kit.days import CODE, DAY, REVEAL, begin_day
from kit.matches import pegs
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.messages import OLD_SUBPROTOCOLS, Day
from mastermind_protocol.requests import Follow, Guess, Join, Resign, ShowDay


@pytest.mark.parametrize("subprotocol", OLD_SUBPROTOCOLS)
async def test_an_old_client_is_told_why_it_cannot_join_follow_or_move_in_its_try(
    hall, ada, subprotocol
):
    await begin_day(hall)
    match = (await ada.enter(DAY)).match
    old = await hall.connect(ada.ids, subprotocols=[subprotocol])
    await old.hello(token=ada.token)
    for kind, fields in ((Join, {}), (Follow, {}), (Guess, {"code": pegs(CODE)}), (Resign, {})):
        version = {"v": 1} if kind in (Guess, Resign) else {}
        refused = await old.refused(kind, match=match, **version, **fields)
        assert (refused.code, refused.field) == (ErrorCode.NEEDS_V3, "match")
    await ada.guess(match, CODE)
    hall.clock.jump(REVEAL)
    assert (await old.refused(Follow, match=match)).code == ErrorCode.NEEDS_V3


async def test_an_old_client_can_read_days(hall, ada):
    await begin_day(hall)
    old = await hall.connect(ada.ids, subprotocols=OLD_SUBPROTOCOLS[-1:])
    await old.hello(token=ada.token)
    answer = await old.ask(old.new(ShowDay, rules="classic"))
    assert isinstance(answer, Day)
    assert answer.day == DAY
