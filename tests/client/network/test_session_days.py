"""Tries at the code of the day: played, refused, listed, and proven when the code is revealed."""

import pytest

from kit.days import CODE, DAY, REVEAL, TRIES_END, begin_day
from kit.matches import pegs
from kit.server import GameServer
from mastermind_client.network.updates import CodeRevealed
from mastermind_protocol.commands import ResignRound
from mastermind_protocol.errors import ErrorCode, Reason, Refused
from mastermind_protocol.match import Phase
from mastermind_protocol.proof import find_fraud


@pytest.fixture
async def server(tmp_path):
    """A server at whose time of day the test decides."""
    server = GameServer(tmp_path)
    await server.start()
    yield server
    await server.close()


@pytest.fixture
async def mirror(server, ada):
    """Ada's mirror of her try."""
    await begin_day(server)
    return await ada.session.enter_day("classic", DAY)


async def test_a_try_is_resumed_and_gets_its_proof_with_the_closed_day(server, people, ada, mirror):
    assert mirror.state.phase is Phase.BREAKING
    await ada.guess(mirror, "1122")
    other = await people.meet(identity=ada.identity)
    resumed = await other.session.enter_day("classic", DAY)
    assert (resumed.code, resumed.version) == (mirror.code, 2)
    await ada.guess(mirror, CODE)
    (played,) = mirror.state.played
    assert played.awaits_proof
    shown = await ada.session.show_day("classic")
    assert (shown.code, shown.own.match, shown.own.guesses) == (None, mirror.code, 2)
    server.clock.jump(REVEAL)
    assert (await ada.session.show_day("classic", DAY)).code == pegs(CODE)
    await ada.wait_for_update(CodeRevealed)
    (proven,) = mirror.state.played
    assert proven.secret == pegs(CODE)
    assert find_fraud(proven, mirror.state.rules) is None


async def test_a_try_that_is_followed_after_its_reveal_is_proven_at_once(server, bob, ada, mirror):
    await ada.session.perform(mirror, ResignRound())
    with pytest.raises(Refused, match="only its player can follow"):
        await bob.session.follow(mirror.code)
    server.clock.jump(REVEAL)
    seen = await bob.session.follow(mirror.code)
    assert seen.state.played[-1].secret == pegs(CODE)


async def test_a_try_that_is_resumed_before_its_reveal_waits_for_its_proof(people, ada, mirror):
    await ada.guess(mirror, CODE)
    other = await people.meet(identity=ada.identity)
    assert (await other.session.join(mirror.code)).state.played[-1].awaits_proof


async def test_a_try_is_followed_also_if_the_server_refuses_to_show_its_day(
    monkeypatch, people, ada, mirror
):
    await ada.guess(mirror, CODE)
    other = await people.meet(identity=ada.identity)

    async def refuse(*_: object) -> None:
        raise Refused(Reason.OVERLOADED, retry_after=1.0)

    monkeypatch.setattr(other.session, "show_day", refuse)
    assert (await other.session.join(mirror.code)).state.phase is Phase.FINISHED


async def test_a_second_try_and_a_late_guess_are_refused(server, ada, bob, mirror):
    late = await bob.session.enter_day("classic", DAY)
    await ada.guess(mirror, CODE)
    with pytest.raises(Refused, match="each player has one"):
        await ada.session.enter_day("classic", DAY)
    server.clock.jump(TRIES_END)
    with pytest.raises(Refused, match="ended at 00:30 UTC") as refused:
        await bob.guess(late, CODE)
    assert refused.value.code == ErrorCode.CONTEST


async def test_places_and_days_are_listed(ada, mirror):
    await ada.guess(mirror, CODE)
    (first,) = (await ada.session.list_places("classic", DAY)).places
    assert (first.player, first.place, first.guesses) == (ada.id, 1, 1)
    assert not (await ada.session.list_places("classic", DAY, after=1)).places
    listed = await ada.session.list_days("classic")
    assert [(day.day, day.match, day.guesses) for day in listed.days] == [(DAY, mirror.code, 1)]
    assert (await ada.session.list_days("classic", listed.month)).days == listed.days
