"""The screen for each destination. Only this module knows all pages.

A page is imported when it is first shown, so home is drawn sooner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mastermind_client.config.options import (
    JoinOptions,
    PlayOptions,
    ProfileOptions,
    ReviewOptions,
    WatchOptions,
)
from mastermind_client.screen.screen import ListDestination, MatchPage, MenuPage, ReplayPage
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_client.screen.app import App
    from mastermind_client.screen.screen import Destination, Screen


def make_screen(app: App, destination: Destination) -> Screen:
    """Return the screen for a destination, which a page or the command line names."""
    match destination:
        case MenuPage():
            return _make_menu_screen(app, destination)
        case ListDestination("leaderboard", server):
            from mastermind_client.screen.pages.leaderboard import LeaderboardScreen

            return LeaderboardScreen(app, server)
        case ListDestination(name, server):
            from mastermind_client.screen.pages.lists import make_list_page

            return make_list_page(app, name, server)
        case JoinOptions(code=None, server=server):
            return make_screen(app, ListDestination("waiting", server))
        case WatchOptions(code=None, bot=None, server=server):
            return make_screen(app, ListDestination("running", server or app.settings.server))
        case ReviewOptions(code=None, server=server):
            return make_screen(app, ListDestination("archive", server))
        case PlayOptions() | JoinOptions() | WatchOptions() | ReviewOptions():
            from mastermind_client.screen.pages.entering import EnteringScreen

            return EnteringScreen(app, destination)
        case ProfileOptions():
            from mastermind_client.screen.pages.profile import ProfileScreen

            return ProfileScreen(app, destination)
        case MatchPage():
            return _make_match_screen(app, destination)
        case ReplayPage(server, mirror):
            from mastermind_client.screen.pages.replay import ReplayScreen

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
        case MenuPage.SETTINGS:
            from mastermind_client.screen.pages.settings import SettingsScreen

            return SettingsScreen(app)
        case MenuPage.COMPUTERS:
            from mastermind_client.screen.pages.computers import ComputersScreen

            return ComputersScreen(app)
        case _:
            assert_never(page)


def _make_match_screen(app: App, page: MatchPage) -> Screen:
    """Return the screen for a match, which depends on its state and on our seat."""
    server, mirror = page.server, page.mirror
    phase, seat = mirror.state.phase, mirror.state.seat_of(server.me)
    if page.review and phase is Phase.FINISHED:
        from mastermind_client.screen.pages.replay import ReplayScreen

        return ReplayScreen(app, server, mirror)
    if seat is None:
        from mastermind_client.screen.pages.spectator import SpectatorScreen

        return SpectatorScreen(app, server, mirror, page.watched)
    if phase is Phase.GATHERING:
        from mastermind_client.screen.pages.waiting import WaitingScreen

        return WaitingScreen(app, server, mirror)
    from mastermind_client.screen.pages.player import PlayerScreen

    return PlayerScreen(app, server, mirror)
