"""The screen of a match for a spectator, who may look back at earlier moves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mastermind_client.language import mark as N_
from mastermind_client.screen.kit.keys import Key
from mastermind_client.screen.match.position import Position, clamp, find_live, step
from mastermind_client.screen.pages.match import MatchScreen

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.net.mirror import Mirror
    from mastermind_client.screen.app import App
    from mastermind_client.screen.kit.keys import Binding
    from mastermind_client.screen.match.scene import Scene
    from mastermind_client.screen.places import Place
    from mastermind_protocol.match import Match


class SpectatorScreen(MatchScreen):
    """A match that is watched, live or at an earlier `position`."""

    def __init__(self, app: App, place: Place, mirror: Mirror) -> None:
        super().__init__(app, place, mirror)
        self.position: Position | None = None
        if all(player.is_bot for player in mirror.state.players):
            self.position = Position(0, 0)  # bots are quick: their match is seen from its beginning
        self.keys = (*self._own_keys(), *self.shared_keys())

    @property
    def scene(self) -> Scene:
        """What is shown now."""
        return replace(super().scene, position=self.position)

    def on_moved(self, before: Match | None) -> None:  # noqa: ARG002 - where we look matters only
        """Stay at the position, if it still exists."""
        if self.position is not None:
            self.position = clamp(self.mirror.state, self.position)

    def _own_keys(self) -> tuple[Binding, ...]:
        return (
            Key(("left", "up"), N_("one guess back"), self._browse(-1), short=N_("back in time")),
            Key(("right", "down"), N_("one guess on"), self._browse(1)),
            Key(("home",), N_("the beginning of the match"), self._begin),
            Key(("end",), N_("return to the live move"), self._return_live, short=N_("live")),
            Key(
                ("enter",),
                N_("watch the rematch"),
                self._follow_rematch,
                short=N_("rematch"),
                when=self._has_rematch,
            ),
        )

    def _browse(self, by: int) -> Callable[[], None]:
        return lambda: self._look_at(
            step(self.mirror.state, self.position or find_live(self.mirror.state), by)
        )

    def _begin(self) -> None:
        self._look_at(Position(0, 0))

    def _look_at(self, position: Position) -> None:
        self.position = None if position == find_live(self.mirror.state) else position

    def _return_live(self) -> None:
        self.position = self.top = None

    def _has_rematch(self) -> bool:
        return self.mirror.state.rematch is not None

    def _follow_rematch(self) -> None:
        code = self.mirror.state.rematch
        if code is not None:
            self.enter_rematch(lambda: self.place.session.follow(code))
