"""What has happened in a match, in words: a list that grows, of news, chat and connections."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from mastermind_client.messages.codes import prefer_letters
from mastermind_client.messages.events import describe_commitment, describe_events
from mastermind_client.messages.players import (
    describe_chat_line,
    describe_connection,
    format_chat_text,
    format_speaker,
)
from mastermind_client.net.updates import Heard, Moved
from mastermind_protocol.commands import find_command
from mastermind_protocol.events import (
    Finished,
    Guessed,
    Joined,
    Opened,
    RematchOffered,
    RoundEnded,
    SecretSet,
)
from mastermind_protocol.transitions import evolve

if TYPE_CHECKING:
    from mastermind_client.net.mirror import Mirror
    from mastermind_client.net.updates import Update

_BY_THE_RULES = (Joined, SecretSet, RoundEnded, RematchOffered, Finished)
LINES_KEPT = 500  # more than anybody scrolls back


class Kind(StrEnum):
    """What a note is about: a deed is news of what another person did, and not the rules."""

    NEWS = "news"
    DEED = "deed"
    CHAT = "chat"
    CONNECTION = "connection"


@dataclass(frozen=True, slots=True)
class Note:
    """One note; in chat `by` is the player id of whoever said it, by `name`, in these `words`.

    News is of a `version` of the match: one who sees an earlier one is not to be told of it yet.
    """

    kind: Kind
    text: str
    by: str | None = None
    version: int = 0
    name: str = ""
    words: str = ""


@dataclass(slots=True)
class Feed:
    """The notes of one match, the oldest first. Guesses are not in it: the board shows them."""

    mirror: Mirror
    notes: list[Note] = field(default_factory=list)
    version: int = 0  # of the match, as far as it is noted: each row of its log is one more

    def note(self, update: Update, me: str) -> None:
        """Add what happened in the match, in the words for the player with id `me`."""
        match update:
            case Moved():
                self._add_news(update, me)
            case Heard(_, match, line):
                told = describe_chat_line(line, match, me)
                name = format_speaker(line, match, me)
                self._add(Note(Kind.CHAT, told, line.by, name=name, words=format_chat_text(line)))
            case _:
                if words := describe_connection(update):
                    self._add(Note(Kind.CONNECTION, words))

    def _add_news(self, moved: Moved, me: str) -> None:
        match = moved.before
        if match is None:  # the log is told from its beginning, perhaps again; then comes the chat
            self.notes = [note for note in self.notes if note.kind is Kind.CONNECTION]
            self.version = 0
        self.version += 1
        for event in moved.events:
            if not isinstance(event, Guessed | Opened):
                kind = Kind.NEWS
                if match is not None and not isinstance(event, _BY_THE_RULES):
                    _command, doer = find_command(event, match)
                    kind = Kind.NEWS if doer == me else Kind.DEED
                told = match and prefer_letters(match)  # as the board shows them
                for words in describe_events((event,), told, me):
                    self._add(Note(kind, words, version=self.version))
            match = evolve(match, event)
            if isinstance(event, SecretSet) and event.commitment is not None:
                seal = describe_commitment(
                    match.current
                )  # in full: this is where it can be compared
                self._add(Note(Kind.NEWS, seal, version=self.version))

    def _add(self, note: Note) -> None:
        self.notes.append(note)
        del self.notes[:-LINES_KEPT]
