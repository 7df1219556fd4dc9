import asyncio

import pytest

from kit.people import People, SessionClient, sit_down
from kit.players import identities
from kit.screen.seats import match_of, sit, until_guess
from kit.screen.slate import Slate
from kit.screen.stage import Stage, stage
from mastermind_client.config.options import OFFLINE, PlayOptions
from mastermind_client.config.settings import Settings
from mastermind_client.messages.listings import describe_standing, format_opponent_or_invitation
from mastermind_client.network.embedded import GAMES_FILE
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.players.identities import OFFLINE_FOLDER
from mastermind_client.network.players.identity import Identity
from mastermind_client.screen.pages.home import HomeScreen
from mastermind_client.screen.pages.matches.player import PlayerScreen
from mastermind_client.screen.servers import running
from mastermind_protocol.requests import Hello, ListOwn
from mastermind_protocol.rules import DEFAULT

BELL = "\x07"


async def suspend_match(people: People, address: str, bob: SessionClient) -> tuple[Mirror, str]:
    """Join Bob's match as a player whose terminal then closes; return Bob's match and our id."""
    with identities().claim(address) as identity:
        ada = await people.meet("Ada", address, identity)
        ours, theirs = await sit_down(ada, bob, rounds=2)
        await ada.set(ours, "1234")
        await bob.wait_for_turn(theirs)
        return theirs, ada.id


def lines(shown: Stage) -> list[str]:
    return [
        f"{format_opponent_or_invitation(seat.match)} "
        f"{describe_standing(seat.match) if seat.from_server else 'is unreachable'}"
        for seat in shown.app.running_matches.seats
    ]


async def test_suspended_matches_are_listed_at_once_and_refreshed(people, server, bob, monkeypatch):
    monkeypatch.setattr(running, "REFRESH_SECONDS", 0.01)
    theirs, me = await suspend_match(people, server.address, bob)
    async with stage(opening=Slate) as shown:
        shown.app.running_matches.begin()
        assert lines(shown) == ["Bob their turn"]
        await bob.session.leave(theirs)
        await shown.until(lambda: lines(shown) == [])
        assert me


async def test_a_player_who_cannot_be_read_does_not_end_the_client(
    people, server, bob, monkeypatch
):
    monkeypatch.setattr(running, "REFRESH_SECONDS", 0.01)
    theirs, _me = await suspend_match(people, server.address, bob)
    usual = "ws://games.example"
    with identities().claim(usual) as unused:
        assert unused.path is not None
        unused.path.symlink_to("/proc/self/mem")  # it is a file, and reading it fails
    async with stage(settings=Settings(server=usual), opening=Slate) as shown:
        shown.app.running_matches.begin()
        await bob.session.leave(theirs)
        await shown.until(lambda: lines(shown) == [])


async def test_home_resumes_a_match_without_its_code(people, server, bob):
    theirs, me = await suspend_match(people, server.address, bob)
    async with stage(opening=HomeScreen) as shown:
        (seat,) = shown.app.running_matches.seats
        assert (seat.match.code, seat.match.guess) == (theirs.code, 1)
        shown.press("c")
        await shown.wait_for_screen(PlayerScreen)
        assert match_of(shown).server.me == me
        shown.press("f10")
        await shown.ended()
        (told,) = shown.app.farewell
        assert told.startswith(f"Saved for later: Bob, {theirs.code}, their turn. Continue: ")


async def test_only_a_match_whose_files_are_still_there_is_said_to_be_saved():
    async with stage(opening=HomeScreen) as shown:
        shown.app.go(PlayOptions(DEFAULT, versus="random", settled=True))
        await shown.wait_for_screen(PlayerScreen)
        (shown.app.context.folder / OFFLINE_FOLDER / GAMES_FILE).unlink()
        shown.press("f10")
        await shown.ended()
        (told,) = shown.app.farewell
        assert told.startswith("Not saved, because its files have been removed: random, ")


async def test_a_move_in_another_match_is_announced_on_every_screen(
    people, server, bob, monkeypatch
):
    monkeypatch.setattr(running, "REFRESH_SECONDS", 0.01)
    theirs, _me = await suspend_match(people, server.address, bob)
    async with stage(opening=HomeScreen) as shown:
        await shown.until(lambda: lines(shown) == ["Bob their turn"])
        shown.app.open(Slate(shown.app))
        rung = shown.glass.written.count(BELL)

        await bob.guess(theirs, "1234")
        await bob.set(theirs, "4321")

        await shown.until(f"Bob, {theirs.code}, your turn: continue from the home screen.")
        assert shown.glass.written.count(BELL) > rung


async def test_the_displayed_match_is_not_announced(online):
    ada, bob = await online.pair()
    ada.type("1234")
    ada.press("enter")
    await until_guess(bob, 1)
    assert "continue from the home screen" not in bob.text()


@pytest.mark.parametrize("usual", [False, True])
async def test_an_unreachable_server_is_shown_without_an_error(people, server, bob, usual):
    await suspend_match(people, server.address, bob)
    await people.close_all()
    await server.stop()
    settings = Settings(server=server.address) if usual else Settings()
    async with stage(settings=settings, opening=HomeScreen) as shown:
        await shown.until(lambda: lines(shown) == ["Bob is unreachable"])
        assert not shown.app.running_matches.seats[0].from_server
        assert "cannot reach" not in shown.text()


async def test_home_queries_its_matches_in_its_session(relay, people, bob, monkeypatch):
    monkeypatch.setattr(running, "REFRESH_SECONDS", 0.01)
    theirs, me = await suspend_match(people, relay.address, bob)
    relay.sent.clear()
    async with stage(settings=Settings(server=relay.address)) as shown:
        await shown.until(lambda: [*map(type, relay.asked)].count(ListOwn) > 1)
        assert lines(shown) == ["Bob their turn"]
        (home,) = shown.app.open_servers
        await bob.session.leave(theirs)
        await shown.until(lambda: lines(shown) == [])
        (known,) = identities().list_registered(relay.address)
        await shown.until(lambda: Identity(known.path).stored.matches == ())
        assert sum(isinstance(request, Hello) for request in relay.sent) == 1
        assert (home.me, home.idle) == (me, True)


async def test_the_home_of_a_second_terminal_shows_what_is_stored_and_connects_nothing(
    relay, people, bob, monkeypatch
):
    monkeypatch.setattr(running, "REFRESH_SECONDS", 0.01)
    theirs, _me = await suspend_match(people, relay.address, bob)
    with identities().connect_home(relay.address, None) as first:
        assert first is not None
        relay.sent.clear()
        async with stage(settings=Settings(server=relay.address)) as shown:
            polled = asyncio.Event()
            monkeypatch.setattr(shown.app.running_matches, "notify_of_turns", polled.set)
            await polled.wait()
            assert lines(shown) == ["Bob their turn"]
            await bob.session.leave(theirs)
            first.replace_matches(())
            await asyncio.to_thread(first.write_unless_locked)
            await shown.until(lambda: lines(shown) == [])
            assert not {Hello, ListOwn} & {*map(type, relay.sent)}


async def test_home_is_quiet_about_its_lost_server(relay, people, bob, monkeypatch):
    monkeypatch.setattr(running, "REFRESH_SECONDS", 0.01)
    await suspend_match(people, relay.address, bob)
    async with stage(settings=Settings(server=relay.address)) as shown:
        await shown.until(lambda: bool(shown.app.open_servers))
        relay.reject_connections(503)
        relay.cut()
        await shown.until("the server does not answer")
        assert shown.app.open_servers[0].connection.lost is not None
        assert "Connection lost" not in shown.text()
        shown.press("f10")
        await shown.ended()
        assert shown.app.farewell == []


async def test_home_says_that_the_server_rejects_the_player(server):
    with identities().claim(server.address) as identity:
        identity.store_token("t" * 43)
    async with stage(settings=Settings(server=server.address)) as shown:
        await shown.until(f"You are not connected to {server.address}: ")
        assert "the server does not know you." in " ".join(shown.text().split())


async def test_a_server_that_does_not_answer_delays_no_other(
    people, server, bob, online, monkeypatch
):
    monkeypatch.setattr(running, "ANSWER_TIMEOUT_SECONDS", 0.01)
    monkeypatch.setattr(running, "REFRESH_SECONDS", 0.01)
    relay = await people.relay()
    theirs, _me = await suspend_match(people, server.address, bob)
    shown, place = await online.app(address=relay.address)
    relay.answer(ListOwn, lambda _request: None)
    shown.app.running_matches.begin()
    assert lines(shown) == ["Bob their turn"]

    await bob.session.leave(theirs)

    await shown.until(lambda: lines(shown) == [])
    assert any(isinstance(request, ListOwn) for request in relay.asked)
    assert place.session.connected


async def test_a_friend_who_accepts_an_invitation_is_announced(online, people):
    shown, place = await online.app()
    mirror = await place.session.open("classic", maker="me", breaker="open")
    await shown.until(lambda: lines(shown) == ["An invitation waiting for a friend"])
    rung = shown.glass.written.count(BELL)
    bob = await people.meet("Bob")
    await bob.session.join(mirror.code)
    await shown.until(f"Bob, {mirror.code}, your turn: continue from the home screen.")
    assert shown.glass.written.count(BELL) > rung


async def test_a_match_with_a_bot_can_be_resumed(offline):
    shown, place = await offline.app()
    mirror = await place.session.open("classic", maker="random", breaker="me", seed=7)
    sit(shown, place, mirror)
    await until_guess(shown, 1)
    shown.press("f10")
    await shown.ended()

    async with stage(opening=HomeScreen) as again:
        assert lines(again) == ["random your turn"]
        again.press("c")
        await until_guess(again, 1)
        assert match_of(again).mirror.code == mirror.code
        assert match_of(again).server.address == OFFLINE


async def test_home_lists_a_match_that_another_program_keeps(offline, monkeypatch):
    monkeypatch.setattr(running, "REFRESH_SECONDS", 0.01)
    async with stage(opening=HomeScreen) as home:
        other = await offline.against()
        other.type("RRGG")
        other.press("enter")
        await until_guess(other, 2)
        assert lines(home) == []  # the other program plays it
        other.press("f10")
        await home.until("your turn · classic · guess 2")


async def test_home_lists_a_match_of_another_program_at_once_when_it_is_shown(offline):
    async with stage(opening=HomeScreen) as home:
        other = await offline.against()
        other.press("f10")
        await other.ended()
        home.app.open(Slate(home.app))
        home.app.back()
        await home.until("your turn · classic · guess 1")


async def test_matches_with_the_players_turn_come_first_and_then_the_newest(online):
    shown, place = await online.app()
    opened = [
        await place.session.open("classic", maker=maker, breaker=breaker)
        for maker, breaker in (("me", "open"), ("random", "me"), ("me", "open"))
    ]
    codes = [seat.match.code for seat in shown.app.running_matches.seats]
    assert codes == [opened[1].code, opened[2].code, opened[0].code]


async def test_a_lost_server_is_shown(online, server):
    shown, place = await online.app()
    await place.session.open("classic", maker="me", breaker="open")
    await shown.until(lambda: lines(shown) == ["An invitation waiting for a friend"])
    await server.stop()
    await shown.until(lambda: lines(shown) == ["An invitation is unreachable"])
