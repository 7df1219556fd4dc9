from __future__ import annotations

import asyncio
import errno
import logging
import threading
from random import Random

import pytest

from kit.client import PeerStub, RawClient
from kit.faults import full_disk, no_descriptors_left
from kit.matches import SeededRandom, events_of, pegs, state_of
from mastermind_protocol.breaker import BreakerView
from mastermind_protocol.code import Code
from mastermind_protocol.commands import LeaveMatch
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import (
    AnyEvent,
    Finished,
    Forfeit,
    Guessed,
    Left,
    MatchEnd,
    RoundEnded,
    Seat,
    SecretSet,
)
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Happened
from mastermind_protocol.requests import Guess
from mastermind_protocol.rules import Rules
from mastermind_server import bots, tuning
from mastermind_server.bots import Bot
from mastermind_server.bots.consistent import Consistent
from mastermind_server.matches import bot_driver


def seat(monkeypatch: pytest.MonkeyPatch, bot: Bot) -> None:
    """Register a bot under its name."""
    monkeypatch.setattr(bots, "BOTS", {**bots.BOTS, bot.name: bot})


async def watch_to_the_end(wire: RawClient, match: str) -> list[AnyEvent]:
    """Return the events of a match up to its end."""
    events: list[AnyEvent] = []
    while wire.matches[match].phase is not Phase.FINISHED:
        events.extend((await wire.until(Happened)).events)
    return events


async def test_a_bot_breaks_a_persons_code(ada):
    match = (await ada.open(maker="me", breaker="knuth")).match
    await ada.set(match, "4132")
    ending = (await watch_to_the_end(ada, match))[-1]
    assert ending == Finished(how=MatchEnd.PLAYED, winner="bot-knuth-breaker")
    assert len(ada.matches[match].played[0].turns) <= 5


async def test_a_bots_seed_fixes_the_secret_that_a_person_breaks(ada):
    log = await ada.open(maker="random", breaker="me", rules="lab", seed=2024)
    dice = SeededRandom(2024)
    secret = "".join(str(dice.randint(0, 5) + 1) for _ in range(4))
    ended = await ada.guess(log.match, secret)
    assert ended.events[-1] == Finished(how=MatchEnd.PLAYED, winner=ada.id)


async def test_two_bots_play_with_the_secret_they_are_given(ada, eve):
    log = await ada.open(maker="random", breaker="knuth", secret=pegs("6126"), public=True)
    assert "5015" not in repr(log)
    await eve.follow(log.match)
    await watch_to_the_end(ada, log.match)
    seen = events_of(await eve.follow(log.match))
    (ended,) = [event for event in seen if isinstance(event, RoundEnded)]
    assert ended.code == pegs("6126")
    (hidden,) = [event for event in seen if isinstance(event, SecretSet)]
    assert hidden.code is None
    assert (await ada.refused(Guess, match=log.match, code=pegs("1111"))).code == (
        ErrorCode.NOT_SEATED
    )


async def test_two_bots_swap_roles(ada):
    log = await ada.open(maker="random", breaker="knuth", rules="2x3", rounds=2)
    await watch_to_the_end(ada, log.match)
    first, second = ada.matches[log.match].played
    assert (first.maker, second.maker) == ("bot-random-maker", "bot-knuth-breaker")


class Clumsy(Consistent):
    """A bot that fails."""

    name = "clumsy"

    def choose(self, view: BreakerView, random: Random) -> Code:
        del view, random
        raise RuntimeError("no idea")


class Cheat(Consistent):
    """A bot that answers with an invalid code."""

    name = "cheat"

    def choose(self, view: BreakerView, random: Random) -> Code:
        del view, random
        return (99,)


class Blank(Consistent):
    """A bot that fails as codemaker."""

    name = "blank"

    def make(self, rules: Rules, random: Random) -> Code:
        del rules, random
        raise RuntimeError("no idea")


@pytest.mark.parametrize(
    ("bot", "why"),
    [
        pytest.param(Clumsy(), Forfeit.FAILED, id="raises"),
        pytest.param(Cheat(), Forfeit.ILLEGAL, id="plays no code"),
    ],
)
async def test_a_bot_that_fails_forfeits_and_all_are_told_why(ada, monkeypatch, bot, why):
    seat(monkeypatch, bot)
    match = (await ada.open(maker="me", breaker=bot.name)).match
    await ada.set(match, "1234")
    left, ended, finished = await watch_to_the_end(ada, match)
    assert left == Left(player=f"bot-{bot.name}-breaker", why=why)
    assert isinstance(ended, RoundEnded)
    assert finished == Finished(how=MatchEnd.LEFT, winner=ada.id)


async def test_a_bot_that_fails_as_codemaker_forfeits(ada, monkeypatch, caplog):
    seat(monkeypatch, Blank())
    match = (await ada.open(maker="blank", breaker="me")).match
    finished = (await watch_to_the_end(ada, match))[-1]
    assert finished == Finished(how=MatchEnd.LEFT, winner=ada.id)
    (line,) = [record for record in caplog.records if record.name == bot_driver.__name__]
    assert line.getMessage() == f"match {match}: the bot blank failed and forfeits"


class Starved(Consistent):
    """A bot that first fails for lack of file descriptors."""

    name = "starved"

    def __init__(self) -> None:
        self.refused = 3

    def choose(self, view: BreakerView, random: Random) -> Code:
        if self.refused:
            self.refused -= 1
            raise OSError(errno.EMFILE, "Too many open files")
        return super().choose(view, random)


async def test_a_bot_waits_for_what_the_system_has_no_room_for(hall, ada, monkeypatch):
    hall.clock.let_go()  # it tries again at once
    seat(monkeypatch, Starved())
    match = (await ada.open(maker="me", breaker="starved")).match
    await ada.set(match, "1234")
    ending = (await watch_to_the_end(ada, match))[-1]
    assert ending == Finished(how=MatchEnd.PLAYED, winner="bot-starved-breaker")


class Thinker(Consistent):
    """A bot that does not answer until it may."""

    name = "thinker"

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.may = threading.Event()

    def choose(self, view: BreakerView, random: Random) -> Code:
        self.asked.set()
        self.may.wait(10)
        return super().choose(view, random)


async def test_a_bots_turn_that_a_restart_interrupted_is_played_after_it(hall, ada, monkeypatch):
    thinker = Thinker()
    seat(monkeypatch, thinker)
    match = (await ada.open(maker="me", breaker="thinker")).match
    await ada.set(match, "1234")
    await asyncio.to_thread(thinker.asked.wait, 10)
    await hall.restart()  # it is still thinking
    thinker.may.set()
    ada = await hall.again(ada)
    assert state_of(await ada.follow(match)).phase is Phase.BREAKING
    ending = (await watch_to_the_end(ada, match))[-1]
    assert ending == Finished(how=MatchEnd.PLAYED, winner="bot-thinker-breaker")


async def test_a_bots_move_that_could_not_be_saved_is_made_later(hall, ada, monkeypatch, caplog):
    hall.clock.let_go()  # it tries again at once
    thinker = Thinker()
    seat(monkeypatch, thinker)
    match = (await ada.open(maker="me", breaker="thinker")).match
    await ada.set(match, "1234")
    with full_disk():
        thinker.may.set()
        async with asyncio.timeout(10):
            while "a commit of 1 writes failed" not in caplog.text:
                await ada.settle()
    ending = (await watch_to_the_end(ada, match))[-1]
    assert ending == Finished(how=MatchEnd.PLAYED, winner="bot-thinker-breaker")


async def test_a_match_goes_on_while_a_bot_thinks(ada, bob, monkeypatch):
    thinker = Thinker()
    seat(monkeypatch, thinker)
    theirs = (await ada.open(maker="me", breaker="thinker")).match
    await ada.set(theirs, "1234")
    mine = (await bob.open(maker="knuth", breaker="me")).match
    assert (await bob.guess(mine, "1111")).v == 3
    left = await ada.leave(theirs)  # the bot's move is too late and dropped
    thinker.may.set()
    assert left.events[-1] == Finished(how=MatchEnd.LEFT, winner="bot-thinker-breaker")
    log = await bob.follow(theirs)
    assert [event for event in events_of(log) if isinstance(event, Guessed)] == []


async def test_a_bot_whose_move_comes_late_plays_no_more(hall, ada, monkeypatch):
    """As when another node has played the bot's turn: the version decides."""
    thinker = Thinker()
    seat(monkeypatch, thinker)
    match = (await ada.open(maker="me", breaker="thinker", rounds=2)).match
    await ada.set(match, "1234")
    async with hall.server.tables.at(match) as running:
        await running.perform(LeaveMatch(), "bot-thinker-breaker")
    thinker.may.set()
    assert (await watch_to_the_end(ada, match))[-1] == Finished(how=MatchEnd.LEFT, winner=ada.id)


async def test_a_table_is_in_memory_while_a_bot_is_at_work(idle_hall, monkeypatch):
    monkeypatch.setattr(tuning, "TABLES_KEPT", 0)
    await idle_hall.start()
    ada = await idle_hall.meet("Ada")
    thinker = Thinker()
    seat(monkeypatch, thinker)
    match = (await ada.open(maker="me", breaker="thinker")).match
    async with idle_hall.server.tables.at(match) as running:
        pass
    await ada.set(match, "1234")
    await ada.unfollow(match)
    async with idle_hall.server.tables.at(match) as still:
        assert still is running  # the bot is at work
    watcher = PeerStub(ada)
    await idle_hall.server.lobby.follow(watcher, 1, match, 0)
    thinker.may.set()
    await ada.follow(match)
    await watch_to_the_end(ada, match)
    await ada.unfollow(match)
    await idle_hall.server.lobby.unfollow(watcher, match)
    await ada.settle()
    async with idle_hall.server.tables.at(match) as loaded:
        assert loaded is not running
        assert loaded.log.state.in_seat(Seat.MAKER) == ada.player


async def rest(match: str) -> None:
    """Wait until no bot of the match is at work."""
    working = [task for task in asyncio.all_tasks() if task.get_name() == f"bots of {match}"]
    async with asyncio.timeout(10):
        await asyncio.gather(*working)


async def test_two_bots_wait_while_nobody_looks_on(hall, ada, eve, monkeypatch):
    thinker = Thinker()
    seat(monkeypatch, thinker)
    match = (await ada.open(maker="random", breaker="thinker", public=True)).match
    await asyncio.to_thread(thinker.asked.wait, 10)
    assert [listed.match for listed in (await eve.list("running")).matches] == [match]
    await ada.unfollow(match)
    thinker.may.set()
    async with hall.server.tables.at(match) as table:
        await rest(match)
        assert len(table.log.state.played) == 0
        assert table.log.version == 3  # opened, the secret, and the guess that was thought about
    assert (await eve.list("running")).matches == ()
    await eve.follow(match)
    assert isinstance((await watch_to_the_end(eve, match))[-1], Finished)


class Crowd(Consistent):
    """A bot that counts its concurrent calls."""

    name = "crowd"

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.thinking = 0
        self.most = 0

    def choose(self, view: BreakerView, random: Random) -> Code:
        with self.lock:
            self.thinking += 1
            self.most = max(self.most, self.thinking)
        code = super().choose(view, random)
        with self.lock:
            self.thinking -= 1
        return code


async def test_matches_of_two_bots_take_turns(ada, monkeypatch):
    crowd = Crowd()
    seat(monkeypatch, crowd)
    opened = [await ada.open(maker="random", breaker="crowd") for _ in range(5)]
    for log in opened:
        await watch_to_the_end(ada, log.match)
    assert crowd.most == 1


async def test_a_persons_bot_moves_while_those_of_a_show_think(ada, bob, monkeypatch):
    thinker = Thinker()
    seat(monkeypatch, thinker)
    await ada.open(maker="random", breaker="thinker")
    await ada.open(maker="random", breaker="thinker")
    mine = (await bob.open(maker="me", breaker="knuth")).match
    await bob.set(mine, "4132")
    assert isinstance((await watch_to_the_end(bob, mine))[-1], Finished)
    thinker.may.set()


async def test_a_bot_that_cannot_be_thought_for_waits_and_does_not_forfeit(hall, ada, caplog):
    caplog.set_level(logging.INFO)
    hall.clock.let_go()  # it tries again at once
    match = (await ada.open(maker="me", breaker="knuth", rules="5x8")).match
    with no_descriptors_left():  # a process is needed
        await ada.set(match, "12345")
        async with asyncio.timeout(10):
            while "a bot waits: the server cannot think" not in caplog.text:
                await ada.settle()
    assert Guessed in {type(event) for event in (await ada.until(Happened)).events}
    assert caplog.text.count("a bot waits") == 1
