from __future__ import annotations

import asyncio
import errno
import logging
import threading
from random import Random

import pytest

from kit.client import PeerStub
from kit.faults import full_disk, no_descriptors_left
from kit.matches import SeededRandom, events_of, pegs, state_of
from mastermind_protocol.code import Code
from mastermind_protocol.commands import LeaveMatch
from mastermind_protocol.errors import ErrorCode
from mastermind_protocol.events import (
    Finished,
    Forfeit,
    Guessed,
    Left,
    MatchEnd,
    RoundEnded,
    Seat,
    SecretSet,
)
from mastermind_protocol.match import BreakerView, Phase
from mastermind_protocol.messages import Happened
from mastermind_protocol.requests import Follow, Guess
from mastermind_protocol.rules import Rules
from mastermind_server.bots.consistent import ConsistentBot
from mastermind_server.matches import bot_driver
from server.matches.bots import SECRET, Thinker, register, watch_to_the_end


@pytest.fixture
def thinker(monkeypatch):
    """A registered bot that answers when it may."""
    thinker = Thinker()
    register(monkeypatch, thinker)
    return thinker


async def test_a_seed_fixes_the_secret_of_a_bot(ada):
    log = await ada.open(maker="random", breaker="me", rules="lab", seed=2024)
    dice = SeededRandom(2024)
    secret = "".join(str(dice.randint(0, 5) + 1) for _ in range(4))
    ended = await ada.guess(log.match, secret)
    assert ended.events[-1] == Finished(how=MatchEnd.PLAYED, winner=ada.id)


async def test_two_bots_play_with_a_given_secret(ada, eve):
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


class Broken(ConsistentBot):
    """A bot that fails as codemaker, and as codebreaker unless it has an answer."""

    def __init__(self, name: str, answer: Code | None = None) -> None:
        self.name = name
        self._answer = answer

    def choose(self, view: BreakerView, random: Random) -> Code:
        del view, random
        if self._answer is None:
            raise RuntimeError("no idea")
        return self._answer

    def hide(self, rules: Rules, random: Random) -> Code:
        del rules, random
        raise RuntimeError("no idea")


@pytest.mark.parametrize(
    ("bot", "why"),
    [(Broken("clumsy"), Forfeit.FAILED), (Broken("cheat", (99,)), Forfeit.ILLEGAL)],
    ids=["raises", "plays no code"],
)
async def test_a_bot_that_fails_forfeits_with_its_reason(ada, monkeypatch, bot, why):
    register(monkeypatch, bot)
    match = (await ada.open(maker="me", breaker=bot.name)).match
    await ada.set(match, "1234")
    left, ended, finished = await watch_to_the_end(ada, match)
    assert left == Left(player=f"bot-{bot.name}-breaker", why=why)
    assert isinstance(ended, RoundEnded)
    assert finished == Finished(how=MatchEnd.LEFT, winner=ada.id)


async def test_a_bot_that_fails_as_codemaker_forfeits(ada, monkeypatch, caplog):
    register(monkeypatch, Broken("blank"))
    match = (await ada.open(maker="blank", breaker="me")).match
    finished = (await watch_to_the_end(ada, match))[-1]
    assert finished == Finished(how=MatchEnd.LEFT, winner=ada.id)
    (line,) = [record for record in caplog.records if record.name == bot_driver.__name__]
    assert line.getMessage() == f"match {match}: the bot blank failed and forfeits"


class Starved(ConsistentBot):
    """A bot that first fails for lack of file descriptors."""

    name = "starved"

    def __init__(self) -> None:
        self.refused = 3

    def choose(self, view: BreakerView, random: Random) -> Code:
        if self.refused:
            self.refused -= 1
            raise OSError(errno.EMFILE, "Too many open files")
        return super().choose(view, random)


async def test_a_bot_repeats_a_move_that_failed_for_lack_of_descriptors(hall, ada, monkeypatch):
    hall.clock.run_all_timers()  # it tries again at once
    register(monkeypatch, Starved())
    match = (await ada.open(maker="me", breaker="starved")).match
    await ada.set(match, "1234")
    ending = (await watch_to_the_end(ada, match))[-1]
    assert ending == Finished(how=MatchEnd.PLAYED, winner="bot-starved-breaker")


async def test_an_interrupted_turn_of_a_bot_is_played_after_a_restart(hall, ada, thinker):
    match = (await ada.open(maker="me", breaker="thinker")).match
    await ada.set(match, "1234")
    await thinker.asked()
    await hall.restart()  # it is still thinking
    thinker.may.set()
    ada = await hall.connect_again(ada)
    assert state_of(await ada.follow(match)).phase is Phase.BREAKING
    ending = (await watch_to_the_end(ada, match))[-1]
    assert ending == Finished(how=MatchEnd.PLAYED, winner="bot-thinker-breaker")


async def test_a_move_of_a_bot_that_could_not_be_saved_is_repeated(hall, ada, thinker, caplog):
    hall.clock.run_all_timers()  # it tries again at once
    match = (await ada.open(maker="me", breaker="thinker")).match
    await ada.set(match, "1234")
    with full_disk():
        thinker.may.set()
        async with asyncio.timeout(10):
            while "store-writer: a group of 1 failed" not in caplog.text:
                await ada.settle()
    ending = (await watch_to_the_end(ada, match))[-1]
    assert ending == Finished(how=MatchEnd.PLAYED, winner="bot-thinker-breaker")


async def test_other_matches_continue_while_a_bot_thinks(ada, bob, thinker):
    theirs = (await ada.open(maker="me", breaker="thinker")).match
    await ada.set(theirs, "1234")
    mine = (await bob.open(maker="knuth", breaker="me")).match
    assert (await bob.guess(mine, "1111")).v == 3
    left = await ada.leave(theirs)  # the bot's move is too late and dropped
    thinker.may.set()
    assert left.events[-1] == Finished(how=MatchEnd.LEFT, winner="bot-thinker-breaker")
    log = await bob.follow(theirs)
    assert [event for event in events_of(log) if isinstance(event, Guessed)] == []


async def test_a_late_move_of_a_bot_is_dropped(hall, ada, thinker):
    """As when another node has played the bot's turn: the version decides."""
    match = (await ada.open(maker="me", breaker="thinker", rounds=2)).match
    await ada.set(match, "1234")
    async with hall.server.tables.use(match) as running:
        await running.perform(LeaveMatch(), "bot-thinker-breaker")
    thinker.may.set()
    assert (await watch_to_the_end(ada, match))[-1] == Finished(how=MatchEnd.LEFT, winner=ada.id)


async def test_a_table_stays_in_memory_while_a_bot_plays(idle_hall, monkeypatch, thinker):
    monkeypatch.setattr("mastermind_server.matches.tables.tables.TABLES_KEPT", 0)
    await idle_hall.start()
    ada = await idle_hall.meet("Ada")
    match = (await ada.open(maker="me", breaker="thinker")).match
    async with idle_hall.server.tables.use(match) as running:
        pass
    await ada.set(match, "1234")
    await ada.unfollow(match)
    async with idle_hall.server.tables.use(match) as still:
        assert still is running  # the bot is at work
    watcher = PeerStub(ada)
    await idle_hall.server.lobby.follow(watcher.call(Follow(id=1, match=match, v=0)))
    thinker.may.set()
    await ada.follow(match)
    await watch_to_the_end(ada, match)
    await ada.unfollow(match)
    idle_hall.server.lobby.unfollow(watcher, match)
    await ada.settle()
    async with idle_hall.server.tables.use(match) as loaded:
        assert loaded is not running
        assert loaded.log.state.in_seat(Seat.MAKER) == ada.player


async def rest(match: str) -> None:
    """Wait until no bot of the match is at work."""
    working = [task for task in asyncio.all_tasks() if task.get_name() == f"bots of {match}"]
    async with asyncio.timeout(10):
        await asyncio.gather(*working)


async def test_two_bots_pause_without_followers(hall, ada, eve, thinker):
    match = (await ada.open(maker="random", breaker="thinker", secret=SECRET, public=True)).match
    await thinker.asked()
    assert [listed.match for listed in (await eve.list("running")).matches] == [match]
    await ada.unfollow(match)
    thinker.may.set()
    async with hall.server.tables.use(match) as table:
        await rest(match)
        assert len(table.log.state.played) == 0
        assert table.log.version == 3  # opened, the secret, and the guess that was thought about
    assert (await eve.list("running")).matches == ()
    await eve.follow(match)
    assert isinstance((await watch_to_the_end(eve, match))[-1], Finished)


class Crowd(ConsistentBot):
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


async def test_matches_of_two_bots_are_played_one_move_at_a_time(ada, monkeypatch):
    crowd = Crowd()
    register(monkeypatch, crowd)
    opened = [await ada.open(maker="random", breaker="crowd") for _ in range(5)]
    for log in opened:
        await watch_to_the_end(ada, log.match)
    assert crowd.most == 1


async def test_a_bot_of_a_person_does_not_wait_for_matches_of_bots(ada, bob, thinker):
    await ada.open(maker="random", breaker="thinker", secret=SECRET)
    await ada.open(maker="random", breaker="thinker", secret=SECRET)
    mine = (await bob.open(maker="me", breaker="knuth")).match
    await bob.set(mine, "4132")
    assert isinstance((await watch_to_the_end(bob, mine))[-1], Finished)
    thinker.may.set()


async def test_a_bot_without_a_worker_process_waits_and_does_not_forfeit(hall, ada, caplog):
    caplog.set_level(logging.INFO)
    hall.clock.run_all_timers()  # it tries again at once
    match = (await ada.open(maker="me", breaker="knuth", rules="5x8")).match
    with no_descriptors_left():  # a process is needed
        await ada.set(match, "12345")
        async with asyncio.timeout(10):
            while "a bot waits: the server cannot compute" not in caplog.text:
                await ada.settle()
    assert Guessed in {type(event) for event in (await ada.until(Happened)).events}
    assert caplog.text.count("a bot waits") == 1
