"""The index of waiting matches."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mastermind_protocol.events import Joined, Opened, Player, Seat
from mastermind_protocol.match import Match
from mastermind_protocol.transitions import fold
from mastermind_server.matches.lobby.waiting import Waiting
from mastermind_server.storage.statements.lobby import Found, Terms, Wanted

ADA, BOB, EVE = "Ada", "Bob", "Eve"
ROBOT = "Robot"
ANY = Wanted(Terms("mini", 1, rated=False, program=False))


def lobby(player: str = ADA, seat: Seat = Seat.MAKER, **opened: Any) -> Match:
    """Return a match with one waiting player; Robot is a program."""
    sitting = Player(player, player, program=player == ROBOT)
    terms: dict[str, Any] = {"rules": "mini", "rounds": 1, "public": True} | opened
    return fold([Opened(**terms), Joined(player=sitting, seat=seat)])


def test_the_oldest_lobby_on_the_same_terms_is_found():
    waiting = Waiting()
    for code, since, match in (
        ("SECOND", 2, lobby()),
        ("FIRSTS", 1, lobby()),
        ("ROUNDS", 0, lobby(rounds=2)),
        ("OTHERS", 0, lobby(rules="classic")),
        ("RATEDS", 0, lobby(rated=True)),
        ("SECRET", 0, lobby(public=False)),
        ("REMTCH", 0, lobby(reserved=EVE)),
        ("ROBOTS", 0, lobby(ROBOT)),
    ):
        waiting.add(code, since, match)
    assert waiting.find(ANY, BOB, None) == "FIRSTS"
    assert waiting.find(ANY._replace(but=["FIRSTS"]), BOB, None) == "SECOND"
    waiting.remove("FIRSTS")
    assert waiting.find(ANY, BOB, None) == "SECOND"
    assert waiting.find(ANY, BOB, Found("AWAY", 3)) == "SECOND"
    assert waiting.find(ANY, BOB, Found("AWAY", 1)) == "AWAY"
    assert waiting.find(Wanted(ANY.terms._replace(program=True)), BOB, None) == "ROBOTS"


@pytest.mark.parametrize(
    ("player", "seat", "found"),
    [
        (BOB, Seat.BREAKER, True),
        (BOB, Seat.MAKER, False),
        (ADA, Seat.MAKER, True),  # her own
        (ADA, Seat.BREAKER, False),
    ],
)
def test_a_seeker_finds_a_lobby_whose_wanted_seat_is_free(player, seat, *, found):
    waiting = Waiting()
    waiting.add("ADASAA", 0, lobby())
    assert (waiting.find(ANY._replace(seat=seat), player, None) == "ADASAA") is found


def test_two_seekers_do_not_try_one_lobby():
    waiting = Waiting()
    waiting.add("ADASAA", 0, lobby())
    with waiting.claim("ADASAA"), waiting.claim("AWAYAA"):
        assert waiting.find(ANY, BOB, Found("AWAYAA", 0)) is None
    assert waiting.find(ANY, BOB, None) == "ADASAA"


@pytest.mark.parametrize("followed", [True, False])
async def test_a_lobby_that_is_being_opened_is_found_and_awaited(*, followed):
    waiting = Waiting()
    with waiting.opening("ADASAA", 0, lobby()):
        assert waiting.find(ANY, BOB, None) == "ADASAA"
        there = asyncio.create_task(waiting.is_there("ADASAA"))
        await asyncio.sleep(0)
        assert not there.done()
        if followed:
            waiting.add("ADASAA", 0, lobby())
    assert await there is followed
    assert waiting.find(ANY, BOB, None) == ("ADASAA" if followed else None)
