"""The forms of a match: against a bot, with a friend, or between two bots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.screen.forms.kinds import (
    AGAINST_BOT,
    BETWEEN_BOTS,
    WITH_FRIEND,
    draw_bot_card,
    draw_summary,
)
from mastermind_client.screen.forms.match_form import MatchForm
from mastermind_client.screen.pages.page import Page, Sheet
from mastermind_client.screen.screen import MenuPage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.app import App
    from mastermind_client.screen.toolkit.list_view import Item
    from mastermind_protocol.rules import Rules

FORM_KINDS = {
    MenuPage.PLAY: AGAINST_BOT,
    MenuPage.INVITE: WITH_FRIEND,
    MenuPage.BOTS: BETWEEN_BOTS,
}


class OpeningScreen(Page):
    """A form for one kind of match: against a bot, with a friend, or between two bots."""

    enter_hint = N_("start")

    def __init__(self, app: App, page: MenuPage) -> None:
        self.match = MatchForm(app, FORM_KINDS[page])
        super().__init__(app)

    def on_show(self) -> None:
        """Load the list of bots."""
        self.match.load_bots()

    def sheet(self) -> Sheet:
        """Return the summary of the match, the form, and the chosen bot."""
        return Sheet(
            title=_(self.match.kind.title),
            view=self.view,
            above=draw_summary(self.match, self.stage.columns, self.app.look),
            below=draw_bot_card(self.match, self.stage.columns, self.app.look),
        )

    @property
    def explained_rules(self) -> Rules:
        """The rules that are chosen in the form. The help explains them."""
        return self.match.rules

    def items(self) -> Sequence[Item]:
        """Return the items of the form."""
        return self.match.items
