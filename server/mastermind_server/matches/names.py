"""Names at a match: nobody is shown by one that looks like another's there, or like a bot's.

Two people of one name may meet, so that is no reason to refuse anybody: who comes later is shown
with some of its id behind the name, as a guest is.
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

MARK_LENGTH = 4  # of the id, behind the name
_UNSEEN = ("C", "M", "P", "Sk", "Sm", "Z")  # categories by which names hardly differ
_ALIKE = MappingProxyType({"i": "l", "1": "l", "0": "o"})
_PAIRS = (("rn", "m"), ("vv", "w"))


def distinguish(player: Player, others: Iterable[Player] = ()) -> Player:
    """Return a player by a name that looks like none of the others', nor like a bot's."""
    taken = _fold_bots() | {fold_name(other.name) for other in others if other.id != player.id}
    marked = player
    for length in range(MARK_LENGTH, len(player.id) + 1):
        if player.bot is not None or fold_name(marked.name) not in taken:
            break
        mark = f"-{player.id[:length]}"  # longer, where the other's name ends so too
        marked = replace(player, name=f"{player.name[: MAX_NAME - len(mark)]}{mark}")
    return marked


def fold_name(name: str) -> str:
    """Return what all names have in common that look like this one.

    It is near to the skeleton of UTS #39, but for letters that look like ASCII's alone, and without
    regard to case, accents, strokes, blanks, punctuation and the like. It is for comparing, and
    shown to nobody.
    """
    alike = _read_look_alikes()
    seen = "".join(
        alike.get(character, character)
        for character in normalize("NFKD", name)
        if character in alike or not category(character).startswith(_UNSEEN)
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
    """Return for each other letter or sign the ASCII letter or digit that it looks like."""
    text = files(__package__).joinpath("look_alikes.txt").read_text(encoding="utf-8")
    lines = (line.split(" ") for line in text.splitlines() if not line.startswith("#"))
    return MappingProxyType({other: letter for letter, others in lines for other in others})
