"""The commands of `mastermind`: each is a module of its own, named here in the order of the help.

A module has `add_options`, which gives a command's parser its options and `build`: that makes of
what was parsed a value of config/options.py, or what is to be called. It raises MastermindError and
ArgumentTypeError.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from mastermind_client.language import mark as N_

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Mapping

COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "play": N_("play against a bot, a friend or anyone"),
        "join": N_("take the free seat of a match"),
        "continue": N_("go on with a match that was put aside"),
        "watch": N_("look on at a match, or at two bots"),
        "review": N_("see how well a finished match was played"),
        "stats": N_("count your own games"),
        "rules": N_("tell how to play, in ten lines and one example"),
        "bots": N_("list the bots there are to play with"),
        "arena": N_("measure bots: they break every code, or random codes"),
        "bot": N_("let your own bot play on a server"),
        "transfer": N_("be the same player on another computer, by a code"),
        "logout": N_("let a server know this computer no more, or no other"),
        "config": N_("show or reset the settings"),
        "completion": N_("write what completes these commands in a shell"),
    }
)
"""What each command is for, to be translated where it is shown."""


def add_options(command: str, parser: ArgumentParser) -> None:
    """Give a command's parser its options; only now its module, and what that needs, is loaded."""
    from importlib import import_module
    from keyword import iskeyword

    module = import_module(f"{__name__}.{command}" + "_" * iskeyword(command))
    add: Callable[[ArgumentParser], None] = module.add_options
    add(parser)
