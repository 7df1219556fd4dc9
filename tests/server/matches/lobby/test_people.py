from __future__ import annotations

import pytest
import sqlalchemy as sa

from mastermind_protocol.messages import Person
from mastermind_protocol.requests import AllowChallenges, ShowProfile
from mastermind_server.matches.lobby import people
from mastermind_server.storage.engines.database import Session
from mastermind_server.storage.schema import archive


async def play(winner, loser):
    """Play a round, which the codebreaker `winner` wins. Return the end of the match."""
    match = (await loser.open(maker="me", breaker="open")).match
    await winner.join(match)
    await loser.set(match, "1234")
    await winner.guess(match, "1234")
    return (await winner.archive()).matches[0].at


async def test_people_are_listed_with_the_results_and_those_online_first(ada, bob, eve):
    await play(ada, bob)
    met_bob = await play(ada, bob)
    met_eve = await play(eve, ada)
    await ada.resign((await ada.open(maker="random", breaker="me", rules="mini")).match)
    await eve.close()

    assert (await ada.people()).people == (
        Person(player=bob.id, name="Bob", wins=2, last=met_bob, online=True),
        Person(player=eve.id, name="Eve", losses=1, last=met_eve),
    )


async def test_a_player_who_takes_no_challenges_is_offline_to_others_except_in_public(
    ada, bob, eve
):
    await play(ada, bob)
    await bob.ask(bob.new(AllowChallenges, allowed=False))
    assert not (await ada.people()).people[0].online
    public = (await bob.open(maker="me", breaker="open", public=True)).match
    await eve.join(public)
    assert (await ada.people()).people[0].online


async def test_a_player_who_plays_in_public_can_be_watched_from_the_list(ada, bob, eve):
    await play(ada, bob)
    private = (await bob.open(maker="me", breaker="open")).match
    await eve.join(private)
    assert (await ada.people()).people[0].match is None

    public = (await bob.open(maker="me", breaker="open", public=True)).match
    await eve.join(public)
    assert (await ada.people()).people[0].match == public


@pytest.mark.parametrize("stored", [True, False])
async def test_a_player_with_a_new_name_is_listed_once(hall, ada, bob, stored):
    """An archive of earlier servers has no ids: the log of a match against a name has it."""
    await play(ada, bob)
    await bob.close()
    renamed = await hall.connect(bob.ids)
    await renamed.hello("Bobby", bob.token)
    await play(renamed, ada)
    if not stored:
        await hall.store.write(forget_ids)

    (met,) = (await ada.people()).people
    assert (met.player, met.name, met.wins, met.losses) == (bob.id, "Bobby", 1, 1)


def forget_ids(session: Session) -> None:
    session.connection.execute(sa.update(archive).values(opponent_id=None))


async def test_the_last_played_people_are_listed(ada, bob, eve, monkeypatch):
    monkeypatch.setattr(people, "MAX_PEOPLE", 1)
    await play(ada, bob)
    await play(ada, eve)
    found = await ada.people()
    assert [person.name for person in found.people] == ["Eve"]
    assert found.more


async def test_a_former_opponent_has_a_profile_without_a_rated_match(ada, bob, eve):
    met = await play(ada, bob)
    found = await ada.profile(player=bob.id)
    assert (found.name, found.against, found.met) == ("Bob", (1, 0, 0), met)
    assert (await eve.refused(ShowProfile, player=bob.id)).code == "unknown_player"
