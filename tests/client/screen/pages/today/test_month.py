from msgspec.structs import replace

from kit.day_answers import NUMBER, make_ended_day, make_month
from kit.screen.day_scenes import begin_try
from kit.screen.scenes import ADA, CODE, GUESSES, SERVER
from kit.screen.scripted import settle
from kit.screen.stage import stage
from mastermind_client.messages.days.dates import format_date
from mastermind_client.screen.pages.today.month import MonthScreen
from mastermind_client.screen.pages.today.page import TodayScreen
from mastermind_client.screen.screen import MonthPage
from mastermind_protocol.messages import AnyMessage
from mastermind_protocol.requests import AnyRequest, ListDays


async def test_left_and_right_choose_a_month_from_the_first_day_to_the_present():
    asked: list[str | None] = []

    def answer(request: AnyRequest) -> AnyMessage:
        assert isinstance(request, ListDays)
        asked.append(request.month)
        return replace(make_month(), month=request.month or "2026-08")

    async with stage() as shown:
        settle(shown.app, SERVER, ADA, answer)
        shown.app.open(MonthScreen(shown.app, MonthPage(SERVER, "classic")))
        await shown.until("2026-08, classic")
        shown.press("right", "left", "left", "left")  # neither a future month nor one before day 0
        await shown.until("2026-06, classic")
        shown.press("right")
        await shown.until("2026-07, classic")
        assert asked[0] is None
        assert {*asked[1:]} == {"2026-07", "2026-06"}


async def test_enter_opens_a_past_day():
    def answer(request: AnyRequest) -> AnyMessage:
        return make_month() if isinstance(request, ListDays) else make_ended_day(day=NUMBER - 1)

    async with stage() as shown:
        told = begin_try(shown.app, GUESSES, make_ended_day())
        settle(shown.app, SERVER, ADA, answer).session.receiver.followed[CODE] = told.mirror
        shown.app.open(MonthScreen(shown.app, MonthPage(SERVER, "classic")))
        await shown.until("18 days played")
        shown.press("end", "home", "down", "enter")
        await shown.wait_for_screen(TodayScreen)
        await shown.until(f"code of the day · {format_date(NUMBER - 1)}")
