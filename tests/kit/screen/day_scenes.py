"""The scenes of the code of the day: its page at each stage, its places, a month, and a try."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kit.day_answers import FAILED, NOON, NUMBER, PLACES, make_day, make_ended_day, make_month
from kit.entries import KEEPER, seal
from kit.matches import NONCE, pegs
from kit.screen.scenes import ADA, CODE, GUESSES, SERVER, Scene
from kit.screen.scripted import ScriptedMatch, settle
from mastermind_client.config.options import DayOptions
from mastermind_client.screen.fullscreen import make_screen
from mastermind_client.screen.pages.home import HomeScreen
from mastermind_client.screen.pages.today.month import MonthScreen
from mastermind_client.screen.pages.today.page import TodayScreen
from mastermind_client.screen.pages.today.places import PlacesScreen
from mastermind_client.screen.screen import MatchPage, MonthPage, PlacesPage
from mastermind_client.screen.servers.days import TimedDay
from mastermind_protocol import requests
from mastermind_protocol.clock import DAY
from mastermind_protocol.commands import GuessCode, ResignRound
from mastermind_protocol.days import make_day_contest
from mastermind_protocol.events import Opened
from mastermind_protocol.messages import OwnTry, PlacedTry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.app import App
    from mastermind_client.screen.screen import Screen
    from mastermind_protocol.messages import AnyMessage, Day
    from mastermind_protocol.requests import AnyRequest


def read_no_clock() -> float:
    """Return the time, which does not advance."""
    return 0.0


def answer_day(day: Day, request: AnyRequest) -> AnyMessage:
    """Answer the requests of the pages about this day."""
    match request:
        case requests.ShowDay():
            return day
        case requests.ListPlaces():
            return PLACES
        case requests.ListDays():
            return make_month()
        case _:
            raise AssertionError(f"no day asks {request}")


def show_day(app: App, day: Day, guesses: Sequence[str] = (), *, resigned: bool = False) -> Screen:
    """Return the page of a day, with the guesses of the own try."""
    settle(app, SERVER, ADA, partial(answer_day, day))
    if day.own is not None:
        told = begin_try(app, guesses, day)
        if resigned:
            told.do(ADA, ResignRound())
        if day.code is not None and day.nonce is not None:
            told.mirror.reveal(day.code, day.nonce)
        told.server.session.receiver.followed[CODE] = told.mirror
    options = DayOptions(SERVER, day.rules, day.day)
    return TodayScreen(app, options, read_no_clock, read_no_clock)


def begin_try(app: App, guesses: Sequence[str], day: Day) -> ScriptedMatch:
    """Return Ada's try after guesses."""
    connected = settle(app, SERVER, ADA, partial(answer_day, day))
    opened = Opened(rules="classic", rounds=1, contest=make_day_contest(NUMBER))
    told = ScriptedMatch(connected, CODE, opened, KEEPER, ADA)
    told.happen(seal(pegs("2513"), shown=True))
    told.do(ADA, *(GuessCode(pegs(guess)) for guess in guesses))
    return told


def play_today(app: App, guesses: Sequence[str]) -> Screen:
    """Return the match screen of a try."""
    told = begin_try(app, guesses, make_day(own=OwnTry(match=CODE)))
    return make_screen(app, MatchPage(told.server, told.mirror))


def show_home(app: App, day: Day) -> Screen:
    """Return the home screen with an answer of the server."""
    code = pegs("2513") if day.own is not None and day.own.guesses else None
    app.running_matches.days.store(SERVER, TimedDay(day, 0.0, read_no_clock, code))
    return HomeScreen(app)


def show_places(app: App) -> Screen:
    """Return the page of the places, on which Ada's own place is not."""
    own = PlacedTry(place=19, player="ADA", name="Ada", guesses=4, milliseconds=72_000)
    settle(app, SERVER, ADA, partial(answer_day, make_ended_day()))
    return PlacesScreen(app, PlacesPage(SERVER, "classic", NUMBER, own))


def show_month(app: App) -> Screen:
    """Return the page of a month."""
    settle(app, SERVER, ADA, partial(answer_day, make_ended_day()))
    return MonthScreen(app, MonthPage(SERVER, "classic"))


CLOSED = make_ended_day(
    FAILED, state="closed", today=NUMBER + 1, now=NOON + DAY, code=pegs("2513"), nonce=NONCE,
    commitment=seal(pegs("2513")).commitment,
)  # fmt: skip

RUNNING = make_day(own=OwnTry(match=CODE))
WITHDRAWN = make_day(state="withdrawn")
DAY_SCENES = (
    Scene("home-day", partial(show_home, day=make_day()), (), ("12 h left", "6 days in a row")),
    Scene(
        "home-day-done",
        partial(show_home, day=make_ended_day()),
        (),
        ("cracked in 4", "7 in a row"),
    ),
    Scene("day", partial(show_day, day=make_day()), (), ("Enter begins it.", "Begin within")),
    Scene("day-running", partial(show_day, day=RUNNING, guesses=GUESSES[:2]), (), ("until 00:30",)),
    Scene(
        "day-cracked",
        partial(show_day, day=make_ended_day(), guesses=GUESSES),
        (),
        ("Cracked in 4 of 12", "better than 61 %", "19th", "Next code in"),
    ),
    Scene(
        "day-failed",
        partial(show_day, day=make_ended_day(FAILED), guesses=["1122"] * 12),
        (),
        ("The code stays hidden until 00:31.",),
    ),
    Scene(
        "day-closed",
        partial(show_day, day=CLOSED, guesses=["1122"] * 12),
        (),
        ("code of the day", "Not cracked", "F7"),
    ),
    Scene("day-withdrawn", partial(show_day, day=WITHDRAWN), (), ("breaks no streak",)),
    Scene("day-places", show_places, ("down",), ("Noor", "00:31", "Ada", "01:12")),
    Scene("day-month", show_month, ("down",), ("17 codes cracked", "cracked in", "withdrawn")),
    Scene("try", partial(play_today, guesses=GUESSES[:2]), ("2",), ("today's code", "Code 147")),
    Scene("try-cracked", partial(play_today, guesses=GUESSES), (), ("Enter shows all results",)),
    Scene("try-leave", partial(play_today, guesses=GUESSES[:2]), ("escape",), ("Save",), False),
)
