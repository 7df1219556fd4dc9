"""The match screen of a try at the code of a day, over the page of the day."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mastermind_client.language import mark as N_
from mastermind_client.screen.pages.matches.player import PlayerScreen
from mastermind_client.screen.toolkit.keys import Key

if TYPE_CHECKING:
    from mastermind_client.screen.scene.scene import Scene
    from mastermind_client.screen.toolkit.keys import Binding


class TryScreen(PlayerScreen):
    """The screen of the own try. Esc and, after the end, Enter show the page of the day.

    That page follows the match too, so this screen neither leaves nor unfollows it.
    """

    leave_hint = N_("back")

    @property
    def scene(self) -> Scene:
        """The values that the screen draws. The record has only matches without a contest."""
        return replace(super().scene, record=None)

    def leave(self) -> None:
        """Show the page of the day. While the try runs, ask first."""
        if self._is_running():
            self.app.ask(self._make_leave_card(self.app.back))
        else:
            self.app.back()

    async def leave_or_unfollow(self) -> None:
        """Keep following the match."""

    def _own_keys(self) -> tuple[Binding, ...]:
        results = Key(
            ("enter",), N_("see what all players did"), self._show_results,
            short=N_("results"), when=self.is_over,
        )  # fmt: skip
        return (*super()._own_keys(), results)

    def _show_results(self) -> None:
        if not self.just_ended:
            self.app.back()

    def _can_rematch(self) -> bool:
        return False
