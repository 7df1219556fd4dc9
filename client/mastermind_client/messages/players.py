"""Who is spoken of: names, and sentences about oneself or about others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from mastermind_protocol.events import Player
    from mastermind_protocol.match import Match


def name_player(player: Player) -> str:
    """Return the name of a player; bots show as bots."""
    name = sanitise(player.name)
    return _("{name} (bot)").format(name=name) if player.is_bot else name


def find_name(match: Match, player: str) -> str:
    """Return the name of the seated player with this id, or a word for whoever is none."""
    seated = (name_player(found) for found in match.players if found.id == player)
    return next(seated, _("Somebody"))


def call_player(player: Player) -> str:
    """Return the name of a player alone: for a screen, whose plates say who is a bot."""
    return sanitise(player.name)


def find_call(match: Match, player: str) -> str:
    """Return the name alone of the seated player with this id, or a word for whoever is none."""
    seated = (call_player(found) for found in match.players if found.id == player)
    return next(seated, _("Somebody"))


def say_of(
    match: Match, player: str, me: str | None, you: str, other: str, /, **values: object
) -> str:
    """Return the sentence `you` if the player id is the reader's own, or `other` with its `name`.

    Both are translated texts; the `values` are put into either. A `name` among them is what the
    player is called instead.
    """
    if player == me:
        return you.format(**values)
    return other.format(**{"name": find_name(match, player), **values})
