"""Computes texts that are equal for similar names: the skeletons of Unicode's UTS #39.

`confusables.txt` is Unicode's table of confusable characters, which `make confusables` writes.
`look_alikes.txt` has letters that are hard to tell apart in a list, though not in this table.

The database stores skeletons as the keys of names, so they must not depend on the node that
computes them. A change of this module or of the tables needs a new revision of the schema, after
which `revisions.migrate` computes the stored ones again. Python's versions know more or fewer
characters, but names with unknown ones are refused.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING
from unicodedata import bidirectional, category, combining, normalize
from unicodedata import name as find_unicode_name

from mastermind_protocol.text import INVISIBLE
from mastermind_server.look_alikes.reading_order import reorder

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_SKELETON_LENGTH = 72  # characters of a stored skeleton; the rest is cut
CHARACTERS_KEPT = 4096  # in the cache, below 1 MB: the letters of most players
_IGNORED_CATEGORIES = ("Cc", "Cf", "Me", "P", "Sk", "Sm", "Z")  # hardly visible in a name
# Canonical combining classes of strokes, of Hebrew and Arabic points, and of accents. Other marks
# are as good as letters: the vowels of India and Thailand, the voice marks of kana.
_ACCENT_CLASSES = frozenset((1, *range(10, 37), *range(200, 241)))
_NEW_ACCENTS = "\u1ada\u1adb\u1ae9\U00010efa"  # of the table, and not known to Python 3.11
_READ_CATEGORIES = ("Ll", "Lo", "Lt", "Lu", "Mc", "Mn", "N")  # letters, vowels and numbers
_PAIRS = (("rn", "m"), ("vv", "w"))  # the letter stays as in skeletons before UTS #39
_RIGHT_TO_LEFT = ("R", "AL", "AN")


def fold_name(name: str) -> str:
    """Return a text that is equal for similar names, for comparisons only.

    It is the bidirectional skeleton of UTS #39 in a line from left to right, without regard to
    case, accents, strokes, blanks and punctuation. A name of punctuation alone is compared by its
    skeleton.
    """
    text = normalize("NFKD", INVISIBLE.sub("", name))
    if not text.isascii() and any(bidirectional(one) in _RIGHT_TO_LEFT for one in text):
        text = reorder(text)
    folded = "".join(map(_fold_character, text))
    for pair, letter in _PAIRS:
        folded = folded.replace(pair, letter)
    return folded or find_prototypes(text) or name


def find_skeleton(name: str) -> str:
    """Return the start of `fold_name(name)`. The database compares names by this key."""
    return fold_name(name)[:MAX_SKELETON_LENGTH]


def find_prototypes(text: str) -> str:
    """Return `text` with each character replaced by its prototype in the table of UTS #39."""
    prototypes = _read_prototypes()
    return normalize("NFD", "".join(prototypes.get(one, one) for one in text))


def is_replaced(character: str) -> bool:
    """Return whether folding replaces a character by its prototype in the table of UTS #39.

    A letter or vowel of another script than Latin stays as it is if its prototype has an accent or
    is punctuation, because both are ignored. So the Cyrillic letter Be differs from B, Arabic
    letters of one shape differ by their dots, and the Hebrew yod is not omitted.
    """
    prototype = _read_prototypes().get(character)
    if prototype is None:
        return False
    is_read = category(character).startswith(_READ_CATEGORIES)
    if not is_read or find_unicode_name(character, "").startswith("LATIN"):
        return True
    return not (any(map(_is_accent, prototype)) or all(map(_is_ignored, prototype)))


@lru_cache(CHARACTERS_KEPT)
def _fold_character(character: str) -> str:
    """Return the text that replaces a character in NFKD, or an empty one."""
    if _is_accent(character):
        return ""
    if is_replaced(character):
        other = _read_prototypes()[character]
    else:
        other = _read_look_alikes().get(character) or character.casefold()
    if other != character:
        return "".join(map(_fold_character, normalize("NFKD", other)))
    return "" if _is_ignored(character) else character


def _is_accent(character: str) -> bool:
    return combining(character) in _ACCENT_CLASSES or character in _NEW_ACCENTS


def _is_ignored(character: str) -> bool:
    return _is_accent(character) or category(character).startswith(_IGNORED_CATEGORIES)


@cache
def _read_prototypes() -> Mapping[str, str]:
    """Return the table of UTS #39: the prototype of each confusable character."""
    prototypes: dict[str, str] = {}
    for line in _read_lines("confusables.txt"):
        prototype, alike = (bytes.fromhex(part).decode("utf-16-be") for part in line.split(";"))
        prototypes |= dict.fromkeys(alike, prototype)
    return MappingProxyType(prototypes)


@cache
def _read_look_alikes() -> Mapping[str, str]:
    """Return a map from other characters to similar letters and digits."""
    lines = (line.split(" ") for line in _read_lines("look_alikes.txt"))
    return MappingProxyType({other: letter for letter, others in lines for other in others})


def _read_lines(name: str) -> list[str]:
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]
