import asyncio
from dataclasses import replace
from functools import partial

import pytest

from kit.matches import pegs
from kit.players import identities
from mastermind_client.config.options import (
    ANYONE,
    FRIEND,
    ChallengeOptions,
    JoinOptions,
    PlayOptions,
    WatchOptions,
)
from mastermind_client.context import Writer
from mastermind_client.messages.failures import explain_failure
from mastermind_client.network.entering import enter_match, leave_eventually
from mastermind_client.network.failures import NameOpenElsewhere, SeatOpenElsewhere
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.players.stored_player import read_player
from mastermind_client.network.updates import Moved
from mastermind_protocol.commands import ResignRound
from mastermind_protocol.errors import ErrorCode, Reason, Refused
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Error
from mastermind_protocol.requests import GUEST, AnyRequest, Leave, Seek
from mastermind_protocol.rules import DEFAULT, PRESETS


@pytest.mark.parametrize(("seat", "ours"), [(None, Seat.BREAKER), *zip(Seat, Seat, strict=True)])
@pytest.mark.parametrize("versus", [FRIEND, "easy"])
async def test_the_seat_is_the_wanted_one_or_the_codebreakers(ada, versus, seat, ours):
    mirror = await enter_match(
        ada.session, PlayOptions(DEFAULT, versus, seat, rounds=3), identities()
    )
    assert mirror.state.seat_of(ada.id) is ours
    assert mirror.state.opened.rounds == 3
    assert (mirror.state.phase is Phase.GATHERING) is (versus == FRIEND)
    assert not mirror.state.opened.public


async def test_the_seat_is_in_the_file_before_another_message_is_read(server, people, tmp_path):
    path = tmp_path / "player.json"
    ada = await people.meet("Ada", identity=Identity(path, server.address, Writer()))
    mirror = await enter_match(ada.session, PlayOptions(DEFAULT, FRIEND), identities())
    await ada.session.list_bots()
    assert read_player(path, server.address).find_match(mirror.code) is not None


async def test_a_game_against_anyone_waits_in_public(ada, bob):
    options = PlayOptions(DEFAULT, ANYONE, rated=True, clock="5+3")
    waiting = await enter_match(ada.session, options, identities())
    assert waiting.state.opened.public
    assert waiting.state.opened.rated
    found = await enter_match(bob.session, options, identities())
    assert found.code == waiting.code


async def test_only_players_who_want_the_same_clock_are_paired(ada, bob, people):
    eve = await people.meet("Eve")
    waiting = await enter_match(
        ada.session, PlayOptions(DEFAULT, ANYONE, clock="5+3"), identities()
    )
    assert waiting.state.opened.clock == "5+3"
    other = await enter_match(bob.session, PlayOptions(DEFAULT, ANYONE), identities())
    assert other.state.phase is Phase.GATHERING
    found = await enter_match(eve.session, PlayOptions(DEFAULT, ANYONE, clock="5+3"), identities())
    assert found.code == waiting.code


@pytest.mark.parametrize("clock", ["5+3", "60/move", "3d/move"])
async def test_a_match_with_a_friend_has_the_wanted_clock(ada, clock):
    mirror = await enter_match(ada.session, PlayOptions(DEFAULT, FRIEND, clock=clock), identities())
    assert mirror.state.opened.clock == clock


async def test_a_bot_that_breaks_no_codes_plays_one_round_unless_the_user_wants_more(ada):
    options = PlayOptions(DEFAULT, "devious")
    mirror = await enter_match(ada.session, options, identities())
    assert mirror.state.opened.rounds == 1
    with pytest.raises(Refused):
        await enter_match(ada.session, replace(options, rounds=2), identities())
    with pytest.raises(Refused):
        await enter_match(ada.session, replace(options, seat=Seat.MAKER), identities())


async def test_a_seed_fixes_the_secret_and_others_may_watch(ada):
    options = PlayOptions(DEFAULT, "easy", seed=7, public=True)
    mirrors = [await enter_match(ada.session, options, identities()) for _match in range(2)]
    for mirror in mirrors:
        await ada.session.perform(mirror, ResignRound())
    first, second = (mirror.state.played[0].secret for mirror in mirrors)
    assert first == second
    assert mirrors[0].state.opened.public


async def test_no_other_seat_is_taken_instead_of_ones_own(ada, bob):
    waiting = await enter_match(ada.session, PlayOptions(DEFAULT, FRIEND), identities())
    with pytest.raises(SeatOpenElsewhere):
        await enter_match(
            bob.session, JoinOptions(waiting.code, ada.session.server, own=True), identities()
        )
    assert waiting.state.phase is Phase.GATHERING


async def test_the_reason_why_ones_own_seat_is_refused_is_told(server, people, open_seat):
    with identities().claim(server.address, match=open_seat.code) as identity:
        ada = await people.meet("Ada", identity=identity)
        server.limit(followed=0)
        with pytest.raises(Refused) as refused:
            await enter_match(
                ada.session, JoinOptions(open_seat.code, server.address), identities()
            )
    assert refused.value.reason is Reason.TOO_MANY_FOLLOWED


async def test_two_bots_play_a_given_code(ada):
    rules, code = PRESETS["knuth"], pegs("1234")
    options = WatchOptions(None, bot="hard", rules=rules, secret=code, public=True)
    mirror = await enter_match(ada.session, options, identities())
    while mirror.state.phase is not Phase.FINISHED:
        await ada.wait_for_update(Moved)
    assert mirror.state.seat_of(ada.id) is None
    assert mirror.state.played[0].secret == pegs("1234")
    assert mirror.state.opened.public


async def test_leaving_raises_no_refusal_and_no_end_of_the_session(bob, relay, caplog):
    mirror = await bob.session.open("classic", maker="me", breaker="random")
    await bob.session.leave(mirror)
    caplog.set_level("DEBUG", "mastermind_client.network.entering")
    await leave_eventually(partial(bob.session.leave, mirror))
    assert "could not leave" in caplog.text
    caplog.clear()

    again = await bob.session.open("classic", maker="me", breaker="random")
    relay.answer(Leave, lambda _request: None)
    leaving = asyncio.create_task(leave_eventually(partial(bob.session.leave, again)))
    await asyncio.sleep(0)
    await relay.say("this is no frame of ours")
    await leaving
    assert "could not leave" in caplog.text


async def test_a_rated_name_of_ones_own_is_open_in_another_terminal(people, relay):
    def refuse(request: AnyRequest) -> Error:
        return Error(
            id=request.id, code=ErrorCode.INVALID_NAME, message="taken",
            details={"reason": "name_taken", "name": "Ada"},
        )  # fmt: skip

    rated = PlayOptions(DEFAULT, ANYONE, rated=True, clock="5+3")
    with identities().claim(relay.address) as second, identities().claim(relay.address) as first:
        for identity in (first, second):
            await people.meet("Ada", relay.address, identity)
        session = (await people.meet("Ada", relay.address, second)).session
        relay.answer(Seek, refuse)
        with pytest.raises(NameOpenElsewhere) as open_there:
            await enter_match(session, rated, identities())
        assert explain_failure(open_there.value) == (
            "Ada plays rated matches in another terminal: play there, or end it first"
        )
        first.set_player("Bob")
        relay.answer(Seek, refuse)
        with pytest.raises(Refused, match="taken") as refused:
            await enter_match(session, rated, identities())
        assert refused.type is Refused


async def test_a_guest_reads_that_ones_own_rated_player_is_open_in_another_terminal(people, server):
    rated = PlayOptions(DEFAULT, FRIEND, rated=True, clock="5+3")
    with identities().claim(server.address) as second:
        with identities().claim(server.address) as first:
            await people.meet("Ada", identity=first)
            guest = (await people.meet(identity=second)).session
            for refused in (rated, ChallengeOptions("", "Eve", DEFAULT, rated=True)):
                with pytest.raises(NameOpenElsewhere) as open_there:
                    await enter_match(guest, refused, identities())
                assert open_there.value.values["name"] == "Ada"
            for allowed in (replace(rated, rated=False), replace(rated, name=GUEST)):
                await enter_match(guest, allowed, identities())
            named = (await people.meet("Ada", identity=second)).session
            await enter_match(named, rated, identities())  # the server decides about a name
        await enter_match(guest, rated, identities())
