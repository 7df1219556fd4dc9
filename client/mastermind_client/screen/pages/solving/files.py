"""A position as text: pasted, or saved and loaded after a question for the name of the file."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.files import write_atomically
from mastermind_client.language import gettext as _
from mastermind_client.messages.failures import write_sentence
from mastermind_client.messages.solving.notation import (
    MAX_FILE_BYTES,
    InvalidNotation,
    explain_excess,
    find_path,
    load_position,
    read_feedback,
    read_position,
    read_turn,
    write_position,
)
from mastermind_client.screen.pages.solving.draft import Draft
from mastermind_client.screen.toolkit.overlays import Answer, Card, LinePrompt

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mastermind_client.messages.solving.notation import Position
    from mastermind_client.screen.app import App
    from mastermind_protocol.match import Turn
    from mastermind_protocol.rules import Rules

DEFAULT_FILE = "mastermind.txt"
MAX_PATH_CHARACTERS = 4096  # of Linux


class PositionFiles:
    """Asks for files of one page. `on_loaded` receives a position, `on_saved` the saved turns.

    The first question suggests `path`, or DEFAULT_FILE.

    A player on another computer has no files here: there the text is copied and pasted instead.
    """

    def __init__(
        self,
        app: App,
        path: Path | None,
        on_loaded: Callable[[Position], None],
        on_saved: Callable[[tuple[Turn, ...]], None],
    ) -> None:
        self._app, self._on_loaded, self._on_saved = app, on_loaded, on_saved
        self._name = DEFAULT_FILE if path is None else str(path)  # of the last file

    def ask_to_save(self, rules: Rules, turns: tuple[Turn, ...]) -> None:
        """Ask for a file, and write the turns to it. A file is replaced only after a question."""
        written = write_position(rules, turns)
        if not self._app.context.local:
            self._app.terminal.copy(written)
            self._app.notify(_("Copied, if your terminal allows it."))
            self._on_saved(turns)
            return

        def accept(name: str) -> str | None:
            if not name:
                return _("Type the name of a file.")
            self._app.spawn(self._save(find_path(name), written, turns))
            return None

        self._app.prompt(LinePrompt(_("Save as:"), accept, self._name, MAX_PATH_CHARACTERS))

    def ask_to_load(self, rules: Rules) -> None:
        """Ask for a file, and load its turns, by `rules` unless the file names others."""

        def accept(name: str) -> str | None:
            if not name:
                return _("Type the name of a file.")
            self._app.spawn(self._load(find_path(name), rules))
            return None

        self._app.prompt(LinePrompt(_("Load from:"), accept, self._name, MAX_PATH_CHARACTERS))

    async def _save(self, path: Path, written: str, turns: tuple[Turn, ...]) -> None:
        write = partial(self._write, path, written, turns)
        if await asyncio.to_thread(path.exists):
            question = _("Replace {file}?").format(file=path.name)
            self._app.ask(
                Card(
                    question,
                    Answer(_("Keep it"), _("Nothing is saved."), self._app.redraw),
                    Answer(
                        _("Replace it"), _("Its contents are lost."),
                        lambda: self._app.spawn(write()),
                    ),
                )
            )  # fmt: skip
        else:
            await write()

    async def _write(self, path: Path, written: str, turns: tuple[Turn, ...]) -> None:
        await asyncio.to_thread(write_atomically, path, written.encode())
        self._name = str(path)
        self._on_saved(turns)
        self._app.notify(_("Saved: {file}.").format(file=path))

    async def _load(self, path: Path, rules: Rules) -> None:
        try:
            position = await asyncio.to_thread(load_position, path, rules)
        except InvalidNotation as error:
            self._app.show_error(write_sentence(str(error)))
            return
        self._name = str(path)
        self._on_loaded(position)


def paste(draft: Draft, text: str) -> Draft:
    """Return the draft after a paste, or with the reason why the text cannot be read.

    Several lines replace all lines of the draft. A single line is the answer behind a full row,
    otherwise a guess, or a guess with its answer.
    """
    if len(text) > MAX_FILE_BYTES:
        return replace(draft, notice=write_sentence(explain_excess()))
    try:
        if len(text.strip().splitlines()) > 1:
            return load(draft, read_position(text, usual=draft.rules))
        if draft.is_answering:
            return draft.answer(read_feedback(text, draft.rules))
        turn = read_turn(text, draft.rules)
    except InvalidNotation as error:
        pasted = draft.change_entry(lambda entry: entry.paste(text, draft.rules))
        is_guess = not (draft.is_answering or pasted.notice)
        return pasted if is_guess else replace(draft, notice=write_sentence(str(error)))
    if draft.locked:
        return draft.change_entry(lambda entry: entry.fill(turn.code))  # refuses it
    return draft.offer(turn.code).answer(turn.feedback)


def load(draft: Draft, position: Position) -> Draft:
    """Return the draft with the lines of a position. Undo leads back if the rules are the same."""
    if position.rules == draft.rules:
        return draft.replace_turns(position.turns)
    return Draft.begin(position.rules, position.turns, locked=draft.locked)
