"""The notes of a match, in the order of time: texts about events, chat and connections."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.messages.codes import prefer_letters
from mastermind_client.messages.events import describe_commitment, describe_events
from mastermind_client.messages.players import describe_chat_line, format_chat_text, format_speaker
from mastermind_client.messages.ratings import describe_prospects
from mastermind_client.messages.rounds import describe_secret
from mastermind_client.messages.updates import describe_session_update
from mastermind_client.network.updates import ChatReceived, CodeRevealed, MatchRestored, Moved
from mastermind_protocol.events import (
    Advised,
    AnyEvent,
    Declined,
    Finished,
    Guessed,
    Joined,
    Left,
    Opened,
    Rated,
    RematchOffered,
    Resumed,
    RoundEnded,
    SecretSet,
    Unrated,
)
from mastermind_protocol.transitions import evolve

if TYPE_CHECKING:
    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.updates import Update

MAX_NOTES = 500  # the oldest ones are dropped


class NoteKind(StrEnum):
    """The subject of a note. An action is another player's choice, for example resigning."""

    NEWS = "news"
    ACTION = "action"
    CHAT = "chat"
    CONNECTION = "connection"


class Moment(NamedTuple):
    """A time in a match: its `version`, and the milliseconds since its first row.

    The event that leads to a version has 0 milliseconds, and precedes all chat of this version.
    """

    version: int
    at: int = 0


START = Moment(0)


@dataclass(frozen=True, slots=True)
class Note:
    """A text about a match.

    `version` is the version of the match after the event of the note. The note is hidden while an
    earlier version is displayed. Only chat notes have an `author`, the player's id, and the `name`
    and the `words` of the player. Notes are in the order of `since`.
    """

    kind: NoteKind
    text: str
    author: str | None = None
    version: int = 0
    name: str = ""
    words: str = ""
    since: Moment = START


@dataclass(slots=True)
class Feed:
    """The notes of one match, the oldest first.

    `version` is the version of the match after the last event. Guesses have no notes, because the
    board shows them.
    """

    mirror: Mirror
    notes: list[Note] = field(default_factory=list)
    version: int = 0  # of the match; each row of the log adds one

    def add_update(self, update: Update, me: str) -> None:
        """Add notes about an update. `me` is our player id."""
        match update:
            case Moved():
                self._add_event_notes(update, me)
            case CodeRevealed(_, match):
                for words in describe_secret(match.played[-1], prefer_letters(match).rules):
                    self._add(Note(NoteKind.NEWS, words, version=self.version), self._latest)
            case ChatReceived(_, match, line):
                text = describe_chat_line(line, match, me)
                name = format_speaker(line, match, me)
                said = format_chat_text(line)
                note = Note(NoteKind.CHAT, text, line.by, name=name, words=said)
                since = self._latest if line.v is None else Moment(line.v, line.at or 0)
                self._add(note, since)
            case MatchRestored(version=version):
                known = (note.since for note in self.notes if note.since.version <= version)
                last = max(known, default=START)
                self.notes = [
                    replace(note, since=min(note.since, last))
                    for note in self.notes
                    if note.version <= version
                ]
                self.version = version
                self._add_connection_note(update)
            case _:
                self._add_connection_note(update)

    def _add_connection_note(self, update: Update) -> None:
        if words := describe_session_update(update):
            self._add(Note(NoteKind.CONNECTION, words), self._latest)

    def _add_event_notes(self, moved: Moved, me: str) -> None:
        match = moved.before
        self.version += 1
        since = Moment(self.version)
        for event in moved.events:
            if (kind := _choose_kind(event, me)) is not None:
                displayed = match and prefer_letters(match)  # as on the board
                for words in describe_events((event,), displayed, me):
                    self._add(Note(kind, words, version=self.version), since)
            match = evolve(match, event)
            if isinstance(event, SecretSet) and event.commitment is not None:
                commitment = describe_commitment(match.current)  # in full, for comparison
                self._add(Note(NoteKind.NEWS, commitment, version=self.version), since)
        prospects = describe_prospects(moved.after, moved.mirror.ratings, me)
        if prospects and moved.has_filled_seats:
            self._add(Note(NoteKind.NEWS, prospects, version=self.version), since)

    @property
    def _latest(self) -> Moment:
        return self.notes[-1].since if self.notes else START

    def _add(self, note: Note, since: Moment) -> None:
        """Add a note behind those before or at `since`."""
        place = bisect_right(self.notes, since, key=lambda each: each.since)
        self.notes.insert(place, replace(note, since=since))
        del self.notes[:-MAX_NOTES]


def _choose_kind(event: AnyEvent, me: str) -> NoteKind | None:
    """Return the kind of the notes about an event, or None if the event gets no notes."""
    match event:
        case Opened() | Guessed():
            return None
        case Advised(by=player) | Left(player=player):
            return NoteKind.NEWS if player == me else NoteKind.ACTION
        case (
            Joined() | Declined() | Unrated() | Resumed() | SecretSet() | RoundEnded() | Finished()
            | RematchOffered() | Rated()
        ):  # fmt: skip
            return NoteKind.NEWS
