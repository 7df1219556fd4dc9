"""The form for a game with a friend, who joins by a code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.options import FRIEND, PlayOptions
from mastermind_client.language import gettext as _
from mastermind_client.screen.kit.forms import Item, action
from mastermind_client.screen.match_terms import (
    Terms,
    ask_rated,
    ask_rounds,
    ask_rules,
    ask_seat,
    ask_server,
    draw_colours,
)
from mastermind_client.screen.pages.page import Page, Sheet
from mastermind_protocol.events import Seat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.app import App
    from mastermind_protocol.rules import Rules


class InviteScreen(Page):
    """What a friend is invited to."""

    def __init__(self, app: App) -> None:
        self.terms = Terms.remembered(app.settings, Seat.BREAKER)
        super().__init__(app)

    def sheet(self) -> Sheet:
        """Return the form, and the colours of the rules."""
        return Sheet(
            title=_("Invite a friend"),
            form=self.form,
            below=[draw_colours(self.terms.rules, self.app.look)],
        )

    @property
    def explained(self) -> Rules:
        """The rules that are chosen."""
        return self.terms.rules

    def items(self) -> Sequence[Item]:
        """Return the start and the questions."""
        return [
            action(
                "start", _("Invite"), self.start, _("You get a code that your friend joins by.")
            ),
            *ask_rules(self.terms, self.app.edit),
            ask_seat(self.terms, (Seat.BREAKER, Seat.MAKER)),
            ask_rounds(self.terms, self.app.edit),
            ask_rated(self.terms),
            ask_server(self.app),
        ]

    def start(self) -> None:
        """Open the match."""
        terms = self.terms
        self.app.go(
            PlayOptions(
                rules=terms.rules,
                versus=FRIEND,
                seat=terms.seat,
                server=self.app.settings.server,
                rounds=terms.rounds,
                rated=terms.rated,
                settled=True,
            )
        )
