"""What the first game comes with: a question for the name, once, and hints until it is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.settings import SETTINGS, InvalidSetting
from mastermind_client.language import gettext as _
from mastermind_client.messages.refusals import write_sentence
from mastermind_client.messages.rules import find_screen_hint, is_played_out
from mastermind_client.screen.kit.overlays import LinePrompt

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.screen.app import App
    from mastermind_protocol.match import Match


def ask_name(app: App, begin: Callable[[], None]) -> None:
    """Begin a game, the first one after asking who plays it; Enter and Esc are a guest's answer."""
    settings = app.settings
    if settings.introduction != "all" or settings.name is not None:
        begin()
        return

    def take(text: str) -> str | None:
        try:
            name = SETTINGS["name"].accept(text)
        except InvalidSetting as error:
            return write_sentence(str(error))
        app.change(introduction="hints", name=name)
        app.end_line()
        if not name:
            app.notify(_("You play as a guest. The settings give you a name."))
        app.spawn(begin_anew())
        return None

    async def begin_anew() -> None:
        await app.places.close()  # a server is told the name at the beginning
        begin()

    def decline() -> None:
        app.change(introduction="hints")
        begin()

    app.prompt(LinePrompt(_("Your name (Enter for a guest's):"), take, decline=decline))


def find_hint(app: App, match: Match, me: str, *, full: bool) -> str:
    """Return what a beginner is told of a match now; nothing to anybody else."""
    if app.settings.introduction == "none":
        return ""
    return find_screen_hint(match, me, full=full)


def end_with(app: App, match: Match, me: str) -> None:
    """Give no more hints when a match was the first that was played to its end."""
    if app.settings.introduction != "none" and is_played_out(match, me):
        app.change(introduction="none")
