"""The leaderboard and the profiles of players on the page."""

from __future__ import annotations

import re
import time

import pytest
import sqlalchemy as sa
from playwright.sync_api import expect

from kit.processes import Machine
from kit.rated import store_league, store_rated
from mastermind_protocol.events import Player
from mastermind_server.storage.schema import players
from mastermind_server.storage.store import SessionMode, open_session
from web.visitors import find_violations

NAMES = ["Noor", "Kasia", "Bob", "tor", "Ola"]  # the best first


@pytest.fixture
def league(machine: Machine) -> int:
    """The port of a server with a league, whose first player has won a public match by mini."""
    named = [Player(id=name.upper(), name=name) for name in NAMES]
    now = round(time.time() * 1000)
    port = machine.serve().port
    with open_session(machine.database, SessionMode.WRITE) as session:
        store_league(session, named, now)
        store_rated(session, "SHAWED", *named[:2], at=now + 1, rules="mini", public=True)
    return port


def test_means_are_written_in_the_language_of_the_visitor(visit, league):
    page = visit("/#leaders", port=league, locale="pl-PL")
    expect(page.get_by_text("4,34")).to_be_visible()


def test_a_name_on_the_leaderboard_opens_the_profile_of_the_player(visit, league):
    page = visit("/#leaders", port=league)
    expect(page.get_by_text("The bot hard needs 4.34 guesses.")).to_be_visible()
    page.get_by_role("link", name="guest-NOOR").click()
    expect(page.get_by_role("heading", level=1, name="guest-NOOR")).to_be_visible()
    expect(page.get_by_role("heading", name=re.compile(r"^mini \d+\?"))).to_be_visible()
    expect(page.get_by_text("You and guest-NOOR: no match yet")).to_be_visible()

    page.get_by_role("combobox", name="Game").select_option("classic")

    expect(page.get_by_text("place 1 of 5")).to_be_visible()
    expect(page.get_by_text(re.compile("^last 30 matches: "))).to_be_visible()
    expect(page.get_by_role("img", name=re.compile(r"^Last ratings: \d+ to \d+"))).to_be_visible()
    expect(page.get_by_role("row")).to_have_count(11)
    assert find_violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_role("cell", name="Kasia").first).to_be_visible()
    rows = page.get_by_role("row").evaluate_all("(rows) => rows.map((row) => row.offsetHeight)")
    assert max(rows) < 90  # of three lines: no word is broken
    page.go_back()
    expect(page.get_by_role("heading", level=1, name="Leaderboard")).to_be_visible()
    page.get_by_label("A player by name").fill("Stranger")
    page.get_by_role("button", name="Show the profile").click()
    expect(page.get_by_role("alert")).to_contain_text("has played no rated match")


def test_a_profile_has_the_fewest_guesses_and_the_day_of_the_last_match(visit, machine, league):
    page = visit("/#player", port=league)
    expect(page.get_by_text("No rated match yet.")).to_be_visible()
    noor, now = Player(id="NOOR", name="Noor"), round(time.time() * 1000)
    with open_session(machine.database, SessionMode.WRITE) as session:
        visitor = session.connection.execute(sa.select(players.c.id, players.c.name)).one()
        store_rated(session, "MATCHA", noor, Player(*visitor), at=now, rules="mini")

    page.goto(f"http://127.0.0.1:{league}/#player/NOOR")

    expect(page.get_by_text("1.00 guesses, best 1")).to_be_visible()
    expect(page.get_by_text(re.compile(r"^\d+ of \d+ codes broken$"))).to_be_visible()
    last = re.compile(r"You and guest-NOOR: 0 won, 0 drawn, 1 lost, last \d+ \w+ \d{4}")
    expect(page.get_by_text(last)).to_be_visible()


def test_home_has_the_best_players_the_own_line_and_the_own_record(visit, machine, league):
    page = visit("/#player", port=league)
    expect(page.get_by_text("No rated match yet.")).to_be_visible()
    noor, now = Player(id="NOOR", name="Noor"), round(time.time() * 1000)
    with open_session(machine.database, SessionMode.WRITE) as session:
        visitor = Player(*session.connection.execute(sa.select(players.c.id, players.c.name)).one())
        store_rated(session, "MATCHA", visitor, noor, at=now)

    page.get_by_role("link", name="To the start page").click()

    entries = page.get_by_role("listitem")
    best = [re.compile(rf"^{place} guest-\w+ \d+$") for place in (1, 2, 3)]
    own = re.compile(rf"^– {visitor.name} \(you\) ?\d+\?$")  # noqa: RUF001 - as on the page
    expect(entries).to_have_text([*best, own])
    expect(page.get_by_text("1matches played1matches won1won in a row")).to_be_visible()
    expect(page.get_by_role("link", name=re.compile(rf"^{visitor.name} \d+\?$"))).to_be_visible()


def test_a_profile_links_to_public_matches_only(visit, league):
    page = visit("/#player/NOOR", port=league)
    expect(page.get_by_role("link", name="won")).to_have_count(1)
    page.get_by_role("combobox", name="Game").select_option("classic")
    expect(page.get_by_role("row")).to_have_count(11)
    assert find_violations(page) == []
    expect(page.get_by_role("link", name="won")).to_have_count(0)

    page.get_by_role("button", name="Matches to review").click()
    page.get_by_role("link", name="Review Kasia").click()

    expect(page).to_have_url(re.compile("/#review/SHAWED$"))
    expect(page.get_by_text(re.compile("2:1|1:2"))).to_be_visible()
    guesses = page.get_by_role("listitem")
    numbers = {guesses.count()}
    page.get_by_role("button", name=re.compile("^2: The guesses of")).click()
    expect(page.get_by_role("button", pressed=True)).to_have_text(re.compile("^2: "))
    assert numbers | {guesses.count()} == {1, 2}


def test_a_player_without_a_rated_match_is_told_so(visit):
    page = visit("/#you")
    page.get_by_role("link", name="Your rated matches").click()
    expect(page.get_by_text("No rated match yet.")).to_be_visible()


def test_the_profile_of_an_unknown_player_is_refused(visit):
    page = visit("/#player/NOBODY")
    expect(page.get_by_role("heading", level=1)).to_contain_text("has played no rated match")


def test_a_player_who_is_not_connected_cannot_be_challenged_from_the_profile(visit, league):
    page = visit("/#player/NOOR", port=league)
    page.get_by_role("button", name="Challenge").click()
    page.get_by_role("dialog").get_by_role("button", name="Not now").click()
    page.get_by_role("button", name="Challenge").click()
    accept = page.get_by_role("dialog").get_by_role("button", name="Rated", exact=True)
    expect(accept).to_be_focused()
    accept.click()
    expect(page.get_by_role("status")).to_contain_text("is not connected")
