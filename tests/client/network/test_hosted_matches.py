"""Matches on a server that a player hosts at home, which each player's computer keeps."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from kit.people import PATIENCE, SessionClient, unreachable
from mastermind_client.cli.process import make_context
from mastermind_client.config.options import (
    HOSTED,
    OFFLINE,
    ProfileOptions,
    ReviewOptions,
    StatsOptions,
)
from mastermind_client.context import ClientContext
from mastermind_client.lines.player_data import print_profile, print_statistics
from mastermind_client.network import opening
from mastermind_client.network.embedded import (
    GAMES_FILE,
    embedded_server,
    find_review_address,
    is_stored_offline,
)
from mastermind_client.network.failures import DisconnectReason, Fault
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.players.identities import Identities
from mastermind_client.network.session import Session
from mastermind_client.network.updates import ConnectionLost, MatchKept, PresenceChanged
from mastermind_protocol.commands import LeaveMatch, ResignRound
from mastermind_protocol.events import Finished, Joined, Seat

NOWHERE = "ws://127.0.0.1:9"


@pytest.fixture(autouse=True)
def _any_port(monkeypatch):
    """Servers for friends listen at free ports."""
    monkeypatch.setattr(opening, "DEFAULT_PORT", 0)


@pytest.fixture
def here(tmp_path):
    """The computer of Ada, who hosts."""
    return make_computer(tmp_path / "here")


@pytest.fixture
def there(tmp_path):
    """The computer of Bob, her friend."""
    return make_computer(tmp_path / "there")


def make_computer(folder: Path) -> ClientContext:
    return replace(make_context(), folder=folder)


@asynccontextmanager
async def connect(
    computer: ClientContext, address: str, name: str | None = None
) -> AsyncIterator[SessionClient]:
    async with opening.open_session(computer, address, name) as session:
        yield SessionClient(session, session.identity)


async def play_rounds(ada: SessionClient, bob: SessionClient) -> Mirror:
    """Play two rounds; return Ada's mirror. Bob needs two guesses, and Ada one."""
    ours = await ada.session.open("mini", maker="me", breaker="open", rounds=2)
    theirs = await bob.session.join(ours.code)
    await ada.set(ours, "1122")
    await bob.guess(theirs, "1133")
    await bob.guess(theirs, "1122")
    await bob.set(theirs, "2211")
    await ada.guess(ours, "2211")
    await ada.wait_for_event(Finished)
    await bob.wait_for_event(Finished)
    return ours


async def wait_for_earlier_matches() -> None:
    """Wait until the matches that ended before a session have been read."""
    reading = {task for task in asyncio.all_tasks() if task.get_name() == "earlier matches"}
    if reading:
        await asyncio.wait(reading, timeout=PATIENCE)


async def read_offline(computer: ClientContext, code: str) -> tuple[Session, Mirror]:
    """Return the offline session of a computer, which has ended, and its copy of a match."""
    async with opening.open_session(computer, OFFLINE, None) as session:
        return session, await session.follow(code)


async def count(computer: ClientContext) -> tuple[int, int, int]:
    """Return the matches, wins and losses of a computer's offline statistics."""
    async with opening.open_session(computer, OFFLINE, None) as session:
        total = (await session.load_statistics()).total
        return total.matches, total.wins, total.losses


async def test_both_computers_keep_a_match_when_the_host_has_closed_the_game(here, there):
    async with (
        connect(here, HOSTED, "Ada") as ada,
        connect(there, ada.session.server, "Bob") as bob,
    ):
        code = (await play_rounds(ada, bob)).code
    assert (await count(here), await count(there)) == ((1, 1, 0), (1, 0, 1))
    for computer, name, opponent in ((here, "Ada", "Bob"), (there, "Bob", "Ada")):
        session, mirror = await read_offline(computer, code)
        match = mirror.state
        assert (session.player.name, len(match.played)) == (name, 2)
        assert match.seat_of(session.player.id) is not None
        assert [player.name for player in match.players if player.id != session.player.id] == [
            opponent
        ]


async def test_a_friend_whose_usual_server_is_a_closed_game_sees_profile_and_archive_and_no_warning(
    capsys, here, there
):
    async with (
        connect(here, HOSTED, "Ada") as ada,
        connect(there, ada.session.server, "Bob") as bob,
    ):
        closed = ada.session.server
        await play_rounds(ada, bob)
    terminal = replace(there, output=sys.stdout, errors=sys.stderr)
    await print_statistics(terminal, StatsOptions(None, usual_server=closed))
    await print_profile(terminal, ProfileOptions(closed, is_usual=True))
    printed = capsys.readouterr()
    assert printed.out.startswith("1 match, 0 won, 1 lost")
    assert "Bob: 1 game since" in printed.out
    assert printed.err == ""
    assert await find_review_address(there, ReviewOptions(None, closed, None)) == OFFLINE
    assert await find_review_address(there, ReviewOptions(None, NOWHERE, None)) == NOWHERE


async def print_offline_statistics(computer: ClientContext) -> None:
    terminal = replace(computer, output=sys.stdout, errors=sys.stderr)
    await print_statistics(terminal, StatsOptions(None, usual_server=NOWHERE))


async def test_the_matches_of_a_killed_host_are_copied_at_the_next_start(capsys, here, people):
    async with embedded_server(here.hosted_folder, 0, "Ada") as address:
        with Identities.of(here).claim(HOSTED) as identity:
            ada = await people.meet("Ada", address, identity)
            bob = await people.meet("Bob", address)
            await play_rounds(ada, bob)
        await people.close_all()
    changed = set()
    for _time in range(2):
        await print_offline_statistics(here)
        assert capsys.readouterr().out.startswith("1 match, 1 won, 0 lost\n")
        changed.add((here.hosted_folder / GAMES_FILE).stat().st_mtime_ns)
    assert len(changed) == 1  # the second time there was nothing to copy


async def test_the_statistics_name_a_damaged_file_of_hosted_matches(capsys, here):
    here.hosted_folder.mkdir(parents=True)
    (here.hosted_folder / GAMES_FILE).write_text("a diary")
    await print_offline_statistics(here)
    told, wrong = capsys.readouterr()
    assert told == "You have finished no match yet.\n"
    assert wrong.startswith(f"mastermind: this computer is not counted: {here.hosted_folder}")


async def test_a_friend_reads_that_the_host_has_closed_the_game(here, there):
    async with AsyncExitStack() as stack:
        ada = await stack.enter_async_context(connect(here, HOSTED, "Ada"))
        address = ada.session.server
        async with connect(there, address, "Bob") as bob:
            ours = await ada.session.open("mini", maker="me", breaker="open")
            await bob.session.join(ours.code)
            bob.drain()
            await stack.aclose()
            lost = await bob.wait_for_update(ConnectionLost)
            assert lost.reason == DisconnectReason(Fault.HOST_CLOSED, "Ada")
            assert not [each for each in bob.updates if isinstance(each, PresenceChanged)]
    with unreachable("^Ada has closed the game at ws://"):
        async with connect(there, address):
            pass


async def test_a_latecomer_reads_no_advice_to_start_a_server(there):
    with unreachable("nothing listens there. If a player hosted the match there, it continues"):
        async with opening.open_session(there, NOWHERE, "Cid", "ABCDEF"):
            pass
    with unreachable(f"^Ada has closed the game at {NOWHERE}: it is kept, and continues when Ada "):
        async with opening.open_session(there, NOWHERE, "Cid", "ABCDEF", host="Ada"):
            pass


async def test_a_server_that_was_visited_says_itself_who_hosts_it(here, there):
    async with connect(here, HOSTED, "Ada") as ada, connect(there, ada.session.server, "Bob"):
        address = ada.session.server
    with unreachable("^Ada has closed the game"):
        async with opening.open_session(there, address, "Bob", "ABCDEF", host="Eve"):
            pass


async def test_an_invitation_names_no_host_of_a_visited_server_without_one(there, server):
    async with connect(there, server.address, "Bob"):
        pass
    await server.stop()
    with unreachable("If a player hosted the match there, it continues"):
        async with opening.open_session(there, server.address, "Bob", "ABCDEF", host="Eve"):
            pass


async def test_a_match_that_ended_while_the_friend_was_away_is_copied_at_the_next_visit(
    here, there
):
    async with connect(here, HOSTED, "Ada") as ada:
        async with connect(there, ada.session.server, "Bob") as bob:
            ours = await ada.session.open("mini", maker="open", breaker="me")
            theirs = await bob.session.join(ours.code)
            await bob.set(theirs, "1122")
        await ada.guess(ours, "3344")
        await ada.session.perform(ours, ResignRound())
        assert not await is_stored_offline(there, ours.code)
        for _visit in range(2):  # the second one copies nothing
            async with connect(there, ada.session.server) as bob:
                await wait_for_earlier_matches()
                assert bob.drain() == []
            assert await is_stored_offline(there, ours.code)
    assert (await count(here), await count(there)) == ((1, 0, 1), (1, 1, 0))


async def test_a_match_that_the_host_leaves_is_kept_and_a_closed_one_is_not(here, there):
    async with (
        connect(here, HOSTED, "Ada") as ada,
        connect(there, ada.session.server, "Bob") as bob,
    ):
        ours = await ada.session.open("mini", maker="me", breaker="open")
        await bob.session.join(ours.code)
        await ada.set(ours, "1122")
        await ada.session.perform(ours, LeaveMatch())
        await bob.wait_for_event(Finished)
        lobby = await ada.session.open("mini", maker="me", breaker="open")
        await ada.session.perform(lobby, LeaveMatch())
    assert (await count(here), await count(there)) == ((1, 0, 1), (1, 1, 0))
    ada.drain()
    kept = [update for update in ada.updates if isinstance(update, MatchKept)]
    assert kept == [MatchKept(ours.code)]


async def test_a_rematch_is_another_match(here, there):
    async with (
        connect(here, HOSTED, "Ada") as ada,
        connect(there, ada.session.server, "Bob") as bob,
    ):
        first = await play_rounds(ada, bob)
        ours = await ada.session.rematch(first)
        theirs = await bob.session.join(ours.code)
        maker, breaker = (
            ((ada, ours), (bob, theirs))
            if ours.state.seat_of(ada.id) is Seat.MAKER
            else ((bob, theirs), (ada, ours))
        )
        await maker[0].set(maker[1], "1122")
        await breaker[0].wait_for_turn(breaker[1])
        await breaker[0].guess(breaker[1], "1122")
        await breaker[0].session.perform(breaker[1], LeaveMatch())
        await ada.wait_for_event(Finished)
        await bob.wait_for_event(Finished)
    assert (await count(here))[0] == (await count(there))[0] == 2
    _session, copy = await read_offline(there, ours.code)
    assert copy.state.opened.previous == first.code


async def test_a_spectator_and_a_server_on_the_network_leave_no_copy(here, there, server):
    async with (
        connect(here, HOSTED, "Ada") as ada,
        connect(there, ada.session.server, "Bob") as bob,
        connect(there, ada.session.server, "Cid") as cid,
    ):
        ours = await ada.session.open("mini", maker="random", breaker="me", seed=1)
        await cid.session.follow(ours.code)
        await ada.wait_for_turn(ours)
        await ada.session.perform(ours, ResignRound())
        await cid.wait_for_event(Finished)
    async with connect(there, server.address, "Bob") as bob:
        mirror = await bob.session.open("mini", maker="random", breaker="me", seed=1)
        await bob.wait_for_turn(mirror)
        await bob.session.perform(mirror, ResignRound())
        await bob.wait_for_event(Finished)
    assert not (Identities.of(there).offline_folder / GAMES_FILE).exists()
    assert await count(here) == (1, 0, 1)


async def test_two_players_of_one_computer_keep_one_copy(here):
    async with (
        connect(here, HOSTED, "Ada") as ada,
        connect(here, ada.session.server, "Bob") as bob,
    ):
        await play_rounds(ada, bob)
    assert (await count(here))[0] == 1
    for player in (ada, bob):
        player.drain()
        assert not [
            update
            for update in player.updates
            if isinstance(update, MatchKept) and update.failure is not None
        ]


async def test_a_match_is_copied_while_an_offline_game_is_open(here, there):
    async with (
        connect(there, OFFLINE, "Bob") as alone,
        connect(here, HOSTED, "Ada") as ada,
    ):
        async with connect(there, ada.session.server, "Bob") as bob:
            code = (await play_rounds(ada, bob)).code
        assert [each.match for each in (await alone.session.list_archive()).matches] == [code]
        mirror = await alone.session.follow(code)
        joined = [event for row in mirror.rows for event in row.events if isinstance(event, Joined)]
        assert {event.player.id for event in joined} == {ada.id, alone.id}


async def test_a_player_reads_why_a_match_cannot_be_kept(here, there):
    folder = Identities.of(there).offline_folder
    folder.mkdir(parents=True)
    (folder / GAMES_FILE).write_text("a diary")
    async with (
        connect(here, HOSTED, "Ada") as ada,
        connect(there, ada.session.server, "Bob") as bob,
    ):
        code = (await play_rounds(ada, bob)).code
        update = await bob.wait_for_update(MatchKept)
    assert update.match == code
    assert "games.db" in str(update.failure)
    assert (folder / GAMES_FILE).read_text() == "a diary"
    assert await is_stored_offline(here, code)
