"""The help of a first game: a question for the name, and hints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.settings import SETTINGS, InvalidSetting
from mastermind_client.language import gettext as _
from mastermind_client.messages.failures import write_sentence
from mastermind_client.messages.rules import find_screen_hint, is_played_out
from mastermind_client.screen.toolkit.overlays import LinePrompt

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.screen.app import App
    from mastermind_protocol.match import Match


def needs_name(app: App) -> bool:
    """Return whether the user has not been asked for a name yet."""
    return app.settings.introduction == "all" and app.settings.name is None


def ask_name(app: App, begin: Callable[[], None], cancel: Callable[[], None]) -> None:
    """Ask for the player's name, save it, and call `begin`. An empty line makes a guest.

    Esc saves nothing and calls `cancel`.
    """

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
        await app.servers.close()  # only a new connection sends the name
        begin()

    label = _("Your name (Enter for a guest's):")
    app.prompt(LinePrompt(label, take, decline=cancel))


def find_hint(app: App, match: Match, me: str, *, full: bool) -> str:
    """Return the hint for a first game in this state of the match, or an empty string."""
    if app.settings.introduction == "none":
        return ""
    return find_screen_hint(match, me, full=full)


def end_hints_after(app: App, match: Match, me: str) -> None:
    """End the hints if the match was played to its end."""
    if app.settings.introduction != "none" and is_played_out(match, me):
        app.change(introduction="none")
