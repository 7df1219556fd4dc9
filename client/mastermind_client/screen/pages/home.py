"""Home: where everything can be reached from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.config.options import OFFLINE, JoinOptions, ReviewOptions, WatchOptions
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.screen.fields import edit_match_code
from mastermind_client.screen.kit.forms import Item, action
from mastermind_client.screen.kit.keys import Key, Typing
from mastermind_client.screen.pages.page import Page, Sheet
from mastermind_client.screen.screen import MenuPage
from mastermind_protocol.code import parse_code
from mastermind_protocol.feedback import score
from mastermind_protocol.rules import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.kit.keys import Binding
    from mastermind_client.screen.kit.lines import Line
    from mastermind_client.screen.look import Look

_HIDDEN = "2513"
_GUESSES = ("1122", "2344", "2536")  # a game that is going well


class HomeScreen(Page):
    """The screen that there always is; going back from it ends the program."""

    def sheet(self) -> Sheet:
        """Return the menu, and who we are."""
        settings = self.app.settings
        return Sheet(
            title=_("Mastermind"),
            form=self.form,
            note=settings.name or _("a guest"),
            above=draw_game(self.app.look),
        )

    def items(self) -> Sequence[Item]:
        """Return all that can be done."""
        items = [
            ("bot", _("Play a bot"), self._play, _("It hides a code, or breaks yours.")),
            ("friend", _("Invite a friend"), self._invite, _("You get a code to send them.")),
            ("join", _("Join by code"), self._join, _("Somebody has invited you.")),
            ("find", _("Find an opponent"), self._find, _("Meet whoever is waiting.")),
            ("watch", _("Watch a match"), self._watch, _("Of other people, or of two bots.")),
            ("review", _("Review a past match"), self._review, _("Move by move.")),
            ("settings", _("Settings"), self._set, _("Name, server, colours, language.")),
            ("quit", _("Quit"), self.app.ask_to_quit, _("Good-bye!")),
        ]
        return [
            action(name, f"{number}  {label}", act, about)
            for number, (name, label, act, about) in enumerate(items, start=1)
        ]

    def own_keys(self) -> Sequence[Binding]:
        """Return the keys that name an item."""
        return (
            Typing(
                N_("1 to 8, or a letter"),
                N_("what has this number or first letter"),
                self.type,
                self.ignore,
            ),
        )

    def escape_key(self) -> Binding:
        """Return what Esc does: there is nothing to go back to."""
        return Key(("escape",), N_("end the program"), self.leave)

    def type(self, character: str) -> None:
        """Do what has this number; or go to what begins with this letter, if it is the only one."""
        items = self.items()
        labels = [item.label.split("  ", 1) for item in items]
        for item, (number, _label) in zip(items, labels, strict=True):
            if number == character:
                self.form.select(item.name)
                self.form.press()
                return
        beginning = [
            item.name
            for item, (_number, label) in zip(items, labels, strict=True)
            if label[:1].lower() == character.lower()
        ]
        if len(beginning) == 1:
            self.form.select(beginning[0])
            self.form.press()
        elif beginning:
            chosen = self.form.selected.name
            after = beginning.index(chosen) + 1 if chosen in beginning else 0
            self.form.select(beginning[after % len(beginning)])
        self.app.redraw()

    def ignore(self, text: str) -> None:
        """Take no notice of what is pasted: it names no item."""

    def _play(self) -> None:
        self.app.go(MenuPage.PLAY)

    def _invite(self) -> None:
        self.app.go(MenuPage.INVITE)

    def _join(self) -> None:
        server = self.app.settings.server
        edit_match_code(self.app, lambda code: JoinOptions(code, server))

    def _find(self) -> None:
        self.app.go(JoinOptions(None, self.app.settings.server))

    def _watch(self) -> None:
        self.app.go(WatchOptions(self.app.settings.server))

    def _review(self) -> None:
        self.app.go(ReviewOptions(None, OFFLINE))  # needs no network; the server is a key away

    def _set(self) -> None:
        self.app.go(MenuPage.SETTINGS)


def draw_game(look: Look) -> list[Line]:
    """Return a small game as it is drawn on the board: a shield, and guesses below it."""
    secret = parse_code(_HIDDEN, DEFAULT)
    lines: list[Line] = [[("", "     "), *(part for _peg in secret for part in look.shield())]]
    for typed in _GUESSES:
        guess = parse_code(typed, DEFAULT)
        line: Line = [("", "     ")]
        for colour in guess:
            name = DEFAULT.palette[colour]
            line += look.peg(name, name[0].upper())
        lines.append([*line, ("", "  "), *look.keys(score(secret, guess), DEFAULT.pegs)])
    return lines
