import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from kit.clock import ManualClock
from kit.matches import ADA, BOB, NONCE, pegs
from kit.people import PATIENCE, sit_down, unreachable
from kit.screen.scripted import ScriptedExchange, refuse_all
from kit.terminal_user import TerminalUser
from mastermind_client.lines.inbox import Inbox, TimeAnnouncer
from mastermind_client.lines.terminal import InputEnded
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.receiver import Receiver
from mastermind_client.network.session import Session
from mastermind_client.network.updates import ConnectionLost, Moved, Reconnecting, Update
from mastermind_protocol.clock import SECOND
from mastermind_protocol.commands import Command, GuessCode, SetSecret
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import Joined, Opened, Seat
from mastermind_protocol.match import Match
from mastermind_protocol.messages import Row
from mastermind_protocol.transitions import Moment, decide, fold


@pytest.fixture
async def inbox(bob, desk):
    """The inbox of Bob's session at his desk."""
    with Inbox.open(bob.session, desk.terminal) as inbox:
        yield inbox


async def test_updates_are_read_before_typed_lines(bob, desk, inbox):
    told: list[Update] = []
    desk.type("1122")
    async with asyncio.timeout(PATIENCE):
        await desk.terminal.activity.wait()
        await bob.session.open("classic", maker="me", breaker="open")
        with inbox.subscribed(told.append):
            assert await inbox.next() is None
            assert [type(update) for update in told] == [Moved]
            assert await inbox.next() == "1122"


async def test_earlier_updates_are_delivered_to_a_new_subscriber(ada, bob, inbox):
    await sit_down(bob, ada)
    await bob.session.list_matches("waiting")
    told: list[Update] = []
    with inbox.subscribed(told.append):
        assert [type(update) for update in told] == [Moved, Moved]


async def test_lines_wait_until_they_are_requested(ada, bob, desk, inbox):
    desk.type("1122")
    desk.end_input()
    waiting = asyncio.create_task(inbox.next(lines=False))
    await sit_down(bob, ada)
    async with asyncio.timeout(PATIENCE):
        assert await waiting is None
        assert await inbox.read_line() == "1122"
        with pytest.raises(InputEnded):
            await inbox.read_line()


async def test_the_end_of_the_session_is_raised_after_the_last_update(bob, inbox, relay):
    told: list[Update] = []
    await bob.session.open("classic", maker="me", breaker="open")
    await relay.close(1008, "abuse")
    async with asyncio.timeout(PATIENCE):
        with inbox.subscribed(told.append), unreachable("abuse"):
            await inbox.read_line()
    assert [type(update) for update in told] == [Moved]


async def test_updates_are_delivered_during_a_request(bob, inbox, relay):
    told: list[Update] = []

    def tell(update: Update) -> None:
        told.append(update)
        if isinstance(update, Reconnecting):
            relay.release()  # the answer can arrive only after this

    relay.hold()
    relay.cut()
    async with asyncio.timeout(PATIENCE):
        with inbox.subscribed(tell):
            assert await bob.session.list_matches("waiting") == ()
    assert [type(update) for update in told][:2] == [ConnectionLost, Reconnecting]


async def test_a_subscribers_exception_is_raised(bob, inbox):
    def fail(_update: Update) -> None:
        raise LookupError

    with inbox.subscribed(fail):
        await bob.session.open("classic", maker="me", breaker="open")
        with pytest.raises(LookupError):
            await inbox.next()


async def test_the_displayed_state_waits_for_a_subscriber(ada, bob, inbox):
    _theirs, ours = await sit_down(ada, bob)
    assert inbox.find_displayed(ours) is not ours.state
    with inbox.subscribed(lambda _update: None):
        assert inbox.find_displayed(ours) is ours.state


class Timed:
    """A match of Ada, the codemaker, and Bob. Only the test moves its clock."""

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
