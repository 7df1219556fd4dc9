"""The full-screen interface on the terminal of this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.options import ContinueOptions
from mastermind_client.language import read_surroundings
from mastermind_client.screen.app import App
from mastermind_client.screen.kit.mouse import open_output
from mastermind_client.screen.navigation import make_screen
from mastermind_client.screen.screen import MenuPage

if TYPE_CHECKING:
    from mastermind_client.config.options import MatchOptions
    from mastermind_client.config.settings import Settings


async def run(
    options: MatchOptions | ContinueOptions | None, settings: Settings, problems: tuple[str, ...]
) -> None:
    """Run the app on this terminal until it is left: at home, or with what was asked for.

    `problems` are told first. Raises NothingToContinue, and what made it fail; the terminal has
    been restored by then.
    """
    if isinstance(options, ContinueOptions):
        options = await _find_way_back(options)
    app = App(settings, read_surroundings(), make_screen, target=open_output())
    app.go(MenuPage.HOME)
    if problems:
        app.show_error(" ".join(problems))
    if options is not None:
        app.go(options)
    await app.run()
    for line in app.farewell:
        print(line)


async def _find_way_back(options: ContinueOptions) -> MatchOptions | None:
    """Return the match to go on with; None is home, where it is picked from the list."""
    from mastermind_client.net import lookup  # late: home needs none

    if options.listed and options.code is None:
        await lookup.find_seats(options)
        return None
    return await lookup.find_way_back(options)
