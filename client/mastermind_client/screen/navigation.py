"""The one way into every match: what the command line or a form asks for is begun here.

The screens are loaded when they are opened: they begin matches too, and home is painted sooner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.options import (
    OFFLINE,
    JoinOptions,
    PlayOptions,
    ReviewOptions,
    WatchOptions,
)
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_client.config.options import MatchOptions
    from mastermind_client.net.mirror import Mirror
    from mastermind_client.net.session import Session
    from mastermind_client.screen.app import App
    from mastermind_client.screen.places import Place
    from mastermind_client.screen.screen import Screen


def begin(app: App, options: MatchOptions) -> None:
    """Start what is asked for, on top of what is shown: a match, or the list to pick one from."""
    match options:
        case JoinOptions(code=None, server=server):
            from mastermind_client.screen.pages.find import FindScreen

            app.open(FindScreen(app, server))
        case WatchOptions(code=None, bot=None, server=server):
            from mastermind_client.screen.pages.matches import MatchesScreen

            app.open(MatchesScreen(app, server))
        case ReviewOptions(code=None, server=server):
            from mastermind_client.screen.pages.archive import ArchiveScreen

            app.open(ArchiveScreen(app, server))
        case _:
            from mastermind_client.screen.pages.entering import EnteringScreen

            app.open(EnteringScreen(app, options))


def make_screen(app: App, place: Place, mirror: Mirror, *, review: bool = False) -> Screen:
    """Return the screen that shows a match as it stands; a finished one to `review` by moves."""
    phase = mirror.state.phase
    if review and phase is Phase.FINISHED:
        from mastermind_client.screen.pages.replay import ReplayScreen

        return ReplayScreen(app, place, mirror)
    if phase is Phase.GATHERING and mirror.state.seat_of(place.me) is not None:
        from mastermind_client.screen.pages.waiting import WaitingScreen

        return WaitingScreen(app, place, mirror)
    if mirror.state.seat_of(place.me) is not None:
        from mastermind_client.screen.pages.player import PlayerScreen

        return PlayerScreen(app, place, mirror)
    from mastermind_client.screen.pages.spectator import SpectatorScreen

    return SpectatorScreen(app, place, mirror)


async def enter(session: Session, options: MatchOptions) -> Mirror:
    """Come to the match that is asked for, and follow it. Raises Refused, ServerUnreachable."""
    from mastermind_client.net.matchmaking import let_bots_play, sit_down

    match options:
        case PlayOptions():
            return await sit_down(session, options)
        case JoinOptions(code=str(code)):
            return await session.join(code)
        case WatchOptions(bot=str(bot), rules=rules) if rules is not None:
            return await let_bots_play(
                session, rules.name, bot, secret=options.secret, public=options.public
            )
        case WatchOptions(code=str(code)) | ReviewOptions(code=str(code)):
            return await session.follow(code)
        case _:
            raise ValueError(f"no match is named by {options}")


def find_address(options: MatchOptions) -> str:
    """Return the address of the place where it is played; OFFLINE is in this process."""
    if isinstance(options, PlayOptions):
        return options.address or OFFLINE
    return options.server or OFFLINE


def remember(app: App, options: MatchOptions) -> None:
    """Keep what is played in the settings, to be offered again."""
    if isinstance(options, PlayOptions):
        changes: dict[str, object] = {"rules": options.rules.name}
        if options.against_bot:
            changes["opponent"] = options.versus
        if any(getattr(app.settings, name) != value for name, value in changes.items()):
            app.change(**changes)
