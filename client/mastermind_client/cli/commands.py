"""The table of commands. The functions of a command are imported when it is used."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from mastermind_client.language import mark as N_

if TYPE_CHECKING:
    from collections.abc import Mapping


class Command(NamedTuple):
    """A command. Its functions are written as "module:function", in modules of this package.

    `add_arguments(parser)` adds the arguments, and sets `build` as a default: a function from the
    parsed arguments to options, which raises MastermindError and ArgumentTypeError. `run(context,
    options)` runs the command without the full-screen interface: it prints, or returns a coroutine.
    A command that opens an interface has `run(context, options, pace)`.
    """

    about: str
    add_arguments: str
    run: str


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "play": Command(N_("play against a bot, a friend or anyone"),
            "cli.arguments:add_play", "lines.app:play"),
        "join": Command(N_("take the free seat of a match"),
            "cli.arguments:add_join", "lines.app:join"),
        "continue": Command(N_("continue a match that you saved for later"),
            "cli.arguments:add_continue", "lines.app:resume"),
        "watch": Command(N_("watch a match, or two bots"),
            "cli.arguments:add_watch", "lines.app:watch"),
        "review": Command(N_("see how well a finished match was played"),
            "cli.arguments:add_review", "lines.app:review"),
        "stats": Command(N_("count your own games"),
            "cli.arguments:add_stats", "lines.player_data:print_statistics"),
        "leaderboard": Command(N_("list the best players of rated matches"),
            "cli.arguments:add_leaderboard", "lines.standings:print_leaderboard"),
        "profile": Command(N_("show the ratings of a player, or your own"),
            "cli.arguments:add_profile", "lines.standings:print_profile"),
        "rules": Command(N_("print how to play, in ten lines and one example"),
            "cli.arguments:add_rules", "cli.printing:print_rules"),
        "bots": Command(N_("list the bots there are to play with"),
            "cli.arguments:add_bots", "lines.app:list_bots"),
        "arena": Command(N_("measure bots: they break every code, or random codes"),
            "cli.arguments:add_arena", "network.embedded:play_arena"),
        "bot": Command(N_("let your own bot play on a server"),
            "cli.arguments:add_bot", "bot_runner.runner:run"),
        "transfer": Command(N_("be the same player on another computer, by a code"),
            "cli.arguments:add_transfer", "lines.player_data:transfer"),
        "logout": Command(N_("log this computer out of a server, or all your other ones"),
            "cli.arguments:add_logout", "lines.player_data:log_out"),
        "config": Command(N_("show or reset the settings"),
            "cli.arguments:add_config", "cli.printing:print_settings"),
        "completion": Command(N_("write what completes these commands in a shell"),
            "cli.arguments:add_completion", "cli.printing:print_completion"),
    }
)  # fmt: skip
"""The commands in the order of the help. `about` is translated where it is shown."""


def load_function(name: str) -> Any:
    """Import the module of "module:function" and return the function."""
    from importlib import import_module

    module, _colon, function = name.partition(":")
    return getattr(import_module(f"mastermind_client.{module}"), function)
