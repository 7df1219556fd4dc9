"""Makes the names in a match distinct.

A name similar to that of another player or of a bot gets a suffix, a part of the player's id.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mastermind_protocol.events import MAX_NAME_LENGTH
from mastermind_server.bots import ALIASES, BOTS
from mastermind_server.look_alikes.skeletons import fold_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mastermind_protocol.events import Player

SUFFIX_LENGTH = 4  # characters of the id in the suffix


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


def choose_name(owned: str | None, account: str | None, player: str) -> str:
    """Return the name of the player with the id `player` in lists of many players.

    It is `owned`, the name that the player owns, or the name of its account with a suffix.
    """
    return owned or add_suffix(account or "guest", player)


def is_bot_name(name: str) -> bool:
    """Return whether `name` is the name of a bot, or similar to one."""
    return fold_name(name) in _fold_bot_names()


@cache
def _fold_bot_names() -> frozenset[str]:
    return frozenset(map(fold_name, (*BOTS, *ALIASES)))
