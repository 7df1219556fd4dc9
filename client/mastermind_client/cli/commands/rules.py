"""`mastermind rules`: how to play, in ten lines and one example."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.cli.arguments import add_language, describe_rules
from mastermind_client.config.settings import Settings, load
from mastermind_client.language import gettext as _
from mastermind_client.words.how_to_play import write_how_to_play
from mastermind_protocol.rules import find_rules

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from mastermind_protocol.rules import Rules


def add_options(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "rules",
        nargs="?",
        metavar=_("RULES"),
        help=_("{rules} (default: those played last)").format(rules=describe_rules()),
    )
    add_language(parser)
    parser.set_defaults(build=lambda parsed: partial(_run, _find(parsed.rules)))


def _find(name: str | None) -> Rules:
    """Return the rules that are named, or a person's last ones: a script gets the usual ones."""
    settings = load().settings if sys.stdout.isatty() else Settings()
    return find_rules(name or settings.rules)


def _run(rules: Rules) -> None:
    """Print how to play."""
    for line in write_how_to_play(rules):
        print(line)
