"""`mastermind config`: the settings in effect, the default ones again, or where they are kept."""

from __future__ import annotations

import os
import sys
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Literal

from mastermind_client.cli.arguments import add_language
from mastermind_client.config.settings import Settings, load, write_settings
from mastermind_client.config.settings_file import replace_file, settings_path
from mastermind_client.language import gettext as _

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from pathlib import Path


def add_options(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    actions = parser.add_mutually_exclusive_group()
    for action, about in (
        ("print", _("show the settings in effect, as the file would have them (default)")),
        ("reset", _("have the default settings again; those that were there are kept beside")),
        ("path", _("tell where the settings are kept")),
    ):
        actions.add_argument(
            f"--{action}", dest="action", action="store_const", const=action, help=about
        )
    add_language(parser)
    parser.set_defaults(action="print", build=lambda parsed: partial(_run, parsed.action))


def _run(action: Literal["print", "reset", "path"]) -> None:
    """Do what was asked for; what is wrong in the file is told on standard error. Raises OSError.

    Settings that are reset are kept beside the new ones, and so are those of an earlier time: a
    hand may have written them.
    """
    path = settings_path()
    match action:
        case "path":
            print(path)
        case "print":
            loaded = load(path)
            print(write_settings(loaded.settings), end="")
            for problem in loaded.problems:
                print(f"mastermind: {problem}", file=sys.stderr)
        case "reset":
            _reset(path)
            print(_("{file} has the default settings.").format(file=path))


def _reset(path: Path) -> None:
    """Write the default settings, and keep those that were there unless they are the same."""
    default = write_settings(Settings())
    before = path.read_bytes() if path.exists() else b""
    if before == default.encode():
        return
    if before:
        kept = _keep(before, path)
        print(_("The settings that were there are kept in {file}.").format(file=kept))
    replace_file(path, default)


def _keep(content: bytes, path: Path) -> Path:
    """Write what was in a file into the first one beside it that is not there yet."""
    for number in count(1):
        kept = path.with_name(f"{path.name}.bak{number if number > 1 else ''}")
        try:
            descriptor = os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode=0o600)
        except FileExistsError:
            continue
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        break
    return kept
