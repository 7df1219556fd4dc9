import pytest

from kit.days import DAY, begin_day
from kit.server import GameServer
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.requests import Follow
from mastermind_server.limits import Limits, Rate
from mastermind_server.monitoring.overload import Queue
from mastermind_server.network.web.pages import HOME_PREVIEW, Preview

ADDRESS, ELSEWHERE, UNKNOWN = "203.0.113.1", "198.51.100.1", "222222"


async def describe(hall: GameServer, code: str) -> Preview:
    return await hall.server.gateway.previews.describe(code, ADDRESS)


async def test_a_lobby_names_its_player_and_rules(hall):
    bob = await hall.meet("Bob")
    code = (await bob.open(rules="mini", maker="me", breaker="open")).match
    assert await describe(hall, code) == Preview(
        "Bob invites you to mini",
        "Play Mastermind in the browser: 4 pegs, 6 colours, 6 guesses.",
    )
    ann = await hall.meet("Ann")
    await ann.join(code)
    assert await describe(hall, code) == Preview(
        "Bob and Ann play mini",
        "Watch Mastermind: 4 pegs, 6 colours, 6 guesses.",
        has_free_seat=False,
    )


async def test_the_preview_says_that_no_colour_comes_twice(hall):
    bob = await hall.meet("Bob")
    code = (await bob.open(rules="bulls")).match
    told = "Play Mastermind in the browser: 4 pegs, 10 digits, no repeats, 12 guesses."
    assert (await describe(hall, code)).description == told


async def test_a_closed_lobby_invites_nobody(hall):
    bob = await hall.meet("Bob")
    code = (await bob.open(rules="mini", maker="me", breaker="open")).match
    await bob.leave(code)
    closed = await describe(hall, code)
    assert (closed.title, closed.has_free_seat) == ("The invitation of Bob is closed", False)


async def test_a_rematch_invites_nobody_else(hall):
    bob, ann = await hall.meet("Bob"), await hall.meet("Ann")
    code = (await bob.open(rules="knuth", maker="me", breaker="open")).match
    await ann.join(code)
    await bob.set(code, "1122")
    await ann.resign(code)
    again = await bob.rematch(code)
    assert (await describe(hall, again.match)) == Preview(
        "Bob offers a rematch of knuth",
        "Mastermind: 4 pegs, 6 digits, any number of guesses.",
    )


async def test_a_try_at_the_code_of_the_day_names_nobody(hall):
    bob = await hall.meet("Bob")
    await begin_day(hall)
    code = (await bob.enter(DAY)).match
    await bob.guess(code, "1234")
    named = await describe(hall, code)
    assert (named.title, named.description) == (HOME_PREVIEW.title, HOME_PREVIEW.description)


async def test_a_server_with_slow_queries_reads_no_match(hall):
    bob = await hall.meet("Bob")
    code = (await bob.open(rules="mini", maker="me", breaker="open")).match
    hall.services.load.update(0.0, {Queue.READS: 1.0})
    assert await describe(hall, code) == HOME_PREVIEW


@pytest.mark.promise("match-codes")
async def test_unknown_codes_are_limited_and_known_ones_are_not(idle_hall):
    await idle_hall.start(limits=Limits(wrong_codes_of_address=Rate(burst=2, per_second=0.5)))
    bob = await idle_hall.meet("Bob")
    code = (await bob.open(rules="mini", maker="me", breaker="open")).match
    previews = idle_hall.server.gateway.previews
    for _ in range(3):
        assert (await previews.describe(code, ADDRESS)).title == "Bob invites you to mini"
    for _ in range(2):
        assert await previews.describe(UNKNOWN, ADDRESS) == HOME_PREVIEW
    assert await previews.describe(code, ADDRESS) == HOME_PREVIEW  # which shows that a code exists
    assert (await previews.describe(code, ELSEWHERE)).title == "Bob invites you to mini"


@pytest.mark.promise("match-codes")
async def test_requests_and_previews_share_the_limit_of_an_address(idle_hall):
    await idle_hall.start(limits=Limits(wrong_codes_of_address=Rate(burst=2, per_second=0.5)))
    bob = await idle_hall.meet("Bob")
    code = (await bob.open(rules="mini", maker="me", breaker="open")).match
    for _ in range(2):
        assert (await bob.refused(Follow, match=UNKNOWN)).code == ErrorCode.UNKNOWN_MATCH
    previews = idle_hall.server.gateway.previews
    assert (
        await previews.describe(code, "127.0.0.1") == HOME_PREVIEW
    )  # the address of Bob's connection


async def test_a_store_that_fails_leaves_the_general_preview(hall, caplog):
    await hall.store.close()
    assert await describe(hall, UNKNOWN) == HOME_PREVIEW
    assert "could not be read" in caplog.text
