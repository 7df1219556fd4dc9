from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from mastermind_client.net import identity as identities
from mastermind_client.net.failures import TooManyClients
from mastermind_client.net.identity import (
    Identity,
    claim_identity,
    list_identities,
    offline_identity,
)
from mastermind_client.net.running import MAX_REMEMBERED, UnfinishedMatch, offline_folder
from mastermind_protocol.requests import GUEST

SERVER = "ws://games.example:8765"
TOKEN = "t" * 43


def test_there_is_no_token_before_one_is_kept(tmp_path):
    with claim_identity(SERVER, tmp_path) as identity:
        assert not identity.tokens
    assert not list(tmp_path.glob("*.token"))


def test_a_token_that_was_kept_is_found_again_by_whoever_comes_later(tmp_path):
    with claim_identity(SERVER, tmp_path) as identity:
        identity.keep(TOKEN)
        assert identity.tokens[0] == TOKEN
    with claim_identity(SERVER, tmp_path) as later:
        assert later.tokens[0] == TOKEN


def test_only_the_owner_can_read_a_token(tmp_path):
    folder = tmp_path / "identities"
    mask = os.umask(0)
    try:
        with claim_identity(SERVER, folder) as identity:
            identity.keep(TOKEN)
    finally:
        os.umask(mask)
    (file,) = folder.glob("*.token")
    assert file.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_new_token_takes_the_place_of_the_old_one_with_nothing_left_over(tmp_path):
    path = tmp_path / "one.token"
    path.with_suffix(".new").write_text("an attempt that broke off")
    for token in ("a" * 43, "b" * 43):
        Identity(path).keep(token)
        assert Identity(path).tokens[0] == token
    assert [file.name for file in tmp_path.iterdir()] == ["one.token"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_two_at_the_same_time_are_two_players(tmp_path):
    with claim_identity(SERVER, tmp_path) as first:
        first.keep("a" * 43)
        with claim_identity(SERVER, tmp_path) as second:
            assert not second.tokens
            second.keep("b" * 43)
    with claim_identity(SERVER, tmp_path) as again, claim_identity(SERVER, tmp_path) as other:
        assert (again.tokens, other.tokens) == (("a" * 43,), ("b" * 43,))


def test_whoever_comes_while_the_first_is_gone_gets_the_first_identity(tmp_path):
    with ExitStack() as second:
        with claim_identity(SERVER, tmp_path) as first:
            first.keep("a" * 43)
            second.enter_context(claim_identity(SERVER, tmp_path)).keep("b" * 43)
        with claim_identity(SERVER, tmp_path) as back:
            assert back.tokens[0] == "a" * 43


def test_another_process_is_another_player(tmp_path):
    claim = (
        "import pathlib, sys; from mastermind_client.net.identity import claim_identity\n"
        "with claim_identity(sys.argv[1], pathlib.Path(sys.argv[2])) as i: print(*i.tokens)"
    )

    def claimed_elsewhere():
        command = [sys.executable, "-c", claim, SERVER, str(tmp_path)]
        return subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=30
        ).stdout.strip()

    with claim_identity(SERVER, tmp_path) as identity:
        identity.keep(TOKEN)
        assert claimed_elsewhere() == ""
    assert claimed_elsewhere() == TOKEN


@pytest.mark.parametrize(
    "other",
    [
        "ws://games.example:8766",
        "ws://other.example:8765",
        "wss://games.example:8765",
        "ws://games-example:8765",
    ],
)
def test_servers_do_not_share_a_token(tmp_path, other):
    with claim_identity(SERVER, tmp_path) as identity:
        identity.keep(TOKEN)
    with claim_identity(other, tmp_path) as elsewhere:
        assert not elsewhere.tokens


@pytest.mark.parametrize("server", ["ws://[::1]:8765", "ws://x/../../etc", "ws://../..:1", "", "x"])
def test_whatever_the_address_the_files_stay_in_the_folder(tmp_path, server):
    folder = tmp_path / "a" / "b"
    with claim_identity(server, folder) as identity:
        identity.keep(TOKEN)
    assert {path.parent for path in tmp_path.rglob("*") if path.is_file()} == {folder}
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+", path.name) for path in folder.iterdir())


@pytest.mark.parametrize("content", [b"\n", b"short\n", b"\xff" * 43, b"t" * 44])
def test_what_is_no_token_is_passed_over(tmp_path, content):
    path = tmp_path / "one.token"
    path.write_bytes(content)
    assert not Identity(path).tokens


def test_the_tokens_of_servers_that_took_turns_are_kept_the_last_one_first(tmp_path):
    path = tmp_path / "one.token"
    for token in ("a" * 43, "b" * 43, "a" * 43):
        Identity(path).keep(token)
    assert Identity(path).tokens == ("a" * 43, "b" * 43)
    for number in range(10, 30):
        Identity(path).keep(f"{number}" + "c" * 41)
    assert len(Identity(path).tokens) == identities.MAX_TOKENS


def test_without_a_file_a_token_is_forgotten(tmp_path, data_folder):
    identity = Identity()
    identity.keep(TOKEN)
    assert identity.tokens[0] == TOKEN
    assert not Identity().tokens
    assert not data_folder.exists()
    assert not list(tmp_path.iterdir())


def test_there_is_an_end_to_the_identities_of_one_user(tmp_path, monkeypatch):
    monkeypatch.setattr(identities, "MAX_IDENTITIES", 3)
    with ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(claim_identity(SERVER, tmp_path))
        with pytest.raises(TooManyClients) as raised:
            stack.enter_context(claim_identity(SERVER, tmp_path))
    assert (raised.value.number, raised.value.server) == (3, SERVER)
    with claim_identity(SERVER, tmp_path) as identity:
        assert not identity.tokens


def test_by_default_identities_are_in_the_users_data_folder(data_folder):
    with claim_identity(SERVER) as identity:
        identity.keep(TOKEN)
    (file,) = data_folder.rglob("*.token")
    assert file == data_folder / "mastermind" / "identities" / "ws_games.example_8765-1.token"
    assert file.read_text() == TOKEN + "\n"


async def test_a_player_who_comes_back_has_the_same_name_and_id(server, people):
    with claim_identity(server.address) as identity:
        first = (await people.meet("Ada", identity=identity)).session.player
    with claim_identity(server.address) as identity:
        assert (await people.meet("Ada", identity=identity)).session.player == first


async def test_a_token_that_the_server_does_not_know_is_kept_behind_the_new_one(
    server, people, data_folder
):
    with claim_identity(server.address) as identity:
        identity.keep(TOKEN)
        await people.meet(identity=identity)
        new = identity.tokens[0]
        assert (new != TOKEN, identity.tokens[1:]) == (True, (TOKEN,))
        assert _kept(data_folder) == [new, TOKEN]


def _kept(folder: Path) -> list[str]:
    (file,) = folder.rglob("*.token")
    return file.read_text().split()


def test_who_plays_offline_is_known_again_and_the_folder_is_made(data_folder):
    assert offline_folder().is_relative_to(data_folder)
    offline_identity(offline_folder()).keep(TOKEN)
    assert offline_identity(offline_folder()).tokens == (TOKEN,)
    assert offline_folder().stat().st_mode & 0o777 == 0o700
    assert (offline_folder() / "player.token").stat().st_mode & 0o777 == 0o600


# The matches that are not over.


def test_who_has_a_seat_in_the_match_is_claimed_in_whatever_order_terminals_are_opened(two_players):
    for order in (("AAAAAA", "BBBBBB"), ("BBBBBB", "AAAAAA")):
        with ExitStack() as terminals:
            claimed = [
                terminals.enter_context(claim_identity(SERVER, two_players, match=code)).tokens[0]
                for code in order
            ]
        assert claimed == [code[0].lower() * 43 for code in order]


def test_who_played_last_is_claimed_where_no_match_is_named(two_players):
    for code in ("AAAAAA", "BBBBBB", "AAAAAA"):
        _use_now(two_players, code)
        with claim_identity(SERVER, two_players) as identity:
            assert identity.has_seat(code)


def test_a_look_makes_nobody_the_one_who_played_last(two_players):
    _use_now(two_players, "BBBBBB")
    ada = next(known for known in list_identities(two_players) if known.remembered.name == "Ada")
    seen = UnfinishedMatch(code="AAAAAA", rules="classic", opponent="Eve", guess=2)

    ada.take_up(ada.remembered.with_match(seen))

    assert Identity(ada.path).remembered.matches == (seen,)
    with claim_identity(SERVER, two_players) as identity:
        assert identity.has_seat("BBBBBB")


def test_who_has_matches_to_go_on_with_comes_before_who_has_none(two_players):
    with claim_identity(SERVER, two_players, match="AAAAAA") as ada:
        ada.forget("AAAAAA")
    with claim_identity(SERVER, two_players) as identity:
        assert identity.has_seat("BBBBBB")


def test_nobody_of_another_name_becomes_a_player_who_has_matches(two_players):
    with claim_identity(SERVER, two_players, name="Eve") as eve:
        assert not eve.remembered.matches
    with claim_identity(SERVER, two_players, name="Ada") as ada:
        assert ada.has_seat("AAAAAA")


def test_a_guest_who_takes_a_name_is_who_they_were(tmp_path):
    with claim_identity(SERVER, tmp_path) as guest:
        guest.call(f"{GUEST}-X8NJ")
        guest.remember(UnfinishedMatch(code="AAAAAA", rules="classic"))
    with claim_identity(SERVER, tmp_path, name="Ada") as ada:
        assert ada.has_seat("AAAAAA")


def test_of_two_players_in_one_match_the_one_of_the_name_is_claimed(tmp_path):
    with ExitStack() as terminals:
        for name in ("Ada", "Bob"):
            identity = terminals.enter_context(claim_identity(SERVER, tmp_path))
            identity.call(name)
            identity.remember(UnfinishedMatch(code="SHARED", rules="classic"))
    for name in ("Ada", "Bob"):
        with claim_identity(SERVER, tmp_path, match="SHARED", name=name) as identity:
            assert identity.remembered.name == name


def test_whoever_comes_for_a_match_whose_player_is_here_is_somebody_else(two_players):
    with claim_identity(SERVER, two_players, match="AAAAAA"):
        with claim_identity(SERVER, two_players, match="AAAAAA") as other:
            assert not other.has_seat("AAAAAA")
        (held,) = [known for known in list_identities(two_players) if known.held]
        assert held.remembered.find("AAAAAA")
    assert not any(known.held for known in list_identities(two_players))


def test_who_comes_back_to_a_match_keeps_the_name(two_players):
    with claim_identity(SERVER, two_players, match="BBBBBB") as bob:
        bob.come_back("BBBBBB")
        assert bob.choose_name("Ada") is None
        bob.come_back("CCCCCC")
        assert bob.choose_name("Ada") == "Ada"
        assert bob.choose_name(None) == GUEST


def test_the_matches_are_on_disk_until_they_are_forgotten(tmp_path):
    path = tmp_path / "one.token"
    match = UnfinishedMatch(code="AAAAAA", rules="classic", opponent="Bob", since=1.0)
    Identity(path).remember(match)
    assert Identity(path).remembered.matches == (match,)
    assert (tmp_path / "one.running").stat().st_mode & 0o777 == 0o600

    Identity(path).forget("AAAAAA")

    assert Identity(path).remembered.matches == ()


def test_a_match_that_stands_as_before_is_not_written_again(tmp_path):
    identity = Identity(tmp_path / "one.token")
    identity.remember(UnfinishedMatch(code="AAAAAA", rules="classic", since=1.0))

    identity.remember(UnfinishedMatch(code="AAAAAA", rules="classic", since=2.0))

    assert identity.remembered.matches[0].since == 1.0


def test_only_what_the_server_knows_of_is_remembered_then(tmp_path):
    path = tmp_path / "one.token"
    identity = Identity(path)
    for code in ("AAAAAA", "BBBBBB"):
        identity.remember(UnfinishedMatch(code=code, rules="classic"))

    identity.remember_only([UnfinishedMatch(code="BBBBBB", rules="classic", guess=3)])

    assert [(match.code, match.guess) for match in Identity(path).remembered.matches] == [
        ("BBBBBB", 3)
    ]


def test_there_is_an_end_to_what_is_remembered(tmp_path):
    identity = Identity(tmp_path / "one.token")
    for number in range(MAX_REMEMBERED + 1):
        identity.remember(UnfinishedMatch(code=f"{number:06}", rules="classic"))
    assert len(identity.remembered.matches) == MAX_REMEMBERED
    assert not identity.has_seat("000000")


def test_of_too_many_those_are_remembered_that_the_server_puts_first(tmp_path):
    identity = Identity(tmp_path / "one.token")
    codes = [f"{number:06}" for number in range(MAX_REMEMBERED + 1)]

    identity.remember_only(UnfinishedMatch(code=code, rules="classic") for code in codes)

    assert identity.has_seat(codes[0]), "it is our turn there"
    assert not identity.has_seat(codes[-1])


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff", b'{"server": 1}'])
def test_what_is_broken_is_passed_over(two_players, content):
    for file in two_players.glob("*-1.running"):
        file.write_bytes(content)
    assert [known.remembered.name for known in list_identities(two_players)] == ["Bob"]
    with claim_identity(SERVER, two_players, match="AAAAAA") as identity:
        assert identity.has_seat("BBBBBB")


def test_a_match_that_cannot_be_remembered_is_played_all_the_same(tmp_path, caplog):
    (tmp_path / "one.running").mkdir()
    identity = Identity(tmp_path / "one.token")
    identity.remember(UnfinishedMatch(code="AAAAAA", rules="classic"))
    assert identity.has_seat("AAAAAA")
    assert "could not be remembered" in caplog.text


@pytest.fixture
def two_players(tmp_path):
    """Where two players of one computer are kept: Ada in match AAAAAA, Bob in BBBBBB."""
    with ExitStack() as terminals:
        for name in ("Ada", "Bob"):
            identity = terminals.enter_context(claim_identity(SERVER, tmp_path))
            identity.keep(name[0].lower() * 43)
            identity.call(name)
            identity.remember(UnfinishedMatch(code=name[0] * 6, rules="classic"))
    return tmp_path


def _use_now(folder: Path, code: str) -> None:
    """Make the identity with this match the one that was used last."""
    for known in list_identities(folder):
        file = known.path.with_suffix(".running")
        seconds = 2 if known.remembered.find(code) else 1
        os.utime(file, (seconds, seconds))
