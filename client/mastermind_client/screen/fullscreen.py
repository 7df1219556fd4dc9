"""The full-screen interface of one player."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prompt_toolkit.application import create_app_session

from mastermind_client.config.options import ContinueOptions
from mastermind_client.language import bind_language
from mastermind_client.screen.app import App
from mastermind_client.screen.navigation import make_screen
from mastermind_client.screen.screen import MenuPage
from mastermind_client.screen.toolkit.keys import open_output

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

    from mastermind_client.config.options import MatchOptions
    from mastermind_client.config.settings import Settings
    from mastermind_client.context import ClientContext


async def run(
    context: ClientContext,
    options: MatchOptions | ContinueOptions | None,
    settings: Settings,
    problems: tuple[str, ...],
    source: Input | None = None,
    target: Output | None = None,
) -> None:
    """Run the app until the player ends it, or leaves the match of the options.

    `problems` are displayed first. `source` and `target` are the terminal, by default the
    process's. Raises NothingToContinue, and the failure that ended the app after restoring the
    terminal.
    """
    if isinstance(options, ContinueOptions):
        options = await _find_way_back(context, options)
    bind_language(context.language)
    target = target or open_output(context.output, context.environ.get("TERM"))
    with create_app_session(input=source, output=target):
        app = App(context, settings, make_screen)
        app.go(MenuPage.HOME)
        if problems:
            app.show_error(" ".join(problems))
        if options is not None:
            app.go(options)
        await app.run()
    context.output.writelines(f"{line}\n" for line in app.farewell)
    context.output.flush()


async def _find_way_back(context: ClientContext, options: ContinueOptions) -> MatchOptions | None:
    """Return the options of the match to resume, or None to let the player choose at home."""
    from mastermind_client.network import opening  # late: home needs none

    if options.listed and options.code is None:
        await opening.find_seats(context, options)
        return None
    return await opening.find_match_to_resume(context, options)
