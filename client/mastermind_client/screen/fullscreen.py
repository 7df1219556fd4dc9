"""The full-screen interface of one player, and the screen for each destination.

Only this module knows all pages. A page is imported when it is first shown, so the home
page is drawn sooner.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from prompt_toolkit.application import create_app_session

from mastermind_client.config.options import (
    ChallengeOptions,
    ContinueOptions,
    DayOptions,
    JoinOptions,
    PlayOptions,
    ProfileOptions,
    PuzzleOptions,
    ReviewOptions,
    SolveOptions,
    WatchOptions,
)
from mastermind_client.language import bind_language
from mastermind_client.screen.app import App
from mastermind_client.screen.screen import (
    ListDestination,
    MatchPage,
    MenuPage,
    MonthPage,
    PlacesPage,
    ReplayPage,
)
from mastermind_client.screen.toolkit.keys import open_output
from mastermind_client.tty.job_control import TerminalInput
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

    from mastermind_client.config.options import MatchOptions
    from mastermind_client.config.settings import Settings
    from mastermind_client.context import ClientContext
    from mastermind_client.screen.screen import Destination, Screen


async def run(
    context: ClientContext,
    options: MatchOptions | ContinueOptions | DayOptions | SolveOptions | PuzzleOptions | None,
    settings: Settings,
    problems: tuple[str, ...],
    source: Input | None = None,
    target: Output | None = None,
) -> None:
    """Run the app until the player ends it.

    If there are `options`, their page is opened over the home page. `problems` are displayed first.
    `source` and `target` are the input and output, by default those of the process. Raises
    NothingToContinue or SeatOpenElsewhere before the app starts. If a failure ends the app, the
    terminal is restored and the failure is raised.
    """
    if isinstance(options, ContinueOptions):
        options = await _find_options_to_resume(context, options)
    elif isinstance(options, ReviewOptions) and options.code is None:
        from mastermind_client.network.embedded import find_review_address

        options = replace(options, server=await find_review_address(context, options))
    bind_language(context.language)
    source = source or TerminalInput()
    target = target or open_output(context.output, context.environ.get("TERM"))
    with create_app_session(input=source, output=target):
        app = App(context, settings, make_screen)
        app.go(MenuPage.HOME)
        if problems:
            app.show_error(" ".join(problems))
        if options is not None:
            app.go(options)
        try:
            await app.run()
        finally:  # a second Ctrl-C cancels the end of `app.run`
            context.output.writelines(f"{line}\n" for line in app.farewell)
            context.output.flush()


async def _find_options_to_resume(
    context: ClientContext, options: ContinueOptions
) -> MatchOptions | None:
    """Return the options that resume a match, or None if the player picks one on the home page."""
    from mastermind_client.network import opening  # late: the home page does not need it

    if options.listed and options.code is None:
        await opening.find_seats(context, options)
        return None
    return await opening.find_match_to_resume(context, options)


def make_screen(app: App, destination: Destination) -> Screen:
    """Return the screen for a destination that another page or the command line has named."""
    match destination:
        case MenuPage():
            return _make_menu_screen(app, destination)
        case ListDestination("leaderboard", server):
            from mastermind_client.screen.pages.leaderboard import LeaderboardScreen

            return LeaderboardScreen(app, server)
        case ListDestination(name, server, player):
            from mastermind_client.screen.pages.list_page import make_list_page

            return make_list_page(app, name, server, player)
        case JoinOptions(code=None, server=server):
            return make_screen(app, ListDestination("waiting", server))
        case WatchOptions(code=None, bot=None, server=server):
            return make_screen(app, ListDestination("running", server or app.settings.server))
        case ReviewOptions(code=None, server=server):
            return make_screen(app, ListDestination("archive", server))
        case PlayOptions() | JoinOptions() | ChallengeOptions() | WatchOptions() | ReviewOptions():
            from mastermind_client.screen.pages.entering import EnteringScreen

            return EnteringScreen(app, destination)
        case ProfileOptions():
            from mastermind_client.screen.pages.profile import ProfileScreen

            return ProfileScreen(app, destination)
        case DayOptions():
            from mastermind_client.screen.pages.today.page import TodayScreen

            return TodayScreen(app, destination)
        case SolveOptions():
            from mastermind_client.screen.pages.solving.page import SolveScreen

            return SolveScreen(app, destination)
        case PuzzleOptions():
            from mastermind_client.screen.pages.solving.puzzle import PuzzleScreen

            return PuzzleScreen(app, destination)
        case PlacesPage():
            from mastermind_client.screen.pages.today.places import PlacesScreen

            return PlacesScreen(app, destination)
        case MonthPage():
            from mastermind_client.screen.pages.today.month import MonthScreen

            return MonthScreen(app, destination)
        case MatchPage():
            return _make_match_screen(app, destination)
        case ReplayPage(server, mirror):
            from mastermind_client.screen.pages.matches.watching import ReplayScreen

            return ReplayScreen(app, server, mirror, shared=True)
        case _:
            assert_never(destination)


def _make_menu_screen(app: App, page: MenuPage) -> Screen:
    match page:
        case MenuPage.HOME:
            from mastermind_client.screen.pages.home import HomeScreen

            return HomeScreen(app)
        case MenuPage.PLAY | MenuPage.INVITE | MenuPage.BOTS:
            from mastermind_client.screen.pages.opening import OpeningScreen

            return OpeningScreen(app, page)
        case MenuPage.HOW_TO_PLAY:
            from mastermind_client.screen.pages.how_to_play import HowToPlayScreen

            return HowToPlayScreen(app)
        case MenuPage.STATISTICS:
            from mastermind_client.screen.pages.statistics import StatisticsScreen

            return StatisticsScreen(app)
        case MenuPage.PEOPLE:
            from mastermind_client.screen.pages.people import PeopleScreen

            return PeopleScreen(app)
        case MenuPage.SETTINGS:
            from mastermind_client.screen.pages.settings import SettingsScreen

            return SettingsScreen(app)
        case MenuPage.COMPUTERS:
            from mastermind_client.screen.pages.settings import ComputersScreen

            return ComputersScreen(app)
        case _:
            assert_never(page)


def _make_match_screen(app: App, page: MatchPage) -> Screen:
    """Return the screen for a match, which depends on its state and on our seat."""
    server, mirror = page.server, page.mirror
    phase, seat = mirror.state.phase, mirror.state.seat_of(server.me)
    if page.review and phase is Phase.FINISHED:
        from mastermind_client.screen.pages.matches.watching import ReplayScreen

        return ReplayScreen(app, server, mirror)
    if seat is None:
        from mastermind_client.screen.pages.matches.watching import SpectatorScreen

        return SpectatorScreen(app, server, mirror, page.watched)
    if phase is Phase.GATHERING:
        from mastermind_client.screen.pages.matches.waiting import WaitingScreen

        return WaitingScreen(app, server, mirror)
    if mirror.state.is_entry:
        from mastermind_client.screen.pages.matches.day_try import TryScreen

        return TryScreen(app, server, mirror)
    from mastermind_client.screen.pages.matches.player import PlayerScreen

    return PlayerScreen(app, server, mirror)
