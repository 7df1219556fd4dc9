"""`mastermind completion`: what a shell needs to complete our command lines, made by shtab."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import shtab

from mastermind_client.cli.arguments import add_language
from mastermind_client.cli.parser import make_parser
from mastermind_client.config.options import ANYONE, FRIEND, LEVELS
from mastermind_client.language import gettext as _
from mastermind_protocol.rules import PRESETS

if TYPE_CHECKING:
    from argparse import ArgumentParser

# What an option is offered that takes other values too: no choices, or nothing else would do.
_OFFERED = {"rules": tuple(PRESETS), "versus": (FRIEND, ANYONE, *LEVELS)}


def add_options(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "shell",
        choices=("bash", "zsh"),
        help=_(
            'which one; eval "$(mastermind completion bash)" in ~/.bashrc completes at once, and '
            "the same for zsh in ~/.zshrc, after compinit"
        ),
    )
    add_language(parser)
    parser.set_defaults(build=lambda parsed: partial(_run, parsed.shell))


def write_completion(shell: str) -> str:
    """Return the script that completes `mastermind` in that shell: "bash" or "zsh"."""
    parser = make_parser()
    _offer(parser)
    return str(shtab.complete(parser, shell))


def _run(shell: str) -> None:
    """Print the script for a shell."""
    print(write_completion(shell))


def _offer(parser: ArgumentParser) -> None:
    for action in parser._actions:
        if action.dest in _OFFERED:
            action.choices = _OFFERED[action.dest]
        elif isinstance(action.choices, dict):  # the commands
            for command in action.choices.values():
                _offer(command)
