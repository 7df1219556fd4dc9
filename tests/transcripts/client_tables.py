"""Write the tables of docs/CLIENT.md and the tables and transcripts of docs/LINES.md.

    make transcripts

A block begins with `<!-- NAME: ... -->` and ends with `<!-- end -->`. The code has all of its text.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from kit.screen.seats import seats_at
from mastermind_client.actions import ACTIONS
from mastermind_client.cli.commands import make_parser
from mastermind_client.config.settings import SETTINGS
from mastermind_client.lines.player import LinePlayer
from mastermind_client.screen.toolkit.keys import Binding, Key
from transcripts.runner import Scene, read

ROOT = Path(__file__).parents[2]
DOCUMENTS = tuple(ROOT / "docs" / name for name in ("CLIENT.md", "LINES.md"))
BLOCK = re.compile(r"(?s)(<!-- (\w+): ([^>]*) -->\n\n).*?(<!-- end -->)")
TOLD = " is told of "  # a check of the scene
SHARED = 4  # options of at least this many commands, with one meaning, are listed once


def write_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of Markdown."""
    top, *lines = [re.sub(" +", " ", f"| {' | '.join(line)} |") for line in (head, *rows)]
    return "\n".join([top, f"|{'---|' * len(head)}", *lines])


def code(text: str) -> str:
    """Return text as code of Markdown, or nothing for no text."""
    return f"`{text}`" if text else ""


class Commands:
    """The commands of `mastermind --help`, with their arguments."""

    def __init__(self) -> None:
        (found,) = [
            action
            for action in make_parser()._actions
            if isinstance(action, argparse._SubParsersAction)
        ]
        self._about = {action.dest: action.help or "" for action in found._choices_actions}
        self._parsers: dict[str, argparse.ArgumentParser] = found.choices
        meanings: dict[str, list[str]] = {}
        for parser in self._parsers.values():
            for action in list_visible(parser):
                for option in action.option_strings[:1]:
                    known = "" if action.dest in SETTINGS else action.help or ""
                    meanings.setdefault(option, []).append(known)
        self._shared = {
            option
            for option, found_helps in meanings.items()
            if len(found_helps) >= SHARED and len(set(found_helps)) == 1
        }

    def list_commands(self) -> Iterator[tuple[str, ...]]:
        """Yield each command, its sentence, and the arguments that few other commands have."""
        for name, parser in self._parsers.items():
            written = [
                write_argument(action)
                for action in list_visible(parser)
                if not self._shared.intersection(action.option_strings)
            ]
            yield code(name), self._about[name], code(" ".join(written))

    def list_shared_options(self) -> Iterator[tuple[str, str]]:
        """Yield each option of many commands that changes no setting, and its sentence."""
        for action in self._find_shared_options():
            if action.dest not in (*SETTINGS, "help"):
                yield code(write_argument(action)), action.help or ""

    def list_settings(self) -> Iterator[tuple[str, ...]]:
        """Yield each setting, its option, its default before its other choices, and its meaning."""
        options: dict[str, list[str]] = {}
        for action in self._find_shared_options():
            options.setdefault(action.dest, []).append(code(action.option_strings[-1]))
        for setting in SETTINGS.values():
            default = () if setting.default is None else (setting.default,)
            values = dict.fromkeys((*default, *setting.choices))
            named = " ".join(options.get(setting.name, ()))
            yield (
                code(setting.name),
                named,
                code(" ".join(map(json.dumps, values))),
                setting.meaning,
            )

    def _find_shared_options(self) -> list[argparse.Action]:
        found = {
            action.option_strings[-1]: action
            for parser in self._parsers.values()
            for action in list_visible(parser)
            if self._shared.intersection(action.option_strings)
        }
        return list(found.values())


def list_visible(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Return the arguments of a command that its help names."""
    return [action for action in parser._actions if action.help != argparse.SUPPRESS]


def write_argument(action: argparse.Action) -> str:
    """Return an argument as a usage line has it."""
    choices = f"{{{','.join(map(str, action.choices))}}}" if action.choices else ""
    value = str(action.metavar or choices or action.dest.upper())
    if not action.option_strings:
        return f"[{value}]" if action.nargs == "?" else value
    name = action.option_strings[-1]
    return name if action.nargs == 0 else f"{name} {value}"


def list_actions() -> Iterator[tuple[str, ...]]:
    """Yield the letter and the word of each action of the line interface, and its sentence."""
    for action in ACTIONS.values():
        if action.command is not None or hasattr(LinePlayer, f"do_{action.name}"):
            word = code(f"{action.name} {action.takes}".rstrip())
            yield f"{code(action.letter)} {word}".lstrip(), action.sentence


async def read_keys() -> tuple[Binding, ...]:
    """Return the keys of a match and the keys of every screen."""
    with TemporaryDirectory() as home:
        folders = {f"XDG_{kind}_HOME": home for kind in ("CONFIG", "DATA", "STATE")}
        with patch.dict(os.environ, folders):
            async with seats_at() as seats:
                app = (await seats.against()).app
                return (*app.screen.keys, *app._global_keys)


def list_keys(bindings: Sequence[Binding]) -> Iterator[tuple[str, str]]:
    """Yield each key of the help and the sentences of its bindings."""
    sentences: dict[str, dict[str, None]] = {}
    for binding in filter(lambda each: each.does, bindings):
        named = isinstance(binding, Key)
        label = " ".join(map(code, binding.label.split())) if named else binding.label
        sentences.setdefault(label, {})[binding.does] = None
    for label, does in sentences.items():
        yield label, " / ".join(does)


def write_transcript(scene: Scene) -> str:
    """Return a scene as a terminal shows it; the actions of others are comments."""
    text = ""
    for step in scene.steps:
        if TOLD in step.text:
            continue
        if step.gives_command or step.kind == "*":
            end = "" if not text or text.endswith("\n") else "\n"
            text += f"{end}{'$' if step.gives_command else '#'} {step.text}\n"
        text += step.shown.removeprefix("\n") if text.endswith("\n") else step.shown
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return f"```text\n{lines}\n```"


def find_scene(title: str) -> Scene:
    """Return the scene of a title."""
    scenes = [
        scene
        for path in sorted((ROOT / "tests" / "transcripts").glob("*.txt"))
        for scene in read(path.read_text("utf-8"))
    ]
    (found,) = [scene for scene in scenes if scene.title == title]
    return found


def write_blocks(document: str, keys: Sequence[Binding]) -> str:
    """Return the document with the blocks that the code and the transcripts have."""
    commands = Commands()
    tables: dict[str, tuple[Sequence[str], Iterable[Sequence[str]]]] = {
        "commands": (("command", "to", "own arguments"), commands.list_commands()),
        "options": (("option", "meaning"), commands.list_shared_options()),
        "settings": (
            ("setting", "option", "default, other choices", "meaning"), commands.list_settings(),
        ),
        "actions": (("type", "what it does"), list_actions()),
        "keys": (("key", "what it does"), list_keys(keys)),
    }  # fmt: skip

    def write(found: re.Match[str]) -> str:
        begin, name, title, end = found.groups()
        if name == "transcript":
            return f"{begin}{write_transcript(find_scene(title))}\n\n{end}"
        return f"{begin}{write_table(*tables[name])}\n\n{end}"

    return BLOCK.sub(write, document)


def main() -> None:
    """Write the documents."""
    keys = asyncio.run(read_keys())
    for path in DOCUMENTS:
        path.write_text(write_blocks(path.read_text("utf-8"), keys), "utf-8")


if __name__ == "__main__":
    main()
