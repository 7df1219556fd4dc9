import io
import json
import re
import time
from dataclasses import replace
from typing import Any

import pytest

from kit.matches import ADA
from kit.people import People, SessionClient, sit_down, unreachable
from kit.players import identities
from kit.rated import store_league, store_rated
from kit.server import GameServer
from mastermind_client.cli.process import make_context
from mastermind_client.config.options import (
    LeaderboardOptions,
    LogoutOptions,
    ProfileOptions,
    StatsOptions,
    TransferOptions,
)
from mastermind_client.lines.player_data import (
    log_out,
    print_leaderboard,
    print_profile,
    print_statistics,
    transfer,
)
from mastermind_client.messages.failures import describe_failure
from mastermind_client.network.embedded import embedded_server
from mastermind_client.network.session import Session
from mastermind_client.network.updates import Moved
from mastermind_protocol.clock import DAY
from mastermind_protocol.commands import ResignRound
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.rules import DEFAULT, PRESETS

NOWHERE = "ws://127.0.0.1:9"


async def play_here() -> None:
    """Resign a match against a bot on this computer."""
    folder = identities().offline
    identity = identities().find_offline()
    async with (
        embedded_server(folder) as address,
        Session.connect(address, identity, "Bob") as session,
    ):
        bob = SessionClient(session, identity)
        mirror = await session.open("mini", maker="random", breaker="me")
        await bob.wait_for_turn(mirror)
        await session.perform(mirror, ResignRound())


async def play_there(server: GameServer, people: People, ada: SessionClient) -> None:
    """Break a code of Ada's on a server, with our identity there."""
    with identities().claim(server.address) as identity:
        bob = await people.meet("Bob", identity=identity)
        ours, theirs = await sit_down(ada, bob)
        await ada.set(ours, "1234")
        await bob.guess(theirs, "1122")
        await bob.guess(theirs, "1234")


async def test_local_games_and_the_usual_servers_are_counted_together(server, people, ada, capsys):
    await play_here()
    await play_there(server, people, ada)

    await print_statistics(make_context(), StatsOptions(None, usual_server=server.address))

    told, wrong = capsys.readouterr()
    assert wrong == ""
    lines = told.splitlines()
    assert lines[0] == "2 matches, 1 won, 1 lost"
    assert "classic: best 2, average 2.0" in lines
    assert "Ada: 1 match, 1 won, 0 lost" in lines
    assert "random (bot): 1 match, 0 won, 1 lost" in lines


async def test_statistics_rename_no_player(server, people, ada):
    await play_there(server, people, ada)

    await print_statistics(make_context(), StatsOptions(server.address))

    (identity,) = identities().list_settled(server.address)
    assert (await people.meet(identity=identity)).session.player.name == "Bob"


async def test_statistics_are_printed_as_json(server, people, ada, capsys):
    await play_there(server, people, ada)

    await print_statistics(make_context(), StatsOptions(server.address, json=True))

    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert told["places"] == [{"server": server.address, "games": 1}]
    figures = {
        "games": 1, "won": 1, "lost": 0, "drawn": 0, "streak": 1, "longest_streak": 1,
        "codes": 1, "stood": 0, "best": 2, "average": 2.0, "distribution": {"2": 1},
    }  # fmt: skip
    assert told["total"] == figures
    assert told["by_rules"] == [{"rules": "classic", **figures}]
    assert told["by_opponent"] == [{"opponent": "Ada", "bot": False, **figures}]
    assert told["unread"] == []


async def test_a_server_without_our_player_is_not_asked_for_statistics(capsys):
    await print_statistics(make_context(), StatsOptions(None, usual_server=NOWHERE))
    assert capsys.readouterr() == ("You have finished no match yet.\n", "")
    with unreachable("cannot reach"):
        await print_statistics(make_context(), StatsOptions(NOWHERE))


async def test_an_unreadable_server_is_named_and_the_others_are_counted(data_folder, capsys):
    with identities().claim(NOWHERE) as identity:
        identity.keep("x" * 43)
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
    settled = identities().list_settled(address)
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
    (before,) = (identity.tokens for identity in identities().list_settled(address))
    capsys.readouterr()
    await log_out(make_context(), LogoutOptions(address, everywhere=True))
    told = capsys.readouterr().out
    assert told == f"Your other computers are logged out of {address}.\n"
    (after,) = (identity.tokens for identity in identities().list_settled(address))
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
        identity.keep("x" * 43)
    for everywhere in (False, True):
        with unreachable("cannot reach"):
            await log_out(make_context(), LogoutOptions(NOWHERE, everywhere=everywhere))
    (kept,) = identities().list_settled(NOWHERE)
    assert kept.tokens == ("x" * 43,)


NAMES = ["Noor", "Kasia", "Bob", "tor", "Ola"]  # the best first


@pytest.fixture(autouse=True)
async def _league(server, people):
    """The player of this computer, who is third of five in a league."""
    with identities().claim(server.address) as identity:
        persons = [await people.meet(n, identity=identity if n == "Bob" else None) for n in NAMES]
    players = [person.session.player for person in persons]
    await server.store.write(store_league, players, int(time.time() * 1000))


async def test_the_leaderboard_is_a_table_with_a_mark_on_the_own_row(server, capsys):
    await print_leaderboard(make_context(), LeaderboardOptions(server.address, DEFAULT))

    heading, titles, *rows, conditions, bot = capsys.readouterr().out.splitlines()
    assert heading == "Rated matches by classic: 5 players"
    assert titles.split() == ["name", "rating", "matches", "guesses", "latest"]
    assert [row[:5].split()[-1] for row in rows] == ["1", "2", "3", "4", "5"]
    assert re.fullmatch(r">   3  Bob    \d{4} ± \d+       32     1\.38  today", rows[2])
    assert [row for row in rows if row.startswith(">")] == [rows[2]]
    assert conditions.startswith("A place needs ten rated matches")
    assert bot == "The bot hard needs 4.34 guesses."


async def test_the_own_row_follows_a_page_without_it(server, capsys):
    await print_leaderboard(make_context(), LeaderboardOptions(server.address, DEFAULT, 3))

    rows = capsys.readouterr().out.splitlines()[2:-2]
    assert [row.split()[0] for row in rows] == ["4", "5", "...", ">"]


async def test_a_leaderboard_without_players_says_so(server, capsys):
    await print_leaderboard(make_context(), LeaderboardOptions(server.address, PRESETS["mini"]))

    assert "Nobody is on this leaderboard yet." in capsys.readouterr().out


async def test_a_terminal_without_the_sign_of_ratings_gets_ascii(server):
    output = io.TextIOWrapper(io.BytesIO(), "ascii", write_through=True)
    context = replace(make_context(), output=output)

    await print_leaderboard(context, LeaderboardOptions(server.address, DEFAULT))

    assert isinstance(output.buffer, io.BytesIO)
    assert re.search(rb"\d{4} \+-\d+ ", output.buffer.getvalue())


async def test_the_leaderboard_is_printed_as_json(server, capsys):
    await print_leaderboard(make_context(), LeaderboardOptions(server.address, DEFAULT, json=True))

    told = json.loads(capsys.readouterr().out)
    assert (told["rules"], told["total"], told["more"]) == ("classic", 5, False)
    assert told["own"] == told["players"][2]
    own = told["own"]
    assert (own["place"], own["name"], own["matches"], own["provisional"]) == (3, "Bob", 32, False)
    assert own["won"] + own["drawn"] + own["lost"] == 32


async def test_a_profile_has_the_record_the_ratings_and_the_last_matches(server, capsys):
    await print_profile(make_context(), ProfileOptions(server.address))

    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"Bob: 32 games since \d{4}-\d\d-\d\d", lines[0])
    assert re.fullmatch(r"classic: \d{4} ± \d+, place 3 of 5", lines[1])
    assert lines[2].startswith("  best ")
    assert lines[3] == "  11 won, 9 drawn, 12 lost"
    assert re.fullmatch(r"  last 30 matches: \d+ won, \d drawn, \d+ lost", lines[4])
    assert re.match(r"  1\.\d\d guesses, .* less luck, 32 of 32 codes broken", lines[5])
    assert lines[6] == "thirteen, mini, eight, lab: no rated match yet"
    assert any(re.match(r"Last ratings: (\d{4}, ){9}\d{4}$", line) for line in lines)
    assert any(re.match(r"  won +\d:\d +\+\d+ +today +tor$", line) for line in lines)
    assert not any(line.startswith("You and") for line in lines)


async def test_a_profile_by_name_has_the_results_against_its_player(server, capsys):
    await print_profile(make_context(), ProfileOptions(server.address, "NOOR"))

    assert "You and Noor: 0 won, 2 drawn, 6 lost" in capsys.readouterr().out


async def test_a_rating_after_one_match_has_a_question_mark(server, people, capsys):
    with identities().claim(server.address) as identity:
        bob = (await people.meet("Bob", identity=identity)).session.player
    now = int(time.time() * 1000)
    await server.store.write(store_rated, "MATCHA", bob, ADA, at=now, rules="mini")

    await print_profile(make_context(), ProfileOptions(server.address))

    assert re.search(r"mini: \d{4} ± \d+ \?, no place\n", capsys.readouterr().out)
    await print_profile(make_context(), ProfileOptions(server.address, rules="classic"))
    told = capsys.readouterr().out
    assert re.search(r"classic: \d{4} ± \d+, place 3 of 5\n", told)
    assert re.search(r"\nmini \d{4} ± \d+ \?\n", told)


async def test_a_profile_is_printed_as_json(server, capsys):
    await print_profile(make_context(), ProfileOptions(server.address, "Noor", json=True))

    told = json.loads(capsys.readouterr().out)
    assert told["name"] == "Noor"
    assert told["against"] == {"won": 0, "drawn": 2, "lost": 6}
    assert [record["rules"] for record in told["by_rules"]] == ["classic"]
    assert (told["rules"], told["place"], told["total"]) == ("classic", 1, 5)
    assert sum(told["form"].values()) == 30
    assert (told["games"], told["since"] % DAY) == (32, 0)
    assert len(told["history"]) == 32
    assert {match["opponent"] for match in told["matches"]} <= {*NAMES} - {"Noor"}


async def test_a_name_without_an_owner_is_refused(server):
    with pytest.raises(Refused) as refused:
        await print_profile(make_context(), ProfileOptions(server.address, "Nobody"))
    assert refused.value.code == ErrorCode.UNKNOWN_PLAYER
