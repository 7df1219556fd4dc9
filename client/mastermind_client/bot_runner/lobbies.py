"""The lobbies that a bot opens, and its unfinished matches from an earlier run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Iterable

    from mastermind_client.config.options import BotOptions
    from mastermind_protocol.events import Seat
    from mastermind_protocol.messages import OwnMatch
    from mastermind_protocol.rules import Rules


class LobbyTerms(NamedTuple):
    """The terms of a lobby that the bot opens: the rules, and the seat of the bot."""

    rules: Rules
    seat: Seat


class Unfinished(NamedTuple):
    """An unfinished match. `lobby` has its terms if it waits for an opponent by these terms."""

    code: str
    lobby: LobbyTerms | None


def list_unfinished(
    matches: Iterable[OwnMatch], closed: deque[LobbyTerms], options: BotOptions
) -> list[Unfinished]:
    """Return unfinished matches, those with an opponent first.

    The terms of lobbies that are still open are removed from `closed`.
    """
    return [
        Unfinished(match.match, _take_lobby(match, closed, options))
        for match in sorted(matches, key=lambda match: match.opponent is None)
    ]


def _take_lobby(
    match: OwnMatch, closed: deque[LobbyTerms], options: BotOptions
) -> LobbyTerms | None:
    if match.opponent is None and (match.rounds, match.clock) == (
        options.rounds,
        options.clock,
    ):
        for lobby in closed:
            if (lobby.rules.name, lobby.seat) == (match.rules, match.seat):
                closed.remove(lobby)
                return lobby
    return None
