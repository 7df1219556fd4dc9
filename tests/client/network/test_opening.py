from dataclasses import replace

import pytest

from kit.people import sit_down
from kit.players import identities
from mastermind_client.cli.process import make_context
from mastermind_client.config.options import HOSTED, OFFLINE, ContinueOptions
from mastermind_client.messages.failures import explain_failure
from mastermind_client.network.embedded import GAMES_FILE
from mastermind_client.network.failures import NothingToContinue, SeatOpenElsewhere
from mastermind_client.network.opening import (
    find_match_to_resume,
    find_seats,
    is_saved,
    query_seats,
)
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.running import OwnSeat, UnfinishedMatch, WhoseTurn
from mastermind_protocol.requests import SEAT_FOR_ANYONE, SEAT_FOR_ME


async def the_only_one() -> OwnSeat:
    ((seat,),) = (await query_seats(make_context())).values()
    return seat


async def test_a_lookup_returns_the_present_state(server, bob, open_seat):
    assert (await the_only_one()).match.turn is WhoseTurn.THEIRS

    await bob.guess(open_seat, "1234")

    assert await query_seats(make_context()) == {}, "a match that is over is none to go on with"
    assert identities().list_with_matches() == [], "and is stored no more"
    assert server.address


async def test_a_lookup_claims_no_identity_and_creates_no_player(server, people, open_seat):
    (before,) = identities().list_with_matches()

    assert (await the_only_one()).from_server

    (after,) = identities().list_with_matches()
    assert not after.held
    assert after.tokens == before.tokens
    with identities().claim(server.address, match=open_seat.code) as identity:
        identity.keep_name_if_seated(open_seat.code)
        ada = await people.meet(identity=identity)
        assert ada.session.player.name == "Ada"


async def test_an_absent_server_is_no_error(server, open_seat):
    await server.stop()

    seat = await the_only_one()

    assert (seat.match.code, seat.from_server) == (open_seat.code, False)


async def test_a_server_without_our_player_gets_no_new_one(server, open_seat):
    (known,) = identities().list_with_matches()
    identity = Identity(known.path)
    identity.store_token("x" * 43)
    identity.drop_token(known.tokens[0])

    seat = await the_only_one()

    assert (seat.match.code, seat.from_server, seat.server) == (
        open_seat.code,
        False,
        server.address,
    )


async def test_offline_games_need_no_server():
    match = UnfinishedMatch(
        code="AAAAAA", rules="classic", opponent="hard", bot=True, turn=WhoseTurn.MINE
    )
    identities().find_offline().store_match(match)

    assert (await the_only_one()).match == match
    with identities().claim(OFFLINE):
        assert await query_seats(make_context()) == {}, "another terminal plays them"


async def test_a_match_of_ones_own_name_is_continued_first(server, people, bob):
    with identities().claim(server.address) as hers, identities().claim(server.address) as his:
        for name, identity in (("Ada", hers), ("Dan", his)):
            await sit_down(await people.meet(name, identity=identity), bob)

    ways = [
        await find_match_to_resume(make_context(), ContinueOptions(name=name))
        for name in ("Ada", "Dan")
    ]

    assert [way.name for way in ways] == ["Ada", "Dan"]


async def test_a_code_is_looked_up_on_its_remembered_server(open_seat):
    way = await find_match_to_resume(
        make_context(), ContinueOptions(open_seat.code, usual_server="ws://elsewhere")
    )
    assert (way.code, way.name) == (open_seat.code, "Ada")
    assert way.server != "ws://elsewhere"
    unknown = await find_match_to_resume(
        make_context(), ContinueOptions("ABC234", usual_server="ws://elsewhere")
    )
    assert unknown.server == "ws://elsewhere"


async def test_a_match_open_in_another_client_is_reported(server, open_seat):
    with identities().claim(server.address, match=open_seat.code):
        assert await query_seats(make_context()) == {}
        with pytest.raises(NothingToContinue) as held:
            await find_seats(make_context(), ContinueOptions())
    assert held.value.elsewhere
    assert "open in another terminal" in explain_failure(held.value)


async def test_ones_own_invitation_in_another_terminal_is_not_accepted(server, people):
    with identities().claim(server.address) as identity:
        ada = await people.meet("Ada", identity=identity)
        waiting = await ada.session.open("classic", maker=SEAT_FOR_ME, breaker=SEAT_FOR_ANYONE)

        with pytest.raises(SeatOpenElsewhere):
            await find_match_to_resume(make_context(), ContinueOptions(waiting.code))

    assert (await find_match_to_resume(make_context(), ContinueOptions(waiting.code))).name == "Ada"


MATCH = UnfinishedMatch(code="X922X4", rules="classic")


@pytest.mark.parametrize(
    ("server", "games"), [("ws://club.example", ""), (OFFLINE, "offline"), (HOSTED, "hosted")]
)
def test_a_match_is_saved_with_its_seat_and_the_games_of_this_computer(tmp_path, server, games):
    context = replace(make_context(), folder=tmp_path)
    identity = Identity(tmp_path / "player.json", server)
    identity.store_match(MATCH)
    if games:
        assert not is_saved(context, identity, MATCH.code)
        (tmp_path / games).mkdir()
        (tmp_path / games / GAMES_FILE).touch()
    assert is_saved(context, identity, MATCH.code)
    assert not is_saved(context, identity, "K7M2QX")
    (tmp_path / "player.json").unlink()
    assert not is_saved(context, identity, MATCH.code)


def test_a_match_that_is_kept_in_memory_is_not_saved():
    identity = Identity()
    identity.store_match(MATCH)
    assert not is_saved(make_context(), identity, MATCH.code)
