"""Our own matches that are not over, wherever they are: what home begins with.

Home asks its app for `running.entries` each time it draws, and does `entry.act` for the chosen one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mastermind_client.config.options import JoinOptions
from mastermind_client.net.running import (
    Turn,
    identities_folder,
    list_remembered,
    offline_folder,
)
from mastermind_client.words.running import (
    describe_kept,
    describe_standing,
    describe_terms,
    name_running,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mastermind_client.net.running import RunningMatch
    from mastermind_client.screen.app import App
    from mastermind_client.screen.places import Place


@dataclass(frozen=True, slots=True)
class RunningEntry:
    """A line of `Continue`: against whom, the match's code, how it stands, and what is played.

    `standing` is "your turn", "Bob thinks" or "Bob is away since 14:05"; `terms` are the rules and
    perhaps the number of the guess. It is `mine` to move. `act` goes on with it.
    """

    opponent: str
    code: str
    standing: str
    terms: tuple[str, ...]
    mine: bool
    act: Callable[[], None]


class Running:
    """The matches that we can go on with: what is remembered of them."""

    def __init__(self, app: App) -> None:
        self._app = app

    @property
    def entries(self) -> list[RunningEntry]:
        """The matches, those first in which it is our turn, then the newest first."""
        found = [
            (match, remembered.server)
            for folder in (identities_folder(), offline_folder())
            for remembered in list_remembered(folder).values()
            for match in remembered.matches
        ]
        found.sort(key=lambda known: (known[0].turn is not Turn.MINE, -known[0].since))
        return [self._write(match, server) for match, server in found]

    def describe_kept(self, places: Iterable[Place]) -> list[str]:
        """Say of each match that is put aside at these places how it stands, and the way back."""
        return [
            describe_kept(match)
            for place in places
            if place.kept
            for match in place.session.identity.remembered.matches
        ]

    def _write(self, match: RunningMatch, server: str) -> RunningEntry:
        return RunningEntry(
            opponent=name_running(match),
            code=match.code,
            standing=describe_standing(match),
            terms=tuple(describe_terms(match)),
            mine=match.turn is Turn.MINE,
            act=lambda: self._app.go(JoinOptions(match.code, server)),
        )
