"""The form for a match of two bots, to look on at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.options import OFFLINE, WatchOptions
from mastermind_client.language import gettext as _
from mastermind_client.screen.bot_choice import Roster
from mastermind_client.screen.kit.forms import Item, action, field
from mastermind_client.screen.match_terms import (
    Terms,
    ask_place,
    ask_public,
    ask_rules,
    describe_error,
    draw_colours,
)
from mastermind_client.screen.pages.page import Page, Sheet
from mastermind_client.words.codes import write_code
from mastermind_protocol.code import parse_code
from mastermind_protocol.errors import InvalidCode
from mastermind_protocol.rules import PRESETS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.app import App
    from mastermind_protocol.code import Code
    from mastermind_protocol.rules import Rules


class BotsScreen(Page):
    """Which bot breaks a code, by what rules, and perhaps which code."""

    def __init__(self, app: App) -> None:
        self.terms = Terms(PRESETS["knuth"])  # as many guesses as the bot takes
        self.roster = Roster(app, app.settings.opponent)
        self.address, self.public = OFFLINE, False
        self._typed: tuple[str, Code] | None = None  # the rules that the secret is of, and it
        super().__init__(app)

    @property
    def secret(self) -> Code | None:
        """The secret that is fixed, if it is one of these rules."""
        if self._typed is None or self._typed[0] != self.terms.rules.name:
            return None
        return self._typed[1]

    def shown(self) -> None:
        """Find out what bots there are."""
        self.roster.ask(self.address)

    def sheet(self) -> Sheet:
        """Return the form, and the colours of the rules."""
        return Sheet(
            title=_("Two bots"),
            form=self.form,
            below=[draw_colours(self.terms.rules, self.app.look)],
        )

    @property
    def explained(self) -> Rules:
        """The rules that are chosen."""
        return self.terms.rules

    def items(self) -> Sequence[Item]:
        """Return the start and the questions."""
        items = [
            action("start", _("Start"), self.start, _("Let them play, and look on.")),
            self.roster.ask_bot(self.terms.rules, breaks=True),
            *ask_rules(self.terms, self.app.edit),
            self._ask_secret(),
            ask_place(self.app, self.address, self._go_to),
        ]
        if self.address != OFFLINE:
            items.append(ask_public(self.public, self._set_public))
        return items

    def start(self) -> None:
        """Let them play."""
        online = self.address != OFFLINE
        self.app.go(
            WatchOptions(
                server=self.address if online else None,
                bot=self.roster.find(self.terms.rules, breaks=True),
                rules=self.terms.rules,
                secret=self.secret,
                public=self.public and online,
            )
        )

    def _go_to(self, address: str) -> None:
        self.address = address
        self.roster.ask(address)

    def _set_public(self, public: bool) -> None:
        self.public = public

    def _ask_secret(self) -> Item:
        def accept(text: str) -> str | None:
            rules = self.terms.rules
            try:
                self._typed = (rules.name, parse_code(text, rules)) if text.strip() else None
            except InvalidCode as error:
                return describe_error(error)
            return None

        written = "" if self.secret is None else write_code(self.secret, self.terms.rules)
        return field(
            "secret", _("Secret"), written, written or _("drawn by chance"), self.app.edit, accept,
            about=_("Type a code that the bot is to break, or nothing."),
        )  # fmt: skip
