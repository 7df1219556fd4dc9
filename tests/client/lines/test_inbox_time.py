"""Announcements of the own time, on a clock that only the test moves."""

from collections.abc import AsyncIterator, Callable

import pytest

from kit.clock import ManualClock
from kit.matches import ADA, BOB, NONCE, pegs
from kit.screen.scripted import ScriptedExchange, refuse_all
from kit.terminal_user import TerminalUser
from mastermind_client.lines.inbox import Inbox, TimeAnnouncer
from mastermind_client.network.identity import Identity
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.receiver import Receiver
from mastermind_client.network.session import Session
from mastermind_protocol.clock import SECOND
from mastermind_protocol.commands import Command, GuessCode, SetSecret
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import Joined, Opened, Seat
from mastermind_protocol.match import Match
from mastermind_protocol.messages import Row
from mastermind_protocol.transitions import Moment, decide, fold


class Timed:
    """A match of Ada, the codemaker, and Bob, whose time is that of a clock."""

    def __init__(self, desk: TerminalUser, clock: str) -> None:
        self.desk, self.clock = desk, ManualClock()
        self.began = self.clock.now()
        self.mirror = Mirror("ABC234", now=self.clock.now)
        session = Session(Receiver("ws://h", Identity()), ScriptedExchange(refuse_all))
        self.inbox = Inbox(session, desk.terminal, 0.0, self.clock)
        opened = Opened(rules="classic", rounds=1, clock=clock)
        seats = (Joined(player=ADA, seat=Seat.MAKER), Joined(player=BOB, seat=Seat.BREAKER))
        self.match: Match = fold((opened, *seats))
        self.mirror.apply(Row(1, (opened, *seats)))
        self.announcer = TimeAnnouncer(self.inbox, lambda: self.mirror, BOB.id)
        self.announcer.restart()

    def do(self, by: str, command: Command) -> None:
        at = round((self.clock.now() - self.began) * SECOND)
        decision = decide(self.match, command, by, Moment(at))
        assert not isinstance(decision, Refused)
        self.match = decision.after
        self.mirror.apply(Row(self.mirror.version + 1, decision.events, at))
        self.announcer.restart()

    def wait(self, seconds: float) -> list[str]:
        """Let time pass, and return the lines printed meanwhile."""
        before = len(self.desk.shown)
        self.clock.skip(seconds)
        return self.desk.shown[before:].splitlines()


@pytest.fixture
async def sit(desk: TerminalUser) -> AsyncIterator[Callable[[str], Timed]]:
    sat: list[Timed] = []

    def begin(clock: str) -> Timed:
        sat.append(Timed(desk, clock))
        return sat[-1]

    yield begin
    for timed in sat:
        timed.announcer.close()
        timed.inbox.close()


async def test_each_threshold_is_announced_once(sit):
    timed = sit("2+0")
    assert timed.wait(15) == []  # Ada's time
    timed.do("ADA", SetSecret(pegs("1234"), NONCE))
    assert timed.wait(59) == []
    assert timed.wait(2) == ["You have 1 minute left."]
    assert timed.wait(60) == ["You have 30 seconds left.", "You have 10 seconds left."]
    assert not timed.clock.pending


async def test_an_increment_repeats_no_announcement(sit):
    timed = sit("1+5")
    timed.do("ADA", SetSecret(pegs("1234"), NONCE))
    assert timed.wait(31) == ["You have 30 seconds left."]
    timed.do("BOB", GuessCode(pegs("1122")))
    assert timed.wait(20) == []  # 34 seconds were left
    assert timed.wait(5) == ["You have 10 seconds left."]


async def test_each_guess_with_its_own_time_is_announced(sit):
    timed = sit("60/move")
    timed.do("ADA", SetSecret(pegs("1234"), NONCE))
    for _guess in range(2):
        assert timed.wait(31) == ["You have 30 seconds left."]
        timed.do("BOB", GuessCode(pegs("1122")))


async def test_days_are_not_announced(sit):
    timed = sit("1d/move")
    timed.do("ADA", SetSecret(pegs("1234"), NONCE))
    assert timed.wait(86_400) == []


async def test_a_closed_announcer_prints_nothing(sit):
    timed = sit("1+0")
    timed.do("ADA", SetSecret(pegs("1234"), NONCE))
    timed.announcer.close()
    assert timed.wait(60) == []
