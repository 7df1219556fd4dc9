"""`mastermind arena`: bots break every code, or many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.cli.arguments import add_language
from mastermind_client.net import embedded

if TYPE_CHECKING:
    from argparse import ArgumentParser


def add_options(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    embedded.add_arena_arguments(parser)
    add_language(parser)
