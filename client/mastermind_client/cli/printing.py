"""The commands `rules`, `config` and `completion`, and their arguments."""

from __future__ import annotations

import os
import shlex
import sys
from itertools import count
from typing import TYPE_CHECKING, Literal

from mastermind_client.cli.arguments import add_language_option, describe_rule_choices
from mastermind_client.cli.process import settings_path
from mastermind_client.config.options import ANYONE, FRIEND, LEVELS
from mastermind_client.config.settings import Settings, load, write_settings
from mastermind_client.files import write_atomically
from mastermind_client.language import gettext as _
from mastermind_client.network.players.identities import Identities
from mastermind_protocol.rules import PRESETS, find_rules

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from pathlib import Path

    from mastermind_client.context import ClientContext
    from mastermind_protocol.rules import Rules


def add_rules(parser: ArgumentParser) -> None:
    """Add the arguments of `rules`."""
    parser.add_argument(
        "rules",
        nargs="?",
        metavar=_("RULES"),
        help=_("{rules} (default: those played last)").format(rules=describe_rule_choices()),
    )
    add_language_option(parser)
    parser.set_defaults(build=_build_rules)


def _build_rules(parsed: Namespace) -> Rules:
    person = sys.stdout.isatty()  # a script gets the same rules for all users
    settings = load(settings_path()).settings if person else Settings()
    return find_rules(parsed.rules or settings.rules)


def print_rules(_context: ClientContext, rules: Rules) -> None:
    """Print how to play."""
    from mastermind_client.messages.rules import format_how_to_play

    for line in format_how_to_play(rules):
        print(line)


def add_config(parser: ArgumentParser) -> None:
    """Add the arguments of `config`."""
    actions = parser.add_mutually_exclusive_group()
    for action, about in (
        ("print", _("show the settings in effect, as the file would have them (default)")),
        ("reset", _("restore the default settings; the old ones are kept in a copy")),
        ("path", _("print where the settings are kept")),
    ):
        actions.add_argument(
            f"--{action}", dest="action", action="store_const", const=action, help=about
        )
    add_language_option(parser)
    parser.set_defaults(action="print", build=lambda parsed: parsed.action)


def run_config(context: ClientContext, action: Literal["print", "reset", "path"]) -> None:
    """Print the settings or their path, or reset the settings. Raises OSError.

    Problems of the file are printed to standard error. A reset keeps a copy of the old file.
    """
    path = context.settings_file
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
    default = write_settings(Settings())
    before = path.read_bytes() if path.exists() else b""
    if before == default.encode():
        return
    if before:
        kept = _write_copy(before, path)
        print(_("The old settings are kept in {file}.").format(file=kept))
    write_atomically(path, default.encode())


def _write_copy(content: bytes, path: Path) -> Path:
    """Write `content` to a new file beside `path`, and return the path of the new file."""
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


def add_completion(parser: ArgumentParser) -> None:
    """Add the arguments of `completion`."""
    parser.add_argument(
        "shell",
        choices=("bash", "zsh"),
        help=_(
            'which one; eval "$(mastermind completion bash)" in ~/.bashrc completes at once, and '
            "the same for zsh in ~/.zshrc, after compinit"
        ),
    )
    add_language_option(parser)
    parser.set_defaults(build=lambda parsed: parsed.shell)


def print_completion(context: ClientContext, shell: str) -> None:
    """Print the script that completes `mastermind` in a shell."""
    print(write_completion(shell, Identities.of(context).people_file))


def write_completion(shell: str, people: Path) -> str:
    """Return the script that completes `mastermind` in a shell, "bash" or "zsh".

    The file `people` has the names that complete the player to challenge.
    """
    import shtab

    from mastermind_client.cli.commands import make_parser

    parser = make_parser()
    _add_choices(parser)
    file = shlex.quote(str(people))
    preamble = _COMPLETE_PEOPLE[shell].replace("FILE", file)
    return str(shtab.complete(parser, shell, preamble=preamble))


_COMPLETE_PEOPLE = {
    "bash": """
_mastermind_people() {
  local name
  [[ -r FILE ]] && while IFS= read -r name; do
    [[ $name == "$1"* ]] && printf '%q\\n' "$name"
  done < FILE
}
""",
    "zsh": """
_mastermind_people() {
  local -a names
  [[ -r FILE ]] && names=("${(@f)$(<FILE)}") && compadd -a names
}
""",
}
"""Functions of the shells that read the file FILE."""


_FILE_ARGUMENTS = ("file", "cafile")


def _add_choices(parser: ArgumentParser) -> None:
    """Add choices to options that accept any text, for the completion to offer."""
    import shtab

    offered = {"rules": tuple(PRESETS), "versus": (FRIEND, ANYONE, *LEVELS)}
    for action in parser._actions:
        if action.dest in offered and action.choices is None:
            action.choices = offered[action.dest]
        elif action.dest == "opponent":
            action.complete = dict.fromkeys(_COMPLETE_PEOPLE, "_mastermind_people")  # type: ignore[attr-defined]
        elif action.dest in _FILE_ARGUMENTS:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif isinstance(action.choices, dict):  # the commands
            for command in action.choices.values():
                _add_choices(command)
