"""The one way into every match: what the command line or a form asks for is begun here.

The screens are loaded when they are opened: they begin matches too, and home is painted sooner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.options import OFFLINE, JoinOptions, PlayOptions, ReviewOptions, WatchOptions
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_client.mirror import Mirror
    from mastermind_client.options import FaceOptions
    from mastermind_client.session import Session
    from mastermind_client.tui.face import Face
    from mastermind_client.tui.places import Place
    from mastermind_client.tui.screen import Screen


def begin(face: Face, options: FaceOptions) -> None:
    """Start what is asked for, on top of what is shown: a match, or the list to pick one from."""
    match options:
        case JoinOptions(code=None, server=server):
            from mastermind_client.tui.screens.find import FindScreen

            face.open(FindScreen(face, server))
        case WatchOptions(code=None, bot=None, server=server):
            from mastermind_client.tui.screens.matches import MatchesScreen

            face.open(MatchesScreen(face, server))
        case ReviewOptions(code=None, server=server):
            from mastermind_client.tui.screens.archive import ArchiveScreen

            face.open(ArchiveScreen(face, server))
        case _:
            from mastermind_client.tui.screens.entering import EnteringScreen

            face.open(EnteringScreen(face, options))


def make_screen(face: Face, place: Place, mirror: Mirror, *, review: bool = False) -> Screen:
    """Return the screen that shows a match as it stands; a finished one to `review` by moves."""
    phase = mirror.state.phase
    if review and phase is Phase.FINISHED:
        from mastermind_client.tui.screens.replay import ReplayScreen

        return ReplayScreen(face, place, mirror)
    if phase is Phase.GATHERING and mirror.state.seat_of(place.me) is not None:
        from mastermind_client.tui.screens.waiting import WaitingScreen

        return WaitingScreen(face, place, mirror)
    if mirror.state.seat_of(place.me) is not None:
        from mastermind_client.tui.screens.player import PlayerScreen

        return PlayerScreen(face, place, mirror)
    from mastermind_client.tui.screens.spectator import SpectatorScreen

    return SpectatorScreen(face, place, mirror)


async def enter(session: Session, options: FaceOptions) -> Mirror:
    """Come to the match that is asked for, and follow it. Raises Refused, ServerUnreachable."""
    from mastermind_client.seating import let_bots_play, sit_down

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


def find_address(options: FaceOptions) -> str:
    """Return the address of the place where it is played; OFFLINE is in this process."""
    if isinstance(options, PlayOptions):
        return options.address or OFFLINE
    return options.server or OFFLINE


def remember(face: Face, options: FaceOptions) -> None:
    """Keep what is played in the settings, to be offered again."""
    if isinstance(options, PlayOptions):
        changes: dict[str, object] = {"rules": options.rules.name}
        if options.against_bot:
            changes["opponent"] = options.versus
        if any(getattr(face.settings, name) != value for name, value in changes.items()):
            face.change(**changes)
