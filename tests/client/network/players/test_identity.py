import json
import os
import re
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from kit.players import identities
from mastermind_client.files import LOCK_FILE
from mastermind_client.network.failures import TooManyClients
from mastermind_client.network.players import identities as identities_module
from mastermind_client.network.players.identities import Identities
from mastermind_client.network.players.identity import MAX_TOKENS, Identity
from mastermind_client.network.players.stored_player import MAX_STORED_MATCHES
from mastermind_client.network.running import UnfinishedMatch, WhoseTurn

SERVER = "ws://games.example:8765"
TOKEN, OTHER = "t" * 43, "o" * 43


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def unfinished(code: str, **more: Any) -> UnfinishedMatch:
    return UnfinishedMatch(code=code, rules="classic", **more)


# Tokens.


@pytest.mark.promise("token-file")
def test_the_next_client_finds_a_kept_token_that_only_the_owner_can_read(data_folder):
    mask = os.umask(0)
    try:
        with identities().claim(SERVER) as identity:
            assert not identity.tokens
            assert not list(data_folder.rglob("*.json"))
            identity.store_token(TOKEN)
            assert identity.tokens == (TOKEN,)
    finally:
        os.umask(mask)
    with identities().claim(SERVER) as later:
        assert later.tokens == (TOKEN,)
    (file,) = data_folder.rglob("*.json")
    assert file == data_folder / "mastermind" / "identities" / "ws_games.example_8765-1.json"
    assert (mode(file), mode(file.parent)) == (0o600, 0o700)


def test_a_new_token_replaces_the_old_one_in_the_file(tmp_path):
    path = tmp_path / "one.json"
    for token in (TOKEN, OTHER):
        Identity(path).store_token(token)
        assert Identity(path).tokens[0] == token
    assert {file.name for file in tmp_path.iterdir()} == {"one.json", LOCK_FILE}
    assert mode(path) == 0o600


def test_two_clients_at_once_are_two_players_and_the_first_free_one_is_claimed(tmp_path):
    with ExitStack() as second:
        with Identities(tmp_path).claim(SERVER) as first:
            first.store_token(TOKEN)
            other = second.enter_context(Identities(tmp_path).claim(SERVER))
            assert not other.tokens
            other.store_token(OTHER)
        with Identities(tmp_path).claim(SERVER) as back:
            assert back.tokens == (TOKEN,)
    with Identities(tmp_path).claim(SERVER) as again, Identities(tmp_path).claim(SERVER) as another:
        assert (again.tokens, another.tokens) == ((TOKEN,), (OTHER,))


def test_another_process_is_another_player(tmp_path):
    claim = (
        "import pathlib, sys; from mastermind_client.network.players.identities import Identities\n"
        "folder = pathlib.Path(sys.argv[2])\n"
        "with Identities(folder).claim(sys.argv[1]) as i: print(*i.tokens)"
    )

    def claimed_elsewhere():
        command = [sys.executable, "-c", claim, SERVER, str(tmp_path)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=30)
        return done.stdout.strip()

    with Identities(tmp_path).claim(SERVER) as identity:
        identity.store_token(TOKEN)
        assert claimed_elsewhere() == ""
    assert claimed_elsewhere() == TOKEN


@pytest.mark.parametrize(
    "other",
    [
        *("ws://games.example:8766", "ws://other.example:8765", "wss://games.example:8765"),
        *("ws://games-example:8765", "ws://[::1]:8765", "ws://x/../../etc", "ws://../..:1"),
        *("", "x"),
    ],
)
def test_servers_share_no_token_and_their_files_stay_in_the_folder(tmp_path, other):
    folder = tmp_path / "a" / "b"
    for server in (SERVER, other):
        with Identities(folder).claim(server) as identity:
            assert not identity.tokens
            identity.store_token(TOKEN)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.parent for path in files} <= {folder / "identities", folder / "offline"}
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+", path.name) for path in files)


@pytest.mark.parametrize("token", ["", "short", "\xff" * 43, "t" * 44])
def test_a_broken_token_is_ignored(tmp_path, token):
    path = tmp_path / "one.json"
    path.write_text(json.dumps({"server": SERVER, "tokens": [token, OTHER]}))
    assert Identity(path).tokens == (OTHER,)


def test_two_clients_of_one_player_keep_the_tokens_and_matches_of_each_other(tmp_path):
    path = tmp_path / "one.json"
    Identity(path).store_token(TOKEN)
    running, elsewhere = Identity(path), Identity(path)
    running.store_match(unfinished("AAAAAA"))
    elsewhere.store_token(OTHER)
    running.drop_token(TOKEN)
    assert Identity(path).tokens == (OTHER,)
    assert Identity(path).has_seat("AAAAAA")


def test_several_tokens_are_kept_the_last_one_first(tmp_path):
    path = tmp_path / "one.json"
    for token in (TOKEN, OTHER, TOKEN):
        Identity(path).store_token(token)
    assert Identity(path).tokens == (TOKEN, OTHER)
    for number in range(10, 30):
        Identity(path).store_token(f"{number}" + "c" * 41)
    assert len(Identity(path).tokens) == MAX_TOKENS


def test_without_a_file_a_token_is_in_memory_only(tmp_path, data_folder):
    identity = Identity()
    identity.store_token(TOKEN)
    assert identity.tokens[0] == TOKEN
    assert not Identity().tokens
    assert not data_folder.exists()
    assert not list(tmp_path.iterdir())


def test_the_number_of_identities_is_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(identities_module, "MAX_IDENTITIES", 3)
    with ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(Identities(tmp_path).claim(SERVER))
        with pytest.raises(TooManyClients) as raised:
            stack.enter_context(Identities(tmp_path).claim(SERVER))
    assert raised.value.values == {"number": 3, "server": SERVER}
    with Identities(tmp_path).claim(SERVER) as identity:
        assert not identity.tokens


async def test_a_player_has_the_same_name_and_id_again(server, people):
    players = []
    for _ in range(2):
        with identities().claim(server.address) as identity:
            players.append((await people.meet("Ada", identity=identity)).session.player)
    assert players[0] == players[1]


async def test_an_unknown_token_is_kept_behind_the_new_one(server, people, data_folder):
    with identities().claim(server.address) as identity:
        identity.store_token(TOKEN)
        stranger = await people.meet("Stranger", identity=identity)
        assert stranger.session.player.name == "Stranger"
        new, old = identity.tokens
        assert (new != TOKEN, old) == (True, TOKEN)
        (file,) = data_folder.rglob("*.json")
        assert json.loads(file.read_bytes())["tokens"] == [new, TOKEN]


# Unfinished matches.


def test_matches_are_on_disk_until_they_are_forgotten(tmp_path):
    path = tmp_path / "one.json"
    match = unfinished("AAAAAA", opponent="Bob", since=1.0)
    Identity(path).store_match(match)
    Identity(path).store_match(unfinished("AAAAAA", opponent="Bob", since=2.0))  # is the same
    assert Identity(path).stored.matches == (match,)
    assert mode(tmp_path / "one.json") == 0o600
    Identity(path).remove_match("AAAAAA")
    assert Identity(path).stored.matches == ()


def test_only_matches_known_to_the_server_are_remembered_up_to_a_limit(tmp_path):
    identity = Identity(tmp_path / "one.json")
    codes = [f"{number:06}" for number in range(MAX_STORED_MATCHES + 1)]
    for code in codes:
        identity.store_match(unfinished(code))
    assert len(identity.stored.matches) == MAX_STORED_MATCHES
    assert not identity.has_seat(codes[0])
    identity.replace_matches([unfinished(codes[1], guess=3)])
    kept = Identity(identity.path).stored.matches
    assert [(match.code, match.guess) for match in kept] == [(codes[1], 3)]
    identity.replace_matches(map(unfinished, codes))  # which the server sorts
    assert identity.has_seat(codes[0])
    assert not identity.has_seat(codes[-1])


def test_a_match_that_cannot_be_written_is_still_remembered(tmp_path, caplog):
    (tmp_path / "one.json").mkdir()
    identity = Identity(tmp_path / "one.json")
    identity.store_match(unfinished("AAAAAA"))
    assert identity.has_seat("AAAAAA")
    assert "could not be stored" in caplog.text


def test_each_guess_number_is_written_at_once_for_other_programs(tmp_path):
    with Identities(tmp_path).claim(SERVER) as identity:
        for guess in (1, 2):
            identity.store_match(unfinished("AAAAAA", turn=WhoseTurn.MINE, guess=guess))
            (other,) = Identities(tmp_path).list_with_matches()
            assert [match.guess for match in other.stored.matches] == [guess]


def test_an_unchanged_match_is_not_written_again(tmp_path):
    with Identities(tmp_path).claim(SERVER) as identity:
        path = identity.path or tmp_path
        identity.store_match(unfinished("AAAAAA", guess=1))
        path.unlink()
        identity.store_match(unfinished("AAAAAA", guess=1))
        assert not path.exists()
