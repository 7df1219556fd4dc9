"""Texts: what people write in a line, whether it can be shown, and what is to be translated."""

from __future__ import annotations

import re
from unicodedata import category, normalize

MAX_MARKS = 5  # on one character: Burmese writes as many; more paints over the lines above
JOINERS = "\u200c\u200d"  # of letters, and of the parts of an emoji: they move no cursor
_STACKED = {"Mn", "Me"}  # marks that take no room of their own
FILLERS = "\u115f\u1160\u2800\u3164\uffa0\U0001d159"  # nothing to see, but letters or signs
# Of Unicode's Default_Ignorable_Code_Point those that are marks: they only choose among forms.
_SELECTORS = "\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_INVISIBLE = re.compile(f"[{JOINERS}{FILLERS}{_SELECTORS}]")
_SPACES = re.compile(" +")


def mark(text: str) -> str:
    """Mark a text for the catalogues of those who show it translated; returns it as it is."""
    return text


def tidy(text: str) -> str:
    """Return a text with every kind of blank as a space, and on no character too many marks.

    What cannot be shown stays in it, for whoever calls to refuse or to replace.
    """
    if text.isascii():
        return text
    kept: list[str] = []
    marks = 0
    for character in text:
        kind = category(character)
        marks = marks + 1 if kind in _STACKED or character in JOINERS else 0
        if marks <= MAX_MARKS:
            kept.append(" " if kind == "Zs" else character)
    return "".join(kept)


def tidy_name(text: str) -> str:
    """Return a name as it is kept: tidy, in normal form KC, and without what nobody can see in it.

    Blanks around it go, and within it they are single spaces. It may be longer than it was.
    """
    if not text.isascii():
        text = tidy(normalize("NFKC", _INVISIBLE.sub("", text)))
    return _SPACES.sub(" ", text).strip()


def sanitise(text: str) -> str:
    """Return what somebody else wrote on one line, without characters that could move a cursor.

    Joiners go, so that every part of a text takes the room that it takes alone: not all terminals
    draw a joined emoji as one.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else "?"
        for character in tidy(text)
        if character not in JOINERS
    )


def can_be_shown(text: str) -> bool:
    """Tell whether a tidy text has something to see, on one line, and moves no cursor."""
    fits = all(character.isprintable() or character in JOINERS for character in text)
    return fits and any(_is_seen(character) for character in text)


def _is_seen(character: str) -> bool:
    return category(character)[0] not in "CMZ" and character not in FILLERS
