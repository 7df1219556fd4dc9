import pytest

from kit.day_answers import BROKEN, NOON, NUMBER, make_day, make_ended_day
from kit.screen.day_scenes import begin_try
from kit.screen.scenes import ADA, CODE, GUESSES, SERVER
from kit.screen.scripted import settle
from kit.screen.slate import Slate
from kit.screen.stage import stage
from mastermind_client.config.options import OFFLINE
from mastermind_client.screen.servers.days import REFRESH_SECONDS, HomeDays, TimedDay
from mastermind_protocol.clock import DAY, SECOND
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.messages import AnyMessage
from mastermind_protocol.requests import AnyRequest


class SetClock:
    """A clock that the test sets, in seconds."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_the_time_of_the_server_goes_on_after_its_answer():
    clock = SetClock()
    known = TimedDay.receive(make_day(now=5000), None, clock)
    clock.seconds = 2.5
    assert (known.now, known.age) == (7500, 2.5)


def test_only_todays_code_by_the_default_rules_is_kept_for_home():
    days = HomeDays(list)
    for day in (make_day(rules="mini"), make_day(today=NUMBER + 1)):
        days.store(SERVER, TimedDay.receive(day, None))
        assert days.find(SERVER) is None
    days.store(SERVER, kept := TimedDay.receive(make_day(), None))
    assert days.find(SERVER) is kept


@pytest.mark.parametrize(
    ("now", "seconds", "asks"),
    [
        (NOON, REFRESH_SECONDS - 1, False),
        (NOON, REFRESH_SECONDS, True),
        (NOON + DAY // 2 - SECOND, 0.9, False),
        (NOON + DAY // 2 - SECOND, 1.0, True),
    ],
)
async def test_a_server_is_asked_again_after_some_time_and_after_midnight(now, seconds, asks):
    asked: list[AnyRequest] = []
    clock = SetClock()

    def answer(request: AnyRequest) -> AnyMessage:
        asked.append(request)
        return make_day()

    async with stage(opening=Slate) as shown:
        server = settle(shown.app, SERVER, ADA, answer)
        server.session._exchange.connected = True  # type: ignore[misc]
        days = HomeDays(lambda: [server])
        days.store(SERVER, Refused(Reason.UNKNOWN_OP))  # before the server was updated
        days.store(SERVER, TimedDay.receive(make_day(now=now), None, clock))
        clock.seconds = seconds
        assert await days.refresh() is asks
        assert len(asked) == asks


@pytest.mark.parametrize(
    ("address", "reason", "requests", "known"),
    [
        (SERVER, Reason.UNKNOWN_OP, 1, True),
        (SERVER, Reason.NOT_READ, 2, False),
        (OFFLINE, Reason.UNKNOWN_OP, 0, False),
    ],
)
async def test_a_server_that_refuses_is_asked_again_only_if_it_is_busy(
    address, reason, requests, known
):
    asked: list[AnyRequest] = []

    def refuse(request: AnyRequest) -> AnyMessage:
        asked.append(request)
        raise Refused(reason)

    async with stage(opening=Slate) as shown:
        server = settle(shown.app, address, ADA, refuse)
        server.session._exchange.connected = True  # type: ignore[misc]
        days = HomeDays(lambda: [server])
        assert await days.refresh() is known
        assert not await days.refresh()
        assert len(asked) == requests
        assert isinstance(days.find(address), Refused) is known


def test_home_shows_the_last_answer_of_a_server_and_no_earlier_refusal():
    days = HomeDays(list)
    day, refusal = TimedDay.receive(make_day(), None), Refused(Reason.UNKNOWN_OP)
    for answer in (refusal, day, refusal):
        days.store(SERVER, answer)
        assert days.find(SERVER) is answer


async def test_a_broken_code_is_read_from_the_own_try():
    async with stage(opening=Slate) as shown:
        told = begin_try(shown.app, GUESSES, make_ended_day(BROKEN))
        told.server.session._exchange.connected = True  # type: ignore[misc]
        told.server.session.receiver.followed[CODE] = told.mirror
        days = HomeDays(lambda: [told.server])
        await days.refresh()
        known = days.find(SERVER)
        assert isinstance(known, TimedDay)
        assert known.code == told.mirror.state.played[0].turns[-1].code
