import json
import re
from typing import Any

import pytest

from kit.people import SessionClient, unreachable
from kit.players import identities
from mastermind_client.cli.process import make_context
from mastermind_client.config.options import (
    OFFLINE,
    LogoutOptions,
    ProfileOptions,
    ReviewOptions,
    StatsOptions,
    TransferOptions,
)
from mastermind_client.config.puzzle_record import RECORD_FILE, record_answer
from mastermind_client.lines.app import review
from mastermind_client.lines.player_data import log_out, print_profile, print_statistics, transfer
from mastermind_client.messages.failures import describe_failure
from mastermind_client.network.embedded import embedded_server
from mastermind_client.network.failures import GamesOpenElsewhere
from mastermind_client.network.session import Session
from mastermind_client.network.updates import Moved
from mastermind_protocol.commands import ResignRound
from mastermind_protocol.errors import Refused

NOWHERE = "ws://127.0.0.1:9"


async def play_here() -> None:
    """Resign a match against a bot on this computer."""
    folder = identities().offline_folder
    identity = identities().find_offline()
    async with (
        embedded_server(folder) as address,
        Session.connect(address, identity, "Bob") as session,
    ):
        bob = SessionClient(session, identity)
        mirror = await session.open("mini", maker="random", breaker="me")
        await bob.wait_for_turn(mirror)
        await session.perform(mirror, ResignRound())


async def test_local_games_and_the_usual_servers_are_counted_together(server, people, ada, capsys):
    await play_here()
    await people.win_here(ada)

    await print_statistics(make_context(), StatsOptions(None, usual_server=server.address))

    told, wrong = capsys.readouterr()
    assert wrong == ""
    lines = told.splitlines()
    assert lines[0] == "2 matches, 1 won, 1 lost"
    assert "classic: best 2, average 2.0" in lines
    assert "Ada: 1 match, 1 won, 0 lost" in lines
    assert "random (bot): 1 match, 0 won, 1 lost" in lines


async def test_the_matches_of_a_player_who_is_playing_in_another_terminal_are_counted(
    server, people, ada, capsys
):
    await people.win_here(ada)

    with identities().claim(server.address):
        await print_statistics(make_context(), StatsOptions(server.address))

    assert capsys.readouterr().out.startswith("1 match, 1 won, 0 lost\n")


async def test_statistics_rename_no_player(server, people, ada):
    await people.win_here(ada)

    await print_statistics(make_context(), StatsOptions(server.address))

    (identity,) = identities().list_registered(server.address)
    assert (await people.meet(identity=identity)).session.player.name == "Bob"


async def test_statistics_are_printed_as_json(server, people, ada, capsys):
    await people.win_here(ada)

    await print_statistics(make_context(), StatsOptions(server.address, json=True))

    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert told["places"] == [{"server": server.address, "games": 1}]
    figures = {
        "games": 1, "won": 1, "lost": 0, "drawn": 0, "streak": 1, "longest_streak": 1,
        "measured": 0, "measured_guesses": 0, "advised": 0,
        "codes": 1, "stood": 0, "best": 2, "average": 2.0, "distribution": {"2": 1},
    }  # fmt: skip
    assert told["total"] == figures
    assert told["by_rules"] == [{"rules": "classic", **figures}]
    assert told["by_opponent"] == [{"opponent": "Ada", "bot": False, **figures}]
    assert told["unread"] == []
    assert told["puzzles"] == {"solved": 0, "streak": 0, "best": 0}


async def test_solved_puzzles_are_counted_without_a_server(capsys):
    context = make_context()
    record_answer(context.folder, "4x6/1/3", right=True)
    await print_statistics(context, StatsOptions(None, usual_server=NOWHERE))
    assert (
        "\n1 puzzle solved; in a row at the first answer: 1, most: 1.\n" in capsys.readouterr().out
    )
    (context.folder / RECORD_FILE).write_text("?")
    await print_statistics(context, StatsOptions(None, usual_server=NOWHERE))
    told, wrong = capsys.readouterr()
    assert told == "You have finished no match yet.\n"
    assert wrong.endswith(f"{RECORD_FILE} cannot be read: it is no record of puzzles\n")


async def test_a_server_without_our_player_is_not_asked_for_statistics(capsys):
    await print_statistics(make_context(), StatsOptions(None, usual_server=NOWHERE))
    assert capsys.readouterr() == ("You have finished no match yet.\n", "")
    with unreachable("cannot reach"):
        await print_statistics(make_context(), StatsOptions(NOWHERE))


async def test_the_own_profile_of_a_player_without_a_server_has_the_offline_games(capsys):
    await play_here()
    await print_profile(make_context(), ProfileOptions(NOWHERE, is_usual=True))
    assert capsys.readouterr().out.startswith("Bob: 1 game since ")
    with unreachable("cannot reach"):
        await print_profile(make_context(), ProfileOptions(NOWHERE))


async def test_profile_and_archive_of_games_in_another_terminal_are_refused(data_folder):
    await play_here()
    async with embedded_server(data_folder / "mastermind" / "offline"):
        with pytest.raises(GamesOpenElsewhere):
            await print_profile(make_context(), ProfileOptions(NOWHERE, is_usual=True))
        with pytest.raises(GamesOpenElsewhere):
            await review(make_context(), ReviewOptions(None, OFFLINE, None))


async def test_an_unreadable_server_is_named_and_the_others_are_counted(data_folder, capsys):
    with identities().claim(NOWHERE) as identity:
        identity.store_token("x" * 43)
    await play_here()

    await print_statistics(make_context(), StatsOptions(None, usual_server=NOWHERE))

    told, wrong = capsys.readouterr()
    assert told.startswith("1 match, 0 won, 1 lost\n")
    assert wrong.startswith(f"mastermind: {NOWHERE} is not counted: cannot reach {NOWHERE}")
    async with embedded_server(data_folder / "mastermind" / "offline"):
        await print_statistics(make_context(), StatsOptions(None, usual_server=NOWHERE, json=True))
    unread = json.loads(capsys.readouterr().out)["unread"]
    assert [place["server"] for place in unread] == [None, NOWHERE]
    assert "open in another terminal" in unread[0]["reason"]


NOWHERE = "ws://127.0.0.1:9"


@pytest.fixture
def at(data_folder, monkeypatch):
    """Switch to a computer by name."""
    return lambda computer: monkeypatch.setenv("XDG_DATA_HOME", str(data_folder / computer))


@pytest.fixture
def address(server, at):
    """The server's address; the computer at home is active."""
    at("home")
    return server.address


async def play(address: str, name: str | None = "Ada") -> tuple[str, str]:
    """Return our id and name on a server."""
    with identities().claim(address) as identity:
        async with Session.connect(address, identity, name) as session:
            return session.player.id, session.player.name


async def open_match(address: str) -> str:
    with identities().claim(address) as identity:
        async with Session.connect(address, identity, "Ada") as session:
            return (await session.open("mini", maker="me", breaker="open")).code


async def show_code(address: str, capsys: pytest.CaptureFixture[str]) -> str:
    await transfer(make_context(), TransferOptions(address))
    told, line = capsys.readouterr().out.splitlines()
    assert told == "To play as Ada elsewhere, type there within 5 minutes:"
    found = re.fullmatch(rf"  mastermind transfer (\w{{8}}) --server {re.escape(address)}", line)
    assert found is not None
    return found[1]


async def test_a_transfer_keeps_the_unfinished_matches_of_the_earlier_player(address, at, capsys):
    await play(address)
    code = await show_code(address, capsys)
    at("work")
    theirs = await open_match(address)
    await transfer(make_context(), TransferOptions(address, code))
    settled = identities().list_registered(address)
    assert [identity.has_seat(theirs) for identity in settled] == [True, False]


async def test_a_transferred_player_keeps_the_name(address, at, capsys):
    ada = await play(address)
    code = await show_code(address, capsys)
    at("work")
    await transfer(make_context(), TransferOptions(address, code))
    assert await play(address, None) == ada
    assert await play(address, None) == ada  # from the identity's file again
    assert (await play(address, "Eve"))[1] == "Eve"


async def test_a_transfer_code_is_shown_while_another_client_plays(address, capsys):
    await play(address)
    with identities().claim(address) as identity:
        async with Session.connect(address, identity, "Ada"):
            await show_code(address, capsys)


async def test_a_logout_everywhere_leaves_this_computer_with_a_new_token(address, at, capsys):
    ada = await play(address)
    code = await show_code(address, capsys)
    at("work")
    await transfer(make_context(), TransferOptions(address, code))
    at("home")
    (before,) = (identity.tokens for identity in identities().list_registered(address))
    capsys.readouterr()
    await log_out(make_context(), LogoutOptions(address, everywhere=True))
    told = capsys.readouterr().out
    assert told == f"Your other computers are logged out of {address}.\n"
    (after,) = (identity.tokens for identity in identities().list_registered(address))
    assert len(after) == 1
    assert after != before
    assert await play(address) == ada
    at("work")
    assert (await play(address))[0] != ada[0]


async def test_a_logged_out_client_is_notified_and_forgets_the_token(address, ada):
    async with Session.connect(address, ada.identity) as session:
        await session.log_out()
    with pytest.raises(Refused) as refused:
        await ada.wait_for_update(Moved)
    assert describe_failure(refused.value) == "You have been logged out here."
    assert ada.identity.tokens == ()


async def test_a_logout_from_an_absent_server_keeps_the_token():
    with identities().claim(NOWHERE) as identity:
        identity.store_token("x" * 43)
    for everywhere in (False, True):
        with unreachable("cannot reach"):
            await log_out(make_context(), LogoutOptions(NOWHERE, everywhere=everywhere))
    (kept,) = identities().list_registered(NOWHERE)
    assert kept.tokens == ("x" * 43,)
