import io
import json
import re
import time
from dataclasses import replace

import pytest

from kit.matches import ADA
from kit.players import identities
from kit.rated import store_league, store_rated
from mastermind_client.cli.process import make_context
from mastermind_client.config.options import LeaderboardOptions, ProfileOptions
from mastermind_client.lines.player_data import print_leaderboard, print_profile
from mastermind_protocol.clock import DAY
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.rules import DEFAULT, PRESETS

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
    assert re.match(r"  1\.\d\d guesses, best 1, .* less luck, 32 of 32 codes broken", lines[5])
    assert lines[6] == "thirteen, mini, eight, lab, bulls: no rated match yet"
    assert any(re.match(r"Last ratings: (\d{4}, ){9}\d{4}$", line) for line in lines)
    assert any(re.match(r"  won +\d:\d +\+\d+ +today +tor$", line) for line in lines)
    assert not any(line.startswith("You and") for line in lines)


async def test_the_profile_is_that_of_the_player_who_is_playing_in_another_terminal(server, capsys):
    with identities().claim(server.address):
        await print_profile(make_context(), ProfileOptions(server.address))

    assert capsys.readouterr().out.startswith("Bob: 32 games since ")


async def test_a_profile_by_name_has_the_results_against_its_player(server, capsys):
    await print_profile(make_context(), ProfileOptions(server.address, "NOOR"))

    assert "You and Noor: 0 won, 2 drawn, 6 lost, last today" in capsys.readouterr().out


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


async def test_challenges_are_refused_and_taken_again_on_the_own_profile(server, capsys):
    for allowed, told in ((False, True), (None, True), (True, False)):
        await print_profile(make_context(), ProfileOptions(server.address, challenges=allowed))
        assert ("You take no challenges." in capsys.readouterr().out) is told


async def test_a_profile_is_printed_as_json(server, capsys):
    await print_profile(make_context(), ProfileOptions(server.address, "Noor", json=True))

    told = json.loads(capsys.readouterr().out)
    assert told["name"] == "Noor"
    assert told["against"] == {"won": 0, "drawn": 2, "lost": 6}
    assert told["met"] == told["matches"][0]["at"]
    assert [(each["rules"], each["fewest"]) for each in told["by_rules"]] == [("classic", 1)]
    assert (told["rules"], told["place"], told["total"]) == ("classic", 1, 5)
    assert sum(told["form"].values()) == 30
    assert (told["games"], told["since"] % DAY) == (32, 0)
    assert len(told["history"]) == 32
    assert {match["opponent"] for match in told["matches"]} <= {*NAMES} - {"Noor"}


async def test_a_name_without_an_owner_is_refused(server):
    with pytest.raises(Refused) as refused:
        await print_profile(make_context(), ProfileOptions(server.address, "Nobody"))
    assert refused.value.code == ErrorCode.UNKNOWN_PLAYER
