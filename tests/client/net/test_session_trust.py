"""A server that cheats, that puts off, or whose data are not what they were."""

import asyncio

import pytest
from msgspec.structs import replace

from kit.matches import pegs
from kit.people import PATIENCE, sit_down, unreachable
from kit.server import Hall
from mastermind_client.net import exchange
from mastermind_client.net.failures import Fault, Outage
from mastermind_client.net.identity import Identity
from mastermind_client.net.session import Session
from mastermind_client.net.updates import Announced, ConnectionLost, Moved, PutOff, Reconnected
from mastermind_client.words.presence import describe_connection
from mastermind_protocol.commitment import commit
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import RoundEnd, RoundEnded, SecretSet
from mastermind_protocol.messages import Announcement, Error, Happened, Log, Row
from mastermind_protocol.requests import Follow, Guess, ListMatches, Secret
from mastermind_server.clock import Clock

NONCE, SWAPPED = bytes(16), pegs("6666")


async def test_a_codemaker_whose_secret_is_swapped_learns_it_at_once(ada, bob, relay):
    theirs, _ = await sit_down(bob, ada)
    await bob.hear(Moved, lambda move: move.mirror.state.to_move is not None)

    def swap(request):
        event = SecretSet(by=bob.id, commitment=commit(NONCE, SWAPPED), code=SWAPPED, nonce=NONCE)
        return Happened(id=request.id, match=theirs.code, v=3, events=(event,))

    relay.answer(Secret, swap)
    with unreachable("cheats: it set another secret than yours"):
        await bob.session.set_secret(theirs, pegs("1122"))


async def test_a_codemaker_whose_secret_is_swapped_later_learns_it_too(ada, bob, relay):
    theirs, _ = await sit_down(bob, ada)
    await bob.hear(Moved, lambda move: move.mirror.state.to_move is not None)
    await bob.session.set_secret(theirs, pegs("1122"))
    ended = RoundEnded(how=RoundEnd.RESIGNED, code=SWAPPED, nonce=NONCE, points=1)
    await relay.say(Happened(match=theirs.code, v=4, events=(ended,)))
    with unreachable("contradicts itself"):
        await bob.hear_of(RoundEnded)


async def test_rules_that_only_newer_clients_know_are_named(bob, relay):
    mirror = await bob.session.open("mini", maker="me", breaker="open")
    other = replace(mirror.state.opened, rules="super")
    relay.answer(
        Follow, lambda request: Log(id=request.id, match="ABCDEF", rows=(Row(1, (other,)),))
    )
    with unreachable("plays by rules that this client does not know"):
        await bob.session.follow("ABCDEF")


async def test_a_request_is_put_off_only_for_so_long_and_it_is_told_once(bob, relay, monkeypatch):
    monkeypatch.setattr(exchange, "OUTAGES", {ErrorCode.STORAGE_FAILED: 0.3})
    asked = 0

    def put_off(request):
        nonlocal asked
        asked += 1
        relay.answer(ListMatches, put_off)
        return Error(
            id=request.id,
            code=ErrorCode.STORAGE_FAILED,
            message="the server could not save this",
            retry_after=0.01,
        )

    relay.answer(ListMatches, put_off)
    with pytest.raises(Refused, match="could not save"):
        await bob.session.list_matches("running")
    assert asked > 1
    await bob.drain()
    (told,) = [update for update in bob.updates if isinstance(update, PutOff)]
    assert describe_connection(told) == (
        "Not done yet: the server could not save this. Trying again by itself."
    )


async def test_the_operators_word_comes_as_an_update_and_a_ban_ends_the_session(bob, relay):
    await relay.say(Announcement(text="down at midnight"))
    assert await bob.hear(Announced) == Announced("down at midnight", None)
    await relay.say(Error(code=ErrorCode.BANNED, message="you are banned"))
    with pytest.raises(Refused, match="you are banned"):
        await bob.hear(Announced)


@pytest.mark.parametrize("code", [ErrorCode.INTERNAL, ErrorCode.STORAGE_FAILED])
async def test_a_passing_error_on_resume_is_one_more_lost_connection(ada, bob, relay, code):
    ours, theirs = await sit_down(ada, bob)
    relay.answer(Follow, lambda request: Error(id=request.id, code=code, message="not now"))
    relay.cut()
    lost = [await bob.hear(ConnectionLost), await bob.hear(ConnectionLost)]
    assert lost[1] == ConnectionLost(Outage(Fault.OTHER, "not now"))
    await bob.hear(Reconnected)
    await ada.session.set_secret(ours, pegs("1234"))
    await bob.hear_of(SecretSet)
    assert theirs.version == ours.version


async def test_a_match_whose_log_was_put_back_is_followed_from_its_beginning(ada, bob, relay):
    ours, theirs = await sit_down(ada, bob)
    await ada.session.set_secret(ours, pegs("1234"))
    await bob.hear_of(SecretSet)
    relay.answer(
        Follow,
        lambda request: Error(
            id=request.id, code=ErrorCode.STALE_VERSION, message="version 2, not 3", limit=2
        ),
    )
    relay.cut()
    again = await bob.hear(Moved, lambda move: move.before is None)
    assert again.mirror is theirs
    await bob.hear_of(SecretSet)
    assert theirs.version == ours.version
    assert [request.v for request in relay.asked if isinstance(request, Follow)] == [3, 0]
    async with asyncio.timeout(PATIENCE):
        await bob.session.guess(theirs, pegs("1234"))
    assert isinstance(relay.asked[-1], Guess)


async def test_each_of_two_servers_at_one_address_knows_us_again(server, tmp_path):
    folder = tmp_path / "other"
    folder.mkdir()
    other = Hall(folder, clock=Clock())
    await other.start()
    identity, players = Identity(), []
    for address in (server.address, other.address) * 2:
        async with Session.connect(address, identity) as session:
            players.append(session.player.id)
    await other.stop()
    assert players[:2] == players[2:]
    assert players[0] != players[1]
