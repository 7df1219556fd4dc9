"""The page that opens a match: a form, and the colours of the rules that are chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.screen.fields import draw_colours
from mastermind_client.screen.match_form import AGAINST_BOT, BETWEEN_BOTS, WITH_FRIEND, MatchForm
from mastermind_client.screen.pages.page import Page, Sheet
from mastermind_client.screen.screen import MenuPage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.app import App
    from mastermind_client.screen.kit.forms import Item
    from mastermind_protocol.rules import Rules

KINDS = {
    MenuPage.PLAY: AGAINST_BOT,
    MenuPage.INVITE: WITH_FRIEND,
    MenuPage.BOTS: BETWEEN_BOTS,
}


class OpeningScreen(Page):
    """A form for a match, of one kind or another."""

    def __init__(self, app: App, page: MenuPage) -> None:
        self.match = MatchForm(app, KINDS[page])
        super().__init__(app)

    def on_show(self) -> None:
        """Find out what bots there are."""
        self.match.load_bots()

    def sheet(self) -> Sheet:
        """Return the form, and the colours of the rules."""
        colours = draw_colours(self.match.rules.palette, self.app.look)
        return Sheet(title=_(self.match.kind.title), form=self.form, below=[colours])

    @property
    def explained(self) -> Rules:
        """The rules that are chosen."""
        return self.match.rules

    def items(self) -> Sequence[Item]:
        """Return the start and the questions."""
        return self.match.items
