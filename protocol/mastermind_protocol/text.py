"""Normalises texts from users and checks them for display.

`gettext_noop` marks the sentences of this package for translation.
"""

from __future__ import annotations

import re
from unicodedata import category, normalize

MAX_COMBINING_MARKS = 5  # for each character, as Burmese uses; more would overwrite the lines above
JOINERS = "\u200c\u200d"  # join letters, or the parts of an emoji; they do not move the cursor
_STACKED_CATEGORIES = {"Mn", "Me"}  # marks of zero width
FILLERS = "\u115f\u1160\u2800\u3164\uffa0\U0001d159"  # letters and symbols without a glyph
# The marks among Unicode's Default_Ignorable_Code_Point: they select glyph variants.
_SELECTORS = "\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
INVISIBLE = re.compile(f"[{JOINERS}{FILLERS}{_SELECTORS}]")  # characters that a name cannot have
_SPACES = re.compile(" +")


def gettext_noop(text: str) -> str:
    """Return `text` unchanged. The call marks it for extraction into the catalogues."""
    return text


def tidy(text: str) -> str:
    """Return `text` with plain spaces, and with few combining marks on each character.

    A character keeps at most MAX_COMBINING_MARKS marks. Undisplayable characters remain, so that
    the caller can reject or replace them.
    """
    if text.isascii():
        return text
    kept: list[str] = []
    marks = 0
    for character in text:
        kind = category(character)
        marks = marks + 1 if kind in _STACKED_CATEGORIES or character in JOINERS else 0
        if marks <= MAX_COMBINING_MARKS:
            kept.append(" " if kind == "Zs" else character)
    return "".join(kept)


def tidy_name(text: str) -> str:
    """Return a player's name in its stored form: tidy, in NFKC, without invisible characters.

    Blanks at the ends are removed, and other runs of blanks become one space. The result may be
    longer than `text`.
    """
    if not text.isascii():
        text = tidy(normalize("NFKC", INVISIBLE.sub("", text)))
    return _SPACES.sub(" ", text).strip()


def sanitise(text: str) -> str:
    """Return untrusted `text` with `?` for each character that could move the cursor.

    Joiners are removed, because some terminals draw a joined emoji wider than others do.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else "?"
        for character in tidy(text)
        if character not in JOINERS
    )


def is_displayable(text: str) -> bool:
    """Return whether a tidy `text` has a visible character and no control character."""
    fits = all(character.isprintable() or character in JOINERS for character in text)
    return fits and any(_is_visible(character) for character in text)


def _is_visible(character: str) -> bool:
    return category(character)[0] not in "CMZ" and character not in FILLERS
