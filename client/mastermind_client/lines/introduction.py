"""What a person's first game comes with: a question for the name, once, and hints."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.config import settings as stored
from mastermind_client.language import gettext as _
from mastermind_client.messages.rules import find_line_hint, is_played_out

if TYPE_CHECKING:
    from mastermind_client.lines.terminal import LineTerminal
    from mastermind_protocol.match import Match


class Introduction:
    """What is still to be told to whoever types at a terminal; a script is told nothing."""

    def __init__(self, terminal: LineTerminal) -> None:
        self._terminal = terminal
        file = terminal.context.settings_file
        settings = stored.load(file).settings if terminal.interactive else None
        self._left = settings.introduction if settings is not None else "none"
        self._told = ""

    @property
    def asks_name(self) -> bool:
        """Whether the name has not been asked for yet."""
        return self._left == "all"

    def keep_name(self, name: str | None) -> None:
        """Keep the answer, so that nobody is asked again."""
        self._change("hints", name=name)

    def tell(self, match: Match, me: str) -> None:
        """Write the hint for what is to be typed now, once; after the first game there are none."""
        if self._left == "none":
            return
        if is_played_out(match, me):
            self._change("none")
            return
        hint = find_line_hint(match, me)
        if hint and hint != self._told:
            self._told = hint
            self._terminal.write(hint)

    def _change(self, left: stored.Introduction, **changes: object) -> None:
        self._left = left
        context = self._terminal.context
        save = partial(stored.save, {"introduction": left, **changes}, context.settings_file)
        context.writer.put(save, self._explain_unsaved)

    def _explain_unsaved(self, error: OSError) -> None:
        told = _("The settings cannot be kept: {reason}.")
        self._terminal.write(told.format(reason=error.strerror))
