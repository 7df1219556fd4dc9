"""Makes the names in a match distinct.

A name similar to that of another player or of a bot gets a suffix, a part of the player's id.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING
from unicodedata import category, normalize

from msgspec.structs import replace

from mastermind_protocol.events import MAX_NAME_LENGTH
from mastermind_server.bots import ALIASES, BOTS
from mastermind_server.storage.rating_rows import MAX_SKELETON_LENGTH

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mastermind_protocol.events import Player

SUFFIX_LENGTH = 4  # characters of the id in the suffix
_IGNORED_CATEGORIES = (
    "C",
    "M",
    "P",
    "Sk",
    "Sm",
    "Z",
)  # categories that hardly change the look of a name
_LOOK_ALIKES = MappingProxyType({"i": "l", "1": "l", "0": "o"})
_LOOK_ALIKE_PAIRS = (("rn", "m"), ("vv", "w"))


def distinguish(player: Player, others: Iterable[Player] = ()) -> Player:
    """Return the player, with a suffix if the name is similar to a name of `others` or a bot."""
    taken = _fold_bot_names() | {fold_name(other.name) for other in others if other.id != player.id}
    suffixed = player
    for length in range(SUFFIX_LENGTH, len(player.id) + 1):
        if player.bot is not None or fold_name(suffixed.name) not in taken:
            break
        # The suffix is longer if another name has this suffix.
        suffixed = replace(player, name=add_suffix(player.name, player.id, length))
    return suffixed


def add_suffix(name: str, player: str, suffix_length: int = SUFFIX_LENGTH) -> str:
    """Return `name` with a suffix: the first `suffix_length` characters of the id `player`."""
    suffix = f"-{player[:suffix_length]}"
    return f"{name[: MAX_NAME_LENGTH - len(suffix)]}{suffix}"


def fold_name(name: str) -> str:
    """Return a text that is equal for similar names, for comparisons only.

    This is like the skeleton of Unicode's UTS #39. Letters similar to ASCII letters are mapped to
    them. Case, accents, strokes, blanks and punctuation are ignored.
    """
    alike = _read_look_alikes()
    seen = "".join(
        alike.get(character, character)
        for character in normalize("NFKD", name)
        if character in alike or not category(character).startswith(_IGNORED_CATEGORIES)
    )
    folded = "".join(_LOOK_ALIKES.get(letter, letter) for letter in seen.casefold())
    for pair, letter in _LOOK_ALIKE_PAIRS:
        folded = folded.replace(pair, letter)
    return folded or name


def find_skeleton(name: str) -> str:
    """Return the start of `fold_name(name)`. The database compares names by this key."""
    return fold_name(name)[:MAX_SKELETON_LENGTH]


def is_bot_name(name: str) -> bool:
    """Return whether `name` is the name of a bot, or similar to one."""
    return fold_name(name) in _fold_bot_names()


@cache
def _fold_bot_names() -> frozenset[str]:
    return frozenset(map(fold_name, (*BOTS, *ALIASES)))


@cache
def _read_look_alikes() -> Mapping[str, str]:
    """Return a map from characters to similar ASCII letters and digits."""
    text = files(__package__).joinpath("look_alikes.txt").read_text(encoding="utf-8")
    lines = (line.split(" ") for line in text.splitlines() if not line.startswith("#"))
    return MappingProxyType({other: letter for letter, others in lines for other in others})
