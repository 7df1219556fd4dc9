from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import pytest

from mastermind_protocol.commands import Leave as LeaveCommand
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
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Guess, Happened
from mastermind_server import bots, table
from mastermind_server.bots.consistent import Consistent
from wire import Dice, Insider, Wire, events_of, full_disk, pegs, state_of

if TYPE_CHECKING:
    from random import Random

    from mastermind_protocol.breaker import BreakerView
    from mastermind_protocol.code import Code
    from mastermind_protocol.events import AnyEvent
    from mastermind_protocol.rules import Rules
    from mastermind_server.bots import Bot
    from wire import Hall


def seat(monkeypatch: pytest.MonkeyPatch, bot: Bot) -> None:
    """Let a bot take part under its name."""
    monkeypatch.setattr(bots, "BOTS", {**bots.BOTS, bot.name: bot})


async def watch_to_the_end(wire: Wire, match: str) -> list[AnyEvent]:
    """Return what happens in a match from now on, until it is over."""
    events: list[AnyEvent] = []
    while wire.matches[match].phase is not Phase.FINISHED:
        events.extend((await wire.until(Happened)).events)
    return events


async def test_a_bot_breaks_a_persons_code(ada: Wire) -> None:
    match = (await ada.open(maker="me", breaker="knuth")).match
    await ada.set(match, "3021")
    ending = (await watch_to_the_end(ada, match))[-1]
    assert ending == Finished(how=MatchEnd.PLAYED, winner="bot-knuth-breaker")
    assert len(ada.matches[match].played[0].turns) <= 5


async def test_a_bots_seed_fixes_the_secret_that_a_person_breaks(ada: Wire) -> None:
    log = await ada.open(maker="random", breaker="me", rules="lab", seed=2024)
    dice = Dice(2024)
    secret = "".join(str(dice.randint(0, 5)) for _ in range(4))
    ended = await ada.guess(log.match, secret)
    assert ended.events[-1] == Finished(how=MatchEnd.PLAYED, winner=ada.id)


async def test_two_bots_play_with_the_secret_they_are_given(ada: Wire, eve: Wire) -> None:
    log = await ada.open(maker="random", breaker="knuth", secret=pegs("5015"), public=True)
    assert "5015" not in repr(log)
    await eve.follow(log.match)
    await watch_to_the_end(ada, log.match)
    seen = events_of(await eve.follow(log.match))
    (ended,) = [event for event in seen if isinstance(event, RoundEnded)]
    assert ended.code == pegs("5015")
    (hidden,) = [event for event in seen if isinstance(event, SecretSet)]
    assert hidden.code is None
    assert (await ada.refused(Guess, match=log.match, code=pegs("0000"))).code == (
        ErrorCode.NOT_SEATED
    )


async def test_two_bots_swap_roles(ada: Wire) -> None:
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
    """A bot that answers with what is no code."""

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
async def test_a_bot_that_fails_forfeits_and_all_are_told_why(
    ada: Wire, monkeypatch: pytest.MonkeyPatch, bot: Bot, why: Forfeit
) -> None:
    seat(monkeypatch, bot)
    match = (await ada.open(maker="me", breaker=bot.name)).match
    await ada.set(match, "0123")
    left, ended, finished = await watch_to_the_end(ada, match)
    assert left == Left(player=f"bot-{bot.name}-breaker", why=why)
    assert isinstance(ended, RoundEnded)
    assert finished == Finished(how=MatchEnd.LEFT, winner=ada.id)


async def test_a_bot_that_fails_as_codemaker_forfeits(
    ada: Wire, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    seat(monkeypatch, Blank())
    match = (await ada.open(maker="blank", breaker="me")).match
    finished = (await watch_to_the_end(ada, match))[-1]
    assert finished == Finished(how=MatchEnd.LEFT, winner=ada.id)
    (line,) = [record for record in caplog.records if record.name == table.__name__]
    assert line.getMessage() == f"match {match}: the bot blank failed and forfeits"


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


async def test_a_bots_turn_that_a_restart_interrupted_is_played_after_it(
    hall: Hall, ada: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    thinker = Thinker()
    seat(monkeypatch, thinker)
    match = (await ada.open(maker="me", breaker="thinker")).match
    await ada.set(match, "0123")
    await asyncio.to_thread(thinker.asked.wait, 10)
    await hall.restart()  # it is still thinking
    thinker.may.set()
    ada = await hall.again(ada)
    assert state_of(await ada.follow(match)).phase is Phase.BREAKING
    ending = (await watch_to_the_end(ada, match))[-1]
    assert ending == Finished(how=MatchEnd.PLAYED, winner="bot-thinker-breaker")


async def test_a_bots_move_that_could_not_be_saved_is_made_later(
    ada: Wire, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(table, "_RETRY_SECONDS", 0.01)
    thinker = Thinker()
    seat(monkeypatch, thinker)
    match = (await ada.open(maker="me", breaker="thinker")).match
    await ada.set(match, "0123")
    with full_disk():
        thinker.may.set()
        async with asyncio.timeout(10):
            while "a commit of 1 writes failed" not in caplog.text:
                await ada.settle()
    ending = (await watch_to_the_end(ada, match))[-1]
    assert ending == Finished(how=MatchEnd.PLAYED, winner="bot-thinker-breaker")


async def test_a_match_goes_on_while_a_bot_thinks(
    ada: Wire, bob: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    thinker = Thinker()
    seat(monkeypatch, thinker)
    theirs = (await ada.open(maker="me", breaker="thinker")).match
    await ada.set(theirs, "0123")
    mine = (await bob.open(maker="knuth", breaker="me")).match
    assert (await bob.guess(mine, "0000")).v == 3
    left = await ada.leave(theirs)  # the bot's move comes too late and is dropped
    thinker.may.set()
    assert left.events[-1] == Finished(how=MatchEnd.LEFT, winner="bot-thinker-breaker")
    log = await bob.follow(theirs)
    assert [event for event in events_of(log) if isinstance(event, Guessed)] == []


async def test_a_bot_whose_move_comes_late_plays_no_more(
    hall: Hall, ada: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when another node has played the bot's turn: the version decides."""
    thinker = Thinker()
    seat(monkeypatch, thinker)
    match = (await ada.open(maker="me", breaker="thinker", rounds=2)).match
    await ada.set(match, "0123")
    async with hall.lobby.at(match) as running:
        await running.command(LeaveCommand(), "bot-thinker-breaker")
    thinker.may.set()
    assert (await watch_to_the_end(ada, match))[-1] == Finished(how=MatchEnd.LEFT, winner=ada.id)


async def test_a_table_is_dropped_when_nobody_follows_and_no_bot_is_at_work(
    hall: Hall, ada: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    thinker = Thinker()
    seat(monkeypatch, thinker)
    match = (await ada.open(maker="me", breaker="thinker")).match
    async with hall.lobby.at(match) as running:
        assert not running.idle
    await ada.set(match, "0123")
    await ada.unfollow(match)
    async with hall.lobby.at(match) as still:
        assert still is running  # the bot is at work
    watcher = Insider(ada)
    await hall.lobby.follow(watcher, 1, match, 0)
    thinker.may.set()
    await ada.follow(match)
    await watch_to_the_end(ada, match)
    await ada.unfollow(match)
    await hall.lobby.unfollow(watcher, match)
    await ada.settle()
    async with hall.lobby.at(match) as loaded:
        assert loaded is not running
        assert loaded.state.in_seat(Seat.MAKER) == ada.player
