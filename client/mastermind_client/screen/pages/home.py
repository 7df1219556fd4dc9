"""Home: the main menu."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.config.options import OFFLINE, JoinOptions, ReviewOptions, WatchOptions
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.screen.fields import edit_match_code
from mastermind_client.screen.kit.cards import Answer, Card
from mastermind_client.screen.kit.forms import Item, action
from mastermind_client.screen.kit.keys import Key, Typing
from mastermind_client.screen.match.plain_board import draw_pegs
from mastermind_client.screen.pages.page import Page, Sheet
from mastermind_client.screen.screen import MenuPage
from mastermind_protocol.code import parse_code
from mastermind_protocol.feedback import score
from mastermind_protocol.rules import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.screen.kit.keys import Binding
    from mastermind_client.screen.kit.lines import Line
    from mastermind_client.screen.look import Look

_HIDDEN = "2513"
_GUESSES = ("1122", "2344", "2536")  # a game that is going well


class HomeScreen(Page):
    """The menu below all other screens; going back from it ends the program."""

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
        """Return the items of the menu."""
        go, server = self.app.go, self.app.settings.server
        join = partial(edit_match_code, self.app, lambda code: go(JoinOptions(code, server)))
        find = partial(go, JoinOptions(None, server))
        watch = partial(go, WatchOptions(server))
        review = partial(go, ReviewOptions(None, OFFLINE))  # the server is a key away from there
        items: list[tuple[str, str, Callable[[], None], str]] = [
            ("bot", _("Play a bot"), partial(go, MenuPage.PLAY),
             _("It hides a code, or breaks yours.")),
            ("friend", _("Invite a friend"), partial(go, MenuPage.INVITE),
             _("You get a code to send them.")),
            ("join", _("Join by code"), join, _("Somebody has invited you.")),
            ("find", _("Find an opponent"), find, _("Meet whoever is waiting.")),
            ("watch", _("Watch a match"), watch, _("Of other people, or of two bots.")),
            ("review", _("Review a past match"), review, _("Move by move.")),
            ("settings", _("Settings"), partial(go, MenuPage.SETTINGS),
             _("Name, server, colours, language.")),
            ("quit", _("Quit"), self.app.quit, _("Good-bye!")),
        ]  # fmt: skip
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
                lambda _text: None,  # what is pasted names no item
            ),
        )

    def on_show(self) -> None:
        """Look how our matches stand."""
        self.app.running.begin()

    def leave(self) -> None:
        """End the program, after a question: there is nothing to go back to."""
        kept = self.app.running.entries
        about = _("Your matches are kept.") if kept else _("Good-bye!")
        self.app.ask(
            Card(
                _("End the program?"),
                Answer(_("Stay"), _("Back to the home screen."), self.app.redraw),
                Answer(_("End it"), about, self.app.quit),
            )
        )

    def escape_key(self) -> Binding:
        """Return what Esc does: there is nothing to go back to."""
        return Key(("escape",), N_("end the program"), self.leave)

    def type(self, character: str) -> None:
        """Do what has this number; or go to what begins with this letter, if it is the only one."""
        labels = ((item.name, *item.label.split("  ", 1)) for item in self.items())
        named = [
            name
            for name, number, label in labels
            if character.lower() in (number, label[:1].lower())
        ]
        if len(named) == 1:
            self.form.select(named[0])
            self.form.press()
        elif named:
            chosen = self.form.selected.name
            after = named.index(chosen) + 1 if chosen in named else 0
            self.form.select(named[after % len(named)])
        self.app.redraw()


def draw_game(look: Look) -> list[Line]:
    """Return a small game as it is drawn on the board: a shield, and guesses below it."""
    secret = parse_code(_HIDDEN, DEFAULT)
    lines: list[Line] = [[("", "     "), *(part for _peg in secret for part in look.shield())]]
    for typed in _GUESSES:
        guess = parse_code(typed, DEFAULT)
        keys = look.keys(score(secret, guess), DEFAULT.pegs)
        lines.append([("", "     "), *draw_pegs(guess, DEFAULT, look, ""), ("", "  "), *keys])
    return lines
