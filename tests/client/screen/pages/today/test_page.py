from functools import partial

import pytest

from kit.clock import ManualClock
from kit.day_answers import NUMBER, make_day
from kit.days import DAY, REVEAL, TRIES_END, withdraw_day
from kit.players import identities
from kit.screen.day_scenes import begin_try
from kit.screen.scenes import ADA, CODE, SERVER
from kit.screen.scripted import settle
from kit.screen.slate import Slate
from kit.screen.stage import Stage, stage
from kit.server import GameServer
from mastermind_client.config.options import DayOptions
from mastermind_client.config.settings import Settings
from mastermind_client.messages.days.dates import format_date
from mastermind_client.network.updates import Reconnected
from mastermind_client.screen.app import App
from mastermind_client.screen.pages.home import HomeScreen
from mastermind_client.screen.pages.matches.day_try import TryScreen
from mastermind_client.screen.pages.matches.watching import ReplayScreen
from mastermind_client.screen.pages.today.month import MonthScreen
from mastermind_client.screen.pages.today.page import REPEAT_SECONDS, RETRY_SECONDS, TodayScreen
from mastermind_client.screen.pages.today.places import PlacesScreen
from mastermind_client.screen.scene.viewpoint import count_guesses
from mastermind_protocol.clock import SECOND
from mastermind_protocol.days import find_day_start
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.messages import AnyMessage, OwnTry
from mastermind_protocol.requests import AnyRequest

MIDNIGHT = find_day_start(DAY + 1)
SOON = 100  # milliseconds, as each reading of the clock adds one


def settings(hall: GameServer) -> Settings:
    return Settings(name="Ada", server=hall.address, pace=0, motion=False)


def read_token(hall: GameServer) -> str:
    """Return the token of the user's player, which another device could have too."""
    return identities().list_registered(hall.address)[0].tokens[0]


async def guess(shown: Stage, code: str) -> None:
    """Send a guess, and wait for its answer."""
    screen = shown.on(TryScreen)
    before = count_guesses(screen.match)
    shown.type(code)
    shown.press("enter")
    await shown.until(lambda: count_guesses(screen.match) > before)


async def begin(shown: Stage) -> None:
    """Begin the try from the home screen."""
    await shown.until("one try a day")
    shown.press("t")
    await shown.until("Enter begins it.")
    shown.press("enter")
    await shown.wait_for_screen(TryScreen)


async def test_a_whole_try_leads_from_home_to_the_places_and_back(hall):
    async with stage(settings=settings(hall)) as shown:
        await shown.until(f"► {format_date(DAY)}")  # Enter opens it
        await begin(shown)
        await guess(shown, "1122")
        await guess(shown, "1234")
        await shown.until("Cracked  Enter shows all results")
        shown.press("enter")
        await shown.until("Cracked in 2 of 12")
        for words in ("1st: 2 guesses", "1 day in a row", "Today so far: 1", "Next code in 1"):
            assert words in shown.text()
        shown.press("c")
        await shown.until(lambda: shown.copied() == [f"Mastermind {DAY} · 2/12\n●○··\n●●●●"])
        shown.press("l")
        await shown.wait_for_screen(PlacesScreen)
        await shown.until("Ada")
        shown.press("escape", "m")
        await shown.wait_for_screen(MonthScreen)
        await shown.until("1 code cracked, 2.00 guesses")
        shown.press("escape", "escape")
        await shown.wait_for_screen(HomeScreen)
        await shown.until("▐R▌▐G▌▐B▌▐Y▌  cracked in 2")


async def test_a_failed_try_hides_the_code_until_the_reveal(hall):
    async with stage(settings=settings(hall)) as shown:
        await begin(shown)
        await guess(shown, "1122")
        shown.press("f6")
        await shown.until("It counts as not cracked.")
        shown.press("down", "enter")
        await shown.until("Not cracked  Enter shows")
        assert "░░?░░" in shown.text()
        shown.press("enter")
        await shown.until("Given up")
        assert "The code stays hidden" in shown.text()
        assert "F7" not in shown.text()
        hall.clock.jump(REVEAL)
        shown.press("m")
        await shown.until("not cracked")
        shown.press("end", "enter")
        await shown.until("unchanged ✓")
        shown.press("f7")
        await shown.wait_for_screen(ReplayScreen)


async def test_a_try_of_another_device_is_seen_and_continued(hall):
    other = await hall.meet(token=read_token(hall))
    match = (await other.enter(DAY)).match
    async with stage(settings=settings(hall)) as shown:
        await shown.until("your try runs")
        shown.press("t")
        await shown.until("Enter continues it, until")
        await other.guess(match, "1122")
        await shown.until("1 black, 1 white")
        shown.press("enter")
        await shown.wait_for_screen(TryScreen)
        await guess(shown, "1234")
        await shown.until("Cracked  Enter shows")


async def test_the_end_of_the_try_on_another_device_is_seen(hall):
    other = await hall.meet(token=read_token(hall))
    match = (await other.enter(DAY)).match
    async with stage(opening=partial(open_at, hall)) as shown:
        await shown.until("Enter continues it, until")
        await other.guess(match, "1234")
        await shown.until("Cracked in 1 of 12")


async def test_a_try_saved_for_later_continues_on_the_page_and_after_a_new_start(hall):
    async with stage(settings=settings(hall)) as shown:
        await begin(shown)
        await guess(shown, "1122")
        shown.press("escape")
        await shown.until("Today's code continues it")
        shown.press("down", "enter")
        await shown.until("Enter continues it, until")
    async with stage(settings=settings(hall)) as shown:
        await shown.until("your try runs")
        assert "Continue" not in shown.text()  # the day names it, and no list of matches
        shown.press("t")
        await shown.until("1 black, 1 white")


def open_at(hall: GameServer, app: App, day: int | None = None) -> TodayScreen:
    """Return the page, with a clock that follows the server's."""
    options = DayOptions(hall.address, day=day, name="Ada")
    return TodayScreen(app, options, lambda: hall.clock.unix_milliseconds() / 1000, lambda: 0.0)


async def test_at_midnight_the_next_code_replaces_one_that_was_not_tried(hall):
    hall.clock.jump(MIDNIGHT - 60_000)
    ticker = ManualClock()
    async with stage(opening=partial(open_at, hall), clock=ticker) as shown:
        await shown.until("Begin within 00:00:59")
        hall.clock.jump(MIDNIGHT + SOON)
        ticker.skip(1)
        await shown.until("Begin within 23:59:59")
        assert format_date(DAY + 1) in shown.text()


async def test_a_running_try_outlasts_midnight_and_then_shows_its_result(hall):
    other = await hall.meet(token=read_token(hall))
    await other.enter(DAY)
    hall.clock.jump(MIDNIGHT - 60_000)
    ticker = ManualClock()
    async with stage(opening=partial(open_at, hall), clock=ticker) as shown:
        await shown.until("Enter continues it, until")
        hall.clock.jump(MIDNIGHT + SOON)
        ticker.skip(1)
        await shown.until("code of the day · ")
        shown.press("enter")
        await shown.wait_for_screen(TryScreen)
        await guess(shown, "1234")
        ticker.skip(10)  # the answer is displayed peg by peg
        await shown.until("Cracked  Enter shows")
        shown.press("enter")
        await shown.until("Cracked in 1 of 12")
        shown.press("l")
        await shown.wait_for_screen(PlacesScreen)
        shown.press("escape")
        screen = await shown.wait_for_screen(TodayScreen)
        await shown.until(lambda: not shown.app.busy)
        assert screen.scene is not None
        assert screen.scene.day.day == DAY
        hall.clock.jump(REVEAL + SOON)
        ticker.skip(1)
        await shown.until("unchanged ✓")


async def test_a_try_that_ended_after_midnight_on_the_match_screen_shows_its_result(hall):
    hall.clock.jump(MIDNIGHT - 60_000)
    async with stage(opening=partial(open_at, hall)) as shown:
        await shown.until("Enter begins it.")
        shown.press("enter")
        await shown.wait_for_screen(TryScreen)
        hall.clock.jump(MIDNIGHT)
        await guess(shown, "1234")
        await shown.until("Cracked  Enter shows")
        shown.press("enter")
        await shown.until("Cracked in 1 of 12")


async def test_a_try_that_was_not_ended_in_time_is_not_cracked_and_gets_its_code(hall):
    other = await hall.meet(token=read_token(hall))
    await other.enter(DAY)
    hall.clock.jump(MIDNIGHT)
    ticker = ManualClock()
    async with stage(opening=partial(open_at, hall), clock=ticker) as shown:
        await shown.until("Enter continues it, until")
        hall.clock.jump(REVEAL + SOON)
        ticker.skip(1)
        await shown.until("Not cracked")
        await shown.until("unchanged ✓")


async def test_the_code_appears_at_the_reveal(hall):
    ticker = ManualClock()
    async with stage(opening=partial(open_at, hall, day=DAY), clock=ticker) as shown:
        await shown.until("Your one try")
        hall.clock.jump(TRIES_END + SOON)
        ticker.skip(1)
        await shown.until("You did not play")
        assert "░░?░░" in shown.text()
        hall.clock.jump(REVEAL + SOON)
        ticker.skip(1)
        await shown.until("unchanged ✓")
        assert "l shows the best tries." in shown.text()


async def test_a_withdrawn_code_does_not_count(hall):
    await withdraw_day(hall)
    async with stage(opening=partial(open_at, hall)) as shown:
        await shown.until("It does not count, and breaks no streak.")
        assert "Enter" not in shown.text()


async def test_t_shows_the_codes_by_other_rules_in_turn(hall):
    async with stage(opening=partial(open_at, hall)) as shown:
        for rules in ("mini", "eight"):
            await shown.until(f"t {rules}'s code")
            shown.press("t")
            await shown.until(f"today's code · {rules}")
        await shown.until("t classic's code")


@pytest.mark.parametrize(
    ("reason", "sentence", "words"),
    [
        (Reason.UNKNOWN_OP, "The server is older than this client", "needs a newer server"),
        (Reason.DAY_NEEDS_SERVER, "The code of the day needs a server", "needs a server"),
    ],
)
async def test_a_server_without_days_is_named_on_home_and_on_the_page(reason, sentence, words):
    def refuse(_request: AnyRequest) -> AnyMessage:
        raise Refused(reason)

    def open_page(app: App) -> TodayScreen:
        app.open(HomeScreen(app))
        settle(app, SERVER, ADA, refuse)
        return TodayScreen(app, DayOptions(SERVER))

    async with stage(settings=Settings(server=SERVER), opening=open_page) as shown:
        await shown.until(sentence)
        shown.app.running_matches.days.store(SERVER, Refused(reason))
        shown.press("enter", "l", "c", "escape")
        await shown.until(words)
        shown.press("1")
        await shown.until("► Start")  # everything else is as before


async def test_a_try_that_another_device_has_had_meanwhile_is_shown(hall):
    async with stage(opening=partial(open_at, hall)) as shown:
        await shown.until("Enter begins it.")
        other = await hall.meet(token=read_token(hall))
        match = (await other.enter(DAY)).match
        await other.guess(match, "1234")
        shown.press("enter")
        await shown.until("You have had your try")
        await shown.until("Cracked in 1 of 12")


@pytest.mark.parametrize(("seconds", "requests"), [(2, 1), (1, 2)])
@pytest.mark.parametrize("fields", [{}, {"own": OwnTry(match=CODE)}, {"state": "withdrawn"}])
async def test_the_server_is_asked_again_only_when_the_day_changes(fields, seconds, requests):
    asked: list[AnyRequest] = []
    day = make_day(now=find_day_start(NUMBER + 1) - seconds * SECOND, **fields)
    passed = [0.0]

    def answer(request: AnyRequest) -> AnyMessage:
        asked.append(request)
        return day

    ticker = ManualClock()
    async with stage(opening=Slate, clock=ticker) as shown:
        told = begin_try(shown.app, (), day)
        server = settle(shown.app, SERVER, ADA, answer)
        server.session.receiver.followed[CODE] = told.mirror
        options = DayOptions(SERVER)
        shown.app.open(TodayScreen(shown.app, options, lambda: passed[0], lambda: 0.0))
        await shown.until("The code of the day")
        passed[0] = 1.0
        ticker.skip(1)
        await shown.until(lambda: not shown.app.busy)
        assert len(asked) == requests


async def test_a_server_that_is_late_with_a_new_day_is_not_asked_each_second():
    asked: list[AnyRequest] = []
    passed = [0.0]

    def answer(request: AnyRequest) -> AnyMessage:
        asked.append(request)
        return make_day(now=find_day_start(NUMBER + 1))

    ticker = ManualClock()
    async with stage(opening=Slate, clock=ticker) as shown:
        settle(shown.app, SERVER, ADA, answer)
        options = DayOptions(SERVER)
        shown.app.open(TodayScreen(shown.app, options, lambda: passed[0], lambda: 0.0))
        await shown.until("The code of the day")
        for seconds, requests in ((1, 2), (2, 2), (REPEAT_SECONDS, 2), (1 + REPEAT_SECONDS, 3)):
            passed[0] = float(seconds)
            ticker.skip(1)
            await shown.until(lambda: not shown.app.busy)
            assert len(asked) == requests


async def test_after_the_reveal_a_place_leads_to_its_board(hall):
    bob = await hall.meet("Bob")  # he is too new for a place of his own
    await bob.guess((await bob.enter(DAY)).match, "1234")
    other = await hall.meet(token=read_token(hall))
    match = (await other.enter(DAY)).match
    for code in ("1122", "1234"):
        await other.guess(match, code)
    hall.clock.jump(REVEAL)
    async with stage(opening=partial(open_at, hall, day=DAY)) as shown:
        await shown.until("Cracked in 2 of 12")
        shown.press("l")
        await shown.wait_for_screen(PlacesScreen)
        await shown.until("►   1  Ada")
        assert "Bob" not in shown.text()
        shown.press("enter")
        screen = await shown.wait_for_screen(ReplayScreen)
        assert screen.mirror.code == match
        await shown.until(f"Code {DAY} and Ada")


async def test_a_server_that_cannot_be_reached_is_tried_again(hall):
    await hall.stop()
    ticker = ManualClock()
    async with stage(opening=partial(open_at, hall), clock=ticker) as shown:
        await shown.until("Cannot reach")
        assert "r refresh" in shown.text()
        await hall.start()
        ticker.skip(RETRY_SECONDS)
        await shown.until("Enter begins it.")


async def test_after_a_reconnection_the_day_is_asked_again():
    days = [make_day(), make_day(state="withdrawn")]

    async with stage() as shown:
        server = settle(shown.app, SERVER, ADA, lambda _request: days.pop(0))
        shown.app.open(TodayScreen(shown.app, DayOptions(SERVER), lambda: 0.0, lambda: 0.0))
        await shown.until("Enter begins it.")
        shown.app._on_update(server, Reconnected())
        await shown.until("It does not count, and breaks no streak.")
