import asyncio
import os
import threading
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from typing import Any

import pytest

from kit.players import identities
from mastermind_client.config.options import OFFLINE
from mastermind_client.network.players import identities as identities_module
from mastermind_client.network.players.identities import Identities, enter_in_thread
from mastermind_client.network.players.identity import PROBE_LOCK_SECONDS, Identity, acquire_lock
from mastermind_client.network.running import UnfinishedMatch, WhoseTurn
from mastermind_protocol.requests import GUEST

SERVER = "ws://games.example:8765"
TOKEN, OTHER = "t" * 43, "o" * 43


def unfinished(code: str, **more: Any) -> UnfinishedMatch:
    return UnfinishedMatch(code=code, rules="classic", **more)


@pytest.fixture
def two_players(tmp_path):
    """Return the folder of two players on one computer: Ada in match AAAAAA, Bob in BBBBBB."""
    with ExitStack() as terminals:
        for name in ("Ada", "Bob"):
            identity = terminals.enter_context(Identities(tmp_path).claim(SERVER))
            identity.store_token(name[0].lower() * 43)
            identity.set_player(name)
            identity.store_match(unfinished(name[0] * 6))
    return tmp_path


def use_now(folder: Path, code: str) -> None:
    """Mark the identity with this match as the last used."""
    with Identities(folder).claim(SERVER, match=code) as identity:
        assert identity.has_seat(code)


@pytest.mark.parametrize("order", ["AB", "BA"])
def test_the_player_of_a_match_is_claimed_in_any_order(two_players, order):
    with ExitStack() as terminals:
        for letter in order:
            claim = Identities(two_players).claim(SERVER, match=letter * 6)
            assert terminals.enter_context(claim).tokens[0] == letter.lower() * 43


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({}, "BBBBBB"),  # the last player
        ({"name": "Ada"}, "AAAAAA"),
        ({"name": "Eve"}, None),
        ({"match": "AAAAAA"}, "AAAAAA"),
    ],
)
def test_a_match_a_name_or_the_last_use_chooses_the_player(two_players, wanted, code):
    for last in ("AAAAAA", "BBBBBB"):
        use_now(two_players, last)
    with Identities(two_players).claim(SERVER, **wanted) as identity:
        assert [match.code for match in identity.stored.matches] == ([code] if code else [])


def test_a_refresh_does_not_change_the_last_player(two_players):
    use_now(two_players, "BBBBBB")
    known = Identities(two_players).list_with_matches()
    ada = next(player for player in known if player.stored.name == "Ada")
    seen = unfinished("AAAAAA", opponent="Eve", guess=2)
    ada.store_match(seen)
    ada.write_unless_locked()
    assert Identity(ada.path).stored.matches == (seen,)
    with Identities(two_players).claim(SERVER) as identity:
        assert identity.has_seat("BBBBBB")


def test_a_player_with_matches_is_claimed_first(two_players):
    with Identities(two_players).claim(SERVER, match="AAAAAA") as ada:
        ada.remove_match("AAAAAA")
    with Identities(two_players).claim(SERVER) as identity:
        assert identity.has_seat("BBBBBB")


def test_a_guest_who_takes_a_name_stays_the_same_player(tmp_path):
    with Identities(tmp_path).claim(SERVER) as guest:
        guest.set_player(f"{GUEST}-X8NJ")
        guest.store_match(unfinished("AAAAAA"))
    with Identities(tmp_path).claim(SERVER, name="Ada") as ada:
        assert ada.has_seat("AAAAAA")


def test_the_name_chooses_between_two_players_of_a_match(tmp_path):
    with ExitStack() as terminals:
        for name in ("Ada", "Bob"):
            identity = terminals.enter_context(Identities(tmp_path).claim(SERVER))
            identity.set_player(name)
            identity.store_match(unfinished("SHARED"))
    for name in ("Ada", "Bob"):
        with Identities(tmp_path).claim(SERVER, match="SHARED", name=name) as identity:
            assert identity.stored.name == name


def test_the_last_name_on_a_server_or_else_on_this_computer_is_remembered(tmp_path):
    players = Identities(tmp_path)
    assert players.find_name(SERVER) is None
    with players.claim(SERVER) as identity:
        identity.store_token("a" * 43)
        identity.set_player("Bob")
    assert players.find_name(SERVER) == "Bob"
    assert players.find_name("ws://elsewhere.example:8765") is None
    with players.claim(SERVER) as identity:
        identity.set_player(f"{GUEST}-X8NJ")
    assert players.find_name(SERVER) is None
    with players.claim(OFFLINE) as identity:
        identity.store_token("b" * 43)
        identity.set_player("Ada")
    assert players.find_name(SERVER) == "Ada"


def test_a_player_in_use_is_not_claimed_twice(two_players):
    with Identities(two_players).claim(SERVER, match="AAAAAA"):
        with Identities(two_players).claim(SERVER, match="AAAAAA") as other:
            assert not other.has_seat("AAAAAA")
        (held,) = [known for known in Identities(two_players).list_with_matches() if known.held]
        assert held.stored.find_match("AAAAAA")
    assert not any(known.held for known in Identities(two_players).list_with_matches())


def test_a_player_who_returns_to_a_match_keeps_the_name(two_players):
    with Identities(two_players).claim(SERVER, match="BBBBBB") as bob:
        bob.keep_name_if_seated("BBBBBB")
        assert bob.find_hello_name("Ada") is None
        bob.keep_name_if_seated("CCCCCC")
        assert bob.find_hello_name("Ada") == "Ada"
        assert bob.find_hello_name(None) is None


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff", b'{"server": 1}'])
def test_broken_files_are_ignored(two_players, content):
    for file in two_players.rglob("*-1.json"):
        file.write_bytes(content)
    assert [known.stored.name for known in Identities(two_players).list_with_matches()] == ["Bob"]
    with Identities(two_players).claim(SERVER, match="AAAAAA") as identity:
        assert identity.has_seat("BBBBBB")


def list_codes(identity: Identity) -> list[str]:
    return [match.code for match in identity.stored.matches]


def test_the_player_of_a_home_screen_can_be_claimed_and_keeps_the_matches_of_both():
    with identities().claim(SERVER) as first:
        first.store_token(TOKEN)
    with identities().connect_home(SERVER, None) as home:
        assert home is not None
        home.store_match(unfinished("AAAAAA"))
        with identities().claim(SERVER) as other:
            assert list_codes(other) == [], "a home screen writes nothing"
            other.store_match(unfinished("BBBBBB"))
        with identities().claim(SERVER, home=home) as claimed:
            assert claimed is home
            assert list_codes(claimed) == ["BBBBBB", "AAAAAA"]
            claimed.store_token(OTHER)
        home.store_match(unfinished("CCCCCC"))
    with identities().claim(SERVER) as later:
        assert (later.tokens, list_codes(later)) == ((OTHER, TOKEN), ["BBBBBB", "AAAAAA"])


def test_a_home_screen_takes_the_name_of_the_settings_and_only_a_registered_player():
    with identities().connect_home(SERVER, "Ada") as home:
        assert home is None
    with identities().claim(SERVER) as ada, identities().claim(SERVER) as bob:
        for identity, name, token in ((ada, "Ada", TOKEN), (bob, "Bob", OTHER)):
            identity.store_token(token)
            identity.set_player(name)
            identity.store_match(unfinished("AAAAAA", opponent="Eve"))
    for name, token in (("Ada", TOKEN), ("Bob", OTHER)):
        with identities().connect_home(SERVER, name) as home:
            assert home is not None
            assert home.tokens == (token,)


def test_a_claim_waits_for_a_client_that_tests_the_lock_of_a_player_without_matches(monkeypatch):
    monkeypatch.setattr(identities_module, "PROBE_LOCK_SECONDS", 20.0)
    with identities().claim(SERVER) as first:
        first.store_token(TOKEN)
    lock = acquire_lock(first.path or Path(), 0)
    assert lock is not None
    testing = threading.Timer(PROBE_LOCK_SECONDS, lock.__exit__, (None, None, None))
    testing.start()
    with identities().claim(SERVER) as again:
        assert again.tokens == (TOKEN,)
    testing.join()


async def test_a_claim_that_waits_for_locks_lets_the_event_loop_run(two_players):
    players, loop = Identities(two_players), asyncio.get_running_loop()
    with players.claim(SERVER), players.claim(SERVER):
        async with AsyncExitStack() as stack:
            claiming = asyncio.create_task(enter_in_thread(stack, players.claim(SERVER)))
            since, turns = loop.time(), 0
            while not claiming.done():
                await asyncio.sleep(0)
                turns += 1
            assert loop.time() - since > 2 * PROBE_LOCK_SECONDS
            assert turns > 2
            assert not claiming.result().tokens


async def test_a_claim_that_is_cancelled_holds_nothing(two_players):
    players = Identities(two_players)
    with players.claim(SERVER, match="AAAAAA"):
        async with AsyncExitStack() as stack:
            claim = players.claim(SERVER, match="AAAAAA")  # it waits for the first player
            claiming = asyncio.create_task(enter_in_thread(stack, claim))
            await asyncio.sleep(0)
            claiming.cancel()
            with pytest.raises(asyncio.CancelledError):
                await claiming
            assert [known.held for known in players.list_with_matches()].count(True) == 1


# The files of earlier clients, as commit b1545a57 wrote them.
OLD_FILES = {
    "identities/ws_games.example_8765-1.running": (
        '{"server":"ws://games.example:8765","name":"Ada","matches":[{"code":"AAAAAA",'
        '"rules":"classic","opponent":"Zoë","bot":false,"turn":"mine","guess":3,'
        '"since":1764000000.5,"away":null}]}'
    ),
    "identities/ws_games.example_8765-1.token": f"{'a' * 43}\n{'o' * 43}\n",
    "identities/ws_games.example_8765-2.running": (
        '{"server":"ws://games.example:8765","name":"Bob","matches":[{"code":"BBBBBB",'
        '"rules":"mini","opponent":"","bot":false,"turn":"nobody","guess":0,"since":0.0,'
        '"away":1764000001.0}]}'
    ),
    "identities/ws_games.example_8765-2.token": f"{'b' * 43}\ntransferred\n",
    "identities/ws_games.example_8765-3.token": f"{'e' * 43}\n",
    "offline/player.running": (
        '{"server":"","name":"guest-X8NJ","matches":[{"code":"CCCCCC","rules":"classic",'
        '"opponent":"hard","bot":true,"turn":"mine","guess":1,"since":1764000002.0,"away":null}]}'
    ),
    "offline/player.token": f"{'m' * 43}\n",
}


def test_the_files_of_earlier_clients_are_read_once_and_no_seat_is_lost(tmp_path):
    for name, text in OLD_FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    players = Identities(tmp_path)
    known = {identity.stored.name: identity.stored for identity in players.list_with_matches()}
    assert known["Ada"].matches == (
        unfinished("AAAAAA", opponent="Zoë", turn=WhoseTurn.MINE, guess=3, since=1764000000.5),
    )
    assert known["Bob"].matches == (UnfinishedMatch(code="BBBBBB", rules="mini", away=1764000001),)
    assert len(players.list_registered(SERVER)) == 3
    os.utime(tmp_path / "identities/ws_games.example_8765-2.running", (1, 1))

    with ExitStack() as terminals:
        claims = [players.claim(SERVER), players.claim(SERVER), players.claim(SERVER)]
        ada, bob, eve = map(terminals.enter_context, claims)
        offline = terminals.enter_context(players.claim(OFFLINE))
    assert ada.tokens == ("a" * 43, "o" * 43)
    assert (bob.tokens, bob.find_hello_name(None)) == (("b" * 43,), None)
    assert eve.tokens == ("e" * 43,)
    assert (offline.tokens, offline.has_seat("CCCCCC")) == (("m" * 43,), True)

    assert not [name for name in OLD_FILES if (tmp_path / name).exists()]
    again = {
        identity.stored.name: identity.stored.matches for identity in players.list_with_matches()
    }
    assert again == {name: stored.matches for name, stored in known.items()}
    tokens = {identity.tokens for identity in players.list_registered(SERVER)}
    assert tokens == {ada.tokens, bob.tokens, eve.tokens}
