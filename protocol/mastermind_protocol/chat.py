"""What people say to each other at a match: the two rooms, one line, and what a line may be.

The players talk in one room and whoever only looks on in another. Canned phrases travel by their
number, so that every client shows them in its reader's language.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec

from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import Name, PlayerId
from mastermind_protocol.text import can_be_shown, tidy

MAX_CHAT = 120  # characters: two lines of a terminal, and nobody's turn to read takes long
MAX_CHAT_SHOWN = 20  # lines of one room in one message, so that it stays under 16 KiB
MAX_PHRASE = 9  # the phrases of this version have the numbers up to here; docs say what they mean

Room: TypeAlias = Literal["players", "spectators"]
ROOMS: tuple[Room, ...] = ("players", "spectators")
ChatText = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_CHAT)]
PhraseNumber = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]  # newer versions may have more
LineNumber = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]


class ChatLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of a room, its `n`-th in this match, from 1: a `text` or a phrase by its number.

    `name` is what the player `by` was called when it was said. A phrase may be one that only newer
    versions know.
    """

    room: Room
    n: LineNumber
    by: PlayerId
    name: Name
    text: ChatText | None = None
    phrase: PhraseNumber | None = None


def check_words(text: str | None, phrase: int | None) -> str | None:
    """Return the text to be said, tidy and without blanks around it; None if a phrase is to be.

    Raises Refused unless there is exactly one of them, of the length and the numbers that there
    are, and the text can be shown.
    """
    if text is None and phrase is None:
        raise Refused(Reason.NOTHING_SAID, field="text")
    if text is not None and phrase is not None:
        raise Refused(Reason.SAID_TWICE, field="phrase")
    if phrase is not None and not 1 <= phrase <= MAX_PHRASE:
        raise Refused(Reason.UNKNOWN_PHRASE, field="phrase", limit=MAX_PHRASE, phrase=phrase)
    return None if text is None else _check_text(text)


def _check_text(text: str) -> str:
    trimmed = tidy(text).strip()
    if not can_be_shown(trimmed):
        raise Refused(Reason.INVALID_TEXT, field="text")
    if len(trimmed) > MAX_CHAT:
        raise Refused(Reason.TEXT_TOO_LONG, field="text", limit=MAX_CHAT, number=len(trimmed))
    return trimmed
