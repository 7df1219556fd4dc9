"""What has happened in a match, in words, as a list that grows: news, chat and connections."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from mastermind_client.net.updates import Heard, Moved
from mastermind_client.words.chat import describe_line
from mastermind_client.words.connection import describe_connection
from mastermind_client.words.events import describe
from mastermind_protocol.events import Guessed, Opened
from mastermind_protocol.match import evolve

if TYPE_CHECKING:
    from mastermind_client.net.mirror import Mirror
    from mastermind_client.net.updates import Update

LINES_KEPT = 500  # more than anybody reads again


class Kind(StrEnum):
    """What a note is about."""

    NEWS = "news"
    CHAT = "chat"
    CONNECTION = "connection"


@dataclass(frozen=True, slots=True)
class Note:
    """One note; `by` is the player id of whoever said it, in chat."""

    kind: Kind
    text: str
    by: str | None = None


@dataclass(slots=True)
class Journal:
    """The notes of one match, the oldest first. Guesses are not in it: the board shows them."""

    mirror: Mirror
    notes: list[Note] = field(default_factory=list)

    def note(self, update: Update, me: str) -> None:
        """Take up something that happened in the match, as the player with id `me` is told it."""
        match update:
            case Moved():
                self._add_news(update, me)
            case Heard(mirror, line):
                text = describe_line(line, mirror.state, me)
                self._add(Note(Kind.CHAT, text, line.by))
            case _:
                if words := describe_connection(update):
                    self._add(Note(Kind.CONNECTION, words))

    def _add_news(self, moved: Moved, me: str) -> None:
        match = moved.before
        if match is None:  # all is told from the beginning, perhaps once more; then comes the chat
            self.notes = [note for note in self.notes if note.kind is Kind.CONNECTION]
        for event in moved.events:
            if not isinstance(event, Guessed | Opened):
                for text in describe((event,), match, me):
                    self._add(Note(Kind.NEWS, text))
            match = evolve(match, event)

    def _add(self, note: Note) -> None:
        self.notes.append(note)
        del self.notes[:-LINES_KEPT]
