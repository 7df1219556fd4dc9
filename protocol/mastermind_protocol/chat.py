"""The chat of a match: two rooms, numbered lines, and the check of a new line.

Players write in one room and spectators in another. Canned phrases are sent by number, so that each
client shows them in its user's language.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec

from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import Name, PlayerId
from mastermind_protocol.text import is_displayable, tidy

MAX_CHAT_LENGTH = 120  # characters: two lines of a terminal
MAX_CHAT_LINES_SHOWN = 20  # lines of a room for a new follower, and of one message: below 16 KiB
MAX_PHRASE_NUMBER = (
    9  # phrases of this version are 1 to MAX_PHRASE_NUMBER; see docs/protocol/chat.md
)

Room: TypeAlias = Literal["players", "spectators"]
ROOMS: tuple[Room, ...] = ("players", "spectators")
ChatText = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_CHAT_LENGTH)]
PhraseNumber = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]  # newer versions may add phrases
LineNumber = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
LineVersion = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
LineTime = Annotated[int, msgspec.Meta(ge=0)]


class ChatLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of a chat room: a `text`, or the number of a canned `phrase`.

    `n` is the number of the line in its room, from 1. `by` is the writer's player id, and `name`
    the writer's name at that time. A newer client can send a `phrase` that this version does not
    know. `v` is the version of the match when the line was said, and `at` the time since the first
    row of the match, in milliseconds. They order the lines of both rooms among the events. An older
    server sends neither.
    """

    room: Room
    n: LineNumber
    by: PlayerId
    name: Name
    text: ChatText | None = None
    phrase: PhraseNumber | None = None
    v: LineVersion | None = None
    at: LineTime | None = None

    @property
    def identity(self) -> tuple[object, ...]:
        """The values that identify a line, also if only one of two servers sends `v` and `at`."""
        return self.room, self.n, self.by, self.name, self.text, self.phrase


def normalise_chat(text: str | None, phrase: int | None) -> str | None:
    """Return the `text` of a new line, tidied and stripped, or None for a phrase.

    Raises Refused unless exactly one of `text` and `phrase` is given. Also raises Refused for an
    undisplayable text, a text of more than MAX_CHAT_LENGTH characters, and an unknown phrase.
    """
    if text is None and phrase is None:
        raise Refused(Reason.NOTHING_SAID, field="text")
    if text is not None and phrase is not None:
        raise Refused(Reason.SAID_TWICE, field="phrase")
    if phrase is not None and not 1 <= phrase <= MAX_PHRASE_NUMBER:
        raise Refused(Reason.UNKNOWN_PHRASE, field="phrase", limit=MAX_PHRASE_NUMBER, phrase=phrase)
    return None if text is None else _normalise_text(text)


def _normalise_text(text: str) -> str:
    trimmed = tidy(text).strip()
    if not is_displayable(trimmed):
        raise Refused(Reason.INVALID_TEXT, field="text")
    if len(trimmed) > MAX_CHAT_LENGTH:
        raise Refused(
            Reason.TEXT_TOO_LONG, field="text", limit=MAX_CHAT_LENGTH, number=len(trimmed)
        )
    return trimmed
