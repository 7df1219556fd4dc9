"""The page that explains the game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.options import LEVELS, PlayOptions
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.screen.app_screen import AppScreen
from mastermind_client.screen.introduction import HOW_TO_PLAY_COLUMNS, draw_how_to_play
from mastermind_client.screen.screen import back_key
from mastermind_client.screen.toolkit.keys import Key
from mastermind_client.screen.toolkit.lines import Extent, Line, text
from mastermind_protocol.events import Seat
from mastermind_protocol.rules import find_rules

if TYPE_CHECKING:
    from mastermind_client.screen.app import App


class HowToPlayScreen(AppScreen):
    """The explanation of the game with one example, by the rules of the user's last game."""

    max_columns = HOW_TO_PLAY_COLUMNS

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self._top = 0
        self._rules = find_rules(app.settings.rules)
        self.keys = (
            Key(
                ("enter",),
                N_("try it with a bot"),
                self._play_easy_bot,
                short=N_("try it with a bot"),
            ),
            Key(("down", "pagedown"), N_("further down"), lambda: self.scroll(1)),
            Key(("up", "pageup"), N_("further up"), lambda: self.scroll(-1)),
            back_key(self),
        )

    def draw(self, extent: Extent) -> list[Line]:
        """Return the visible lines, centred vertically."""
        title = text(_("How to play"), "class:title")
        room = extent._replace(rows=extent.rows - 2)
        body = draw_how_to_play(self._rules, self.app.look, room)
        lines = [title, []] if len(body) <= room.rows else [title]
        rows = extent.rows - len(lines)
        self._top = max(0, min(self._top, len(body) - rows))
        lines += body[self._top : self._top + rows]
        return [*([] for _row in range((extent.rows - len(lines)) // 2)), *lines]

    def scroll(self, rows: int) -> None:
        """Scroll down by a number of rows, or up if it is negative; `draw` limits the position."""
        self._top = max(0, self._top + rows)
        self.app.redraw()

    def _play_easy_bot(self) -> None:
        if self.app.settings.opponent != LEVELS[0]:
            self.app.change_settings(
                opponent=LEVELS[0]
            )  # forms begin with the bot that was played last
        options = PlayOptions(rules=self._rules, versus=LEVELS[0], seat=Seat.BREAKER, rounds=1)
        self.app.go(options, instead_of=self)
