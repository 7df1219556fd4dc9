"""The page of the helper: a game that is played elsewhere, or a code in the user's head."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.screen.match.board import RowClicks
from mastermind_client.screen.match.layout import TEXT_INSET
from mastermind_client.screen.pages.solving.actions import SolveActions
from mastermind_client.screen.pages.solving.drawing import SolvingScene, draw_solving
from mastermind_client.screen.pages.solving.keys import make_solve_keys
from mastermind_client.screen.pages.solving.layout import choose_solving_layout, find_notice_row
from mastermind_client.screen.screen import back_key
from mastermind_client.screen.toolkit.keys import Key
from mastermind_client.screen.toolkit.overlays import Answer, Card
from mastermind_client.screen.window import END_KEYS

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.config.options import SolveOptions
    from mastermind_client.screen.app import App
    from mastermind_client.screen.toolkit.lines import Extent, Line


class SolveScreen(SolveActions):
    """The helper. With the name of a bot in the options, that bot breaks a code of the user."""

    has_notice_row = True

    def __init__(self, app: App, options: SolveOptions) -> None:
        super().__init__(app, options)
        self._clicks = RowClicks(
            on_place=lambda place: self.edit(lambda entry: entry.move_to(place)),
            on_colour=lambda colour: self.edit(lambda entry: entry.place_at_cursor(colour)),
        )
        self.keys = (
            *make_solve_keys(self),
            back_key(self, when=self.can_leave),
            Key(END_KEYS, "", self._end, when=self._has_unsaved_turns, first=True),
        )

    def on_show(self) -> None:
        """Analyse the position."""
        self.analyse()

    async def on_close(self) -> None:
        """End the work in the background."""
        self.analyst.close()
        self.codes.close()

    def leave(self) -> None:
        """Go back, after a question if guesses would be lost."""
        if self._has_unsaved_turns():
            self._ask_before(self.app.back)
        else:
            self.app.back()

    def _end(self) -> None:
        """End the client after a question, which the same key answers with yes."""
        self._ask_before(self.app.leave_app)

    def _has_unsaved_turns(self) -> bool:
        return not self.draft.is_solved and self.draft.turns not in ((), self.saved_turns)

    def _ask_before(self, leave: Callable[[], None]) -> None:
        self.app.ask(
            Card(
                _("Leave the helper?"),
                Answer(_("Stay"), _("Back to the guesses; s saves them."), self.app.redraw),
                Answer(_("Leave"), _("The guesses are not kept."), leave),
            )
        )

    def scroll(self, rows: int) -> None:
        """Go to another line, or to another page of the codes."""
        step = 1 if rows > 0 else -1
        if self.shows_codes():
            self.turn_page(step)
        else:
            self.go_by(step)

    def draw(self, extent: Extent) -> list[Line]:
        """Return the lines of the helper."""
        draft = self.draft
        needed = len(draft.turns) + (draft.is_new_line or draft.inserts)
        layout = choose_solving_layout(draft.rules, extent, needed)
        self.layout, self.rules = layout, draft.rules
        self.inset, self.title_row = layout.left + TEXT_INSET, layout.top
        self.notice_row = find_notice_row(layout)
        return draw_solving(self.scene, layout, self.app.look, self._clicks)

    @property
    def scene(self) -> SolvingScene:
        """The values that the screen draws."""
        analyst = self.analyst
        return SolvingScene(
            draft=self.draft,
            by=self.options.by,
            bot=self.options.bot,
            analysis=analyst.analysis,
            correction=self.chosen_correction if self.has_corrections() else None,
            corrects=self.can_correct(),
            is_slow=analyst.is_slow,
            is_stopped=analyst.is_stopped,
            error=analyst.error,
            codes=self.codes.page,
            marks_excluded=self.app.settings.mark_excluded,
        )
