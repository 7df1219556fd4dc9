"""Matches followed from one address: rows in memory, and matches of two bots."""

import pytest

from mastermind_protocol.errors import ErrorCode, Reason, Refused
from mastermind_protocol.events import Finished, Joined, Left, MatchEnd, Opened, Player, Seat
from mastermind_protocol.match import Match
from mastermind_protocol.requests import Follow, Open
from mastermind_protocol.transitions import fold
from mastermind_server.limits import Limiter, Limits
from mastermind_server.matches.tables.followed import FollowedMatches
from mastermind_server.matches.tables.match_log import MatchLog

SHOW = {"rules": "mini", "maker": "random", "breaker": "random"}


async def test_rows_followed_from_an_address_count_each_match_once(hall, ada, eve, match):
    unseen, seen = (await eve.open()).match, (await eve.open()).match
    await eve.unfollow(unseen)
    hall.limit(rows_followed_of_address=3)  # two of the match, which two follow, one of the other
    for refusal in (await ada.refused(Open, **SHOW), await ada.refused(Follow, match=unseen)):
        assert (refusal.code, refusal.limit) == (ErrorCode.TOO_MANY, 3)
        assert refusal.details is not None
        assert refusal.details["reason"] == Reason.ADDRESS_FOLLOWS_MUCH.key
    assert hall.services.limiter.exceeded["rows_followed_of_address"] == 2
    await eve.follow(match)  # it is in memory for others

    await eve.unfollow(seen)
    await ada.follow(unseen)


def test_matches_of_bots_count_while_they_run_and_are_followed():
    limiter, followed = Limiter(Limits(bot_matches_of_address=1)), FollowedMatches()
    bots = [Joined(player=Player(seat, seat, bot="random"), seat=seat) for seat in Seat]
    running = fold([Opened(rules="mini", rounds=1), *bots])
    first, second = _log(running), _log(running)

    def check():
        followed.check_limits("here", limiter, second)

    check()
    for _ in range(2):
        followed.add("here", first)
    followed.check_limits("here", limiter, first)
    followed.check_limits("there", limiter, second)
    with pytest.raises(Refused):
        check()
    followed.remove("here", first)
    with pytest.raises(Refused):
        check()
    followed.remove("here", first)
    check()

    followed.add("here", first)
    first.state = fold(
        [Left(player="maker"), Finished(winner="breaker", how=MatchEnd.LEFT)], running
    )
    check()


def _log(state: Match) -> MatchLog:
    return MatchLog("AAAAAA", [], state)
