"""The form for a game against a bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.options import OFFLINE, PlayOptions
from mastermind_client.language import gettext as _
from mastermind_client.screen.bot_choice import Roster
from mastermind_client.screen.kit.forms import Item, action
from mastermind_client.screen.match_terms import (
    Terms,
    ask_place,
    ask_public,
    ask_rounds,
    ask_rules,
    ask_seat,
    draw_colours,
)
from mastermind_client.screen.pages.page import Page, Sheet
from mastermind_protocol.events import Seat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.app import App
    from mastermind_protocol.rules import Rules


class PlayScreen(Page):
    """Who is played, by what rules, and where; with what was played last as it stands."""

    def __init__(self, app: App) -> None:
        self.terms = Terms.remembered(app.settings, Seat.BREAKER)
        self.roster = Roster(app, app.settings.opponent)
        self.address, self.public = OFFLINE, False
        super().__init__(app)

    def shown(self) -> None:
        """Find out what bots there are."""
        self.roster.ask(self.address)

    def sheet(self) -> Sheet:
        """Return the form, and the colours of the rules."""
        return Sheet(
            title=_("Play a bot"),
            form=self.form,
            below=[draw_colours(self.terms.rules, self.app.look)],
        )

    @property
    def explained(self) -> Rules:
        """The rules that are chosen."""
        return self.terms.rules

    def items(self) -> Sequence[Item]:
        """Return the questions, and the start, which comes first: as it stands is often right."""
        terms = self.terms
        items = [
            action("start", _("Start"), self.start, _("Play it like this.")),
            self.roster.ask_bot(terms.rules, breaks=terms.seat is Seat.MAKER or terms.rounds > 1),
            *ask_rules(terms, self.app.edit),
            ask_seat(terms, (Seat.BREAKER, Seat.MAKER)),
            ask_rounds(terms, self.app.edit),
            ask_place(self.app, self.address, self._go_to),
        ]
        if self.address != OFFLINE:
            items.append(ask_public(self.public, self._set_public))
        return items

    def start(self) -> None:
        """Begin the game."""
        terms, online = self.terms, self.address != OFFLINE
        bot = self.roster.find(terms.rules, breaks=terms.seat is Seat.MAKER or terms.rounds > 1)
        self.app.go(
            PlayOptions(
                rules=terms.rules,
                versus=bot,
                seat=terms.seat,
                server=self.address if online else None,
                rounds=terms.rounds,
                public=self.public and online,
                settled=True,
            )
        )

    def _go_to(self, address: str) -> None:
        self.address = address
        self.roster.ask(address)

    def _set_public(self, public: bool) -> None:
        self.public = public
