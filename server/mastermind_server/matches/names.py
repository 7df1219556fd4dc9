"""Names in a match: no player's name looks like that of another player or of a bot.

Two people with the same name may play each other. The name of the later one gets a part of the
player's id as a suffix, like that of a guest.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING
from unicodedata import category, normalize

from msgspec.structs import replace

from mastermind_protocol.events import MAX_NAME
from mastermind_server.bots import ALIASES, BOTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mastermind_protocol.events import Player

MARK_LENGTH = 4  # of the suffix, part of the player's id
_IGNORED = ("C", "M", "P", "Sk", "Sm", "Z")  # categories that hardly change a name
_ALIKE = MappingProxyType({"i": "l", "1": "l", "0": "o"})
_PAIRS = (("rn", "m"), ("vv", "w"))


def distinguish(player: Player, others: Iterable[Player] = ()) -> Player:
    """Return the player with a name unlike the names of `others` and of all bots."""
    taken = _fold_bots() | {fold_name(other.name) for other in others if other.id != player.id}
    marked = player
    for length in range(MARK_LENGTH, len(player.id) + 1):
        if player.bot is not None or fold_name(marked.name) not in taken:
            break
        mark = f"-{player.id[:length]}"  # longer if another name has this suffix
        marked = replace(player, name=f"{player.name[: MAX_NAME - len(mark)]}{mark}")
    return marked


def fold_name(name: str) -> str:
    """Return the same text for all names that look alike, for comparisons only.

    This is similar to the skeleton of UTS #39, but it maps only letters that look like ASCII
    letters, and ignores case, accents, strokes, blanks, punctuation and the like.
    """
    alike = _read_look_alikes()
    seen = "".join(
        alike.get(character, character)
        for character in normalize("NFKD", name)
        if character in alike or not category(character).startswith(_IGNORED)
    )
    folded = "".join(_ALIKE.get(letter, letter) for letter in seen.casefold())
    for pair, letter in _PAIRS:
        folded = folded.replace(pair, letter)
    return folded or name


@cache
def _fold_bots() -> frozenset[str]:
    return frozenset(map(fold_name, (*BOTS, *ALIASES)))


@cache
def _read_look_alikes() -> Mapping[str, str]:
    """Return the ASCII letter or digit that each letter or sign looks like."""
    text = files(__package__).joinpath("look_alikes.txt").read_text(encoding="utf-8")
    lines = (line.split(" ") for line in text.splitlines() if not line.startswith("#"))
    return MappingProxyType({other: letter for letter, others in lines for other in others})
