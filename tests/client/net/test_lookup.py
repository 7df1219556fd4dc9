from __future__ import annotations

import pytest

from kit.people import sit_down
from mastermind_client.config.options import ContinueOptions
from mastermind_client.net.failures import NothingToContinue, SeatOpenElsewhere
from mastermind_client.net.identity import (
    claim_identity,
    claim_offline_identity,
    list_identities,
    offline_identity,
)
from mastermind_client.net.lookup import find_seats, find_way_back, look_up
from mastermind_client.net.running import OwnSeat, UnfinishedMatch, WhoseTurn, offline_folder
from mastermind_client.words.failures import explain_failure
from mastermind_protocol.requests import ME, OPEN


@pytest.fixture
async def aside(server, people, bob):
    """A match against Bob, whose codemaker's terminal was closed; as Bob has it."""
    with claim_identity(server.address) as identity:
        ada = await people.meet("Ada", identity=identity)
        ours, theirs = await sit_down(ada, bob)
        await ada.set(ours, "1234")
        await bob.turn(theirs)
        return theirs


async def the_only_one() -> OwnSeat:
    ((seat,),) = (await look_up()).values()
    return seat


async def test_a_look_tells_what_has_happened_since(server, bob, aside):
    assert (await the_only_one()).match.turn is WhoseTurn.THEIRS

    await bob.guess(aside, "1234")

    assert await look_up() == {}, "a match that is over is none to go on with"
    assert list_identities() == [], "and is remembered no more"
    assert server.address


async def test_a_look_claims_nothing_and_makes_nobody_new_known(server, people, aside):
    (before,) = list_identities()
    tokens = before.path.read_text()

    assert (await the_only_one()).reached

    (after,) = list_identities()
    assert not after.held
    assert before.path.read_text() == tokens
    with claim_identity(server.address, match=aside.code) as identity:
        identity.come_back(aside.code)
        ada = await people.meet(identity=identity)
        assert ada.session.player.name == "Ada"


async def test_who_plays_in_another_terminal_is_let_alone(server, aside):
    with claim_identity(server.address, match=aside.code):
        assert await look_up() == {}


async def test_a_server_that_is_not_there_is_no_error(server, aside):
    await server.stop()

    seat = await the_only_one()

    assert (seat.match.code, seat.reached) == (aside.code, False)


async def test_a_server_that_knows_nobody_gets_no_new_player(server, aside):
    (known,) = list_identities()
    known.path.write_text("x" * 43 + "\n")

    seat = await the_only_one()

    assert (seat.match.code, seat.reached, seat.server) == (aside.code, False, server.address)


async def test_games_that_are_kept_here_are_there_without_a_server():
    match = UnfinishedMatch(
        code="AAAAAA", rules="classic", opponent="hard", bot=True, turn=WhoseTurn.MINE
    )
    offline_identity(offline_folder()).remember(match)

    assert (await the_only_one()).match == match
    with claim_offline_identity(offline_folder()):
        assert await look_up() == {}, "another terminal plays them"


async def test_what_is_ones_own_by_name_is_gone_on_with_first(server, people, bob):
    with claim_identity(server.address) as hers, claim_identity(server.address) as his:
        for name, identity in (("Ada", hers), ("Dan", his)):
            await sit_down(await people.meet(name, identity=identity), bob)

    ways = [await find_way_back(ContinueOptions(name=name)) for name in ("Ada", "Dan")]

    assert [way.name for way in ways] == ["Ada", "Dan"]


async def test_a_code_is_looked_for_where_it_is_remembered_of(aside):
    way = await find_way_back(ContinueOptions(aside.code, usual_server="ws://elsewhere"))
    assert (way.code, way.name) == (aside.code, "Ada")
    assert way.server != "ws://elsewhere"
    unknown = await find_way_back(ContinueOptions("ABC234", usual_server="ws://elsewhere"))
    assert unknown.server == "ws://elsewhere"


async def test_a_match_that_another_client_has_open_is_told_apart_from_none(server, aside):
    with claim_identity(server.address, match=aside.code), pytest.raises(NothingToContinue) as held:
        await find_seats(ContinueOptions())
    assert held.value.elsewhere
    assert "open in another terminal" in explain_failure(held.value)


async def test_an_own_invitation_that_waits_in_another_terminal_is_not_taken_by_oneself(
    server, people
):
    with claim_identity(server.address) as identity:
        ada = await people.meet("Ada", identity=identity)
        waiting = await ada.session.open("classic", maker=ME, breaker=OPEN)

        with pytest.raises(SeatOpenElsewhere):
            await find_way_back(ContinueOptions(waiting.code))

    assert (await find_way_back(ContinueOptions(waiting.code))).name == "Ada"
