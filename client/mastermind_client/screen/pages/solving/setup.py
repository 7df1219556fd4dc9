"""The forms of the helper and of puzzles: their rules, sides, bots, levels and numbers."""

from __future__ import annotations

from argparse import ArgumentTypeError
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.config.options import OFFLINE, PuzzleOptions, SolveOptions
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.rules import describe_code_count, describe_preset
from mastermind_client.screen.forms.bot_choice import BotChoice
from mastermind_client.screen.forms.fields import make_acceptor
from mastermind_client.screen.forms.rules_items import list_rules_items
from mastermind_client.screen.pages.page import Page, Sheet
from mastermind_client.screen.toolkit.lines import wrap
from mastermind_client.screen.toolkit.list_view import action, choice, field
from mastermind_protocol.requests import MAX_PUZZLE_LEVEL, MAX_PUZZLE_SEED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.screen.app import App
    from mastermind_client.screen.toolkit.list_view import Item
    from mastermind_protocol.rules import Rules


class SolveForm(Page):
    """The form of the helper: the rules, and who breaks the code. `begin` receives the answers."""

    enter_hint = N_("begin")

    def __init__(
        self, app: App, options: SolveOptions, begin: Callable[[SolveOptions], None]
    ) -> None:
        self._options, self._begin = options, begin
        self._bots = BotChoice(app, options.bot or app.settings.opponent)
        super().__init__(app)

    def on_show(self) -> None:
        """Load the bots."""
        self._bots.load(self.app.resolve_address(OFFLINE))

    @property
    def explained_rules(self) -> Rules:
        """The chosen rules."""
        return self._options.rules

    def sheet(self) -> Sheet:
        """Return the form, below a sentence about the game."""
        if self._options.bot is None:
            words = _("A code is hidden elsewhere. You type the guesses and their answers.")
        else:
            words = _("You hide a code in your head. A bot guesses, and you answer.")
        told = " ".join(
            filter(
                None,
                (describe_code_count(self._options.rules), describe_preset(self._options.rules)),
            )
        )
        columns = self.stage.columns
        above = [[*wrap(words, columns), *wrap(told, columns, "class:dim")]]
        return Sheet(title=_("The helper"), view=self.view, above=above)

    def items(self) -> Sequence[Item]:
        """Return the questions."""
        rules, breaks = self._options.rules, self._options.bot is not None
        sides = [
            (False, _("break a code"), _("or hide one")),
            (True, _("hide a code"), _("or break one")),
        ]
        items = [
            *list_rules_items(self.app, rules, partial(self._set, "rules")),
            choice("side", _("You"), breaks, sides, self._take_side),
        ]
        if breaks:
            items.append(self._bots.make_item(rules, bot_breaks=True))
        start = action("start", _("Begin"), self._start)
        return [start, *(replace(item, press=self._start, heading="") for item in items)]

    def _set(self, name: str, value: object) -> None:
        self._options = replace(self._options, **{name: value})  # type: ignore[arg-type]

    def _take_side(self, breaks: bool) -> None:
        self._set("bot", self._bots.wanted_name if breaks else None)

    def _start(self) -> None:
        options = self._options
        if options.bot is not None:
            options = replace(options, bot=self._bots.find_name(options.rules, bot_breaks=True))
        self.app.back()
        self._begin(options)


class PuzzleForm(Page):
    """The form of a puzzle: its rules, level and number. `begin` receives the answers."""

    enter_hint = N_("begin")

    def __init__(
        self, app: App, options: PuzzleOptions, begin: Callable[[PuzzleOptions], None]
    ) -> None:
        self._options, self._begin = replace(options, seed=None), begin
        super().__init__(app)

    @property
    def explained_rules(self) -> Rules:
        """The chosen rules."""
        return self._options.rules

    def sheet(self) -> Sheet:
        """Return the form, below a sentence about puzzles."""
        words = _(
            "Guesses with answers that only one code fits. The same rules, level and number are "
            "the same puzzle for everyone."
        )
        return Sheet(title=_("Puzzles"), view=self.view, above=[wrap(words, self.stage.columns)])

    def items(self) -> Sequence[Item]:
        """Return the questions."""
        options = self._options
        abouts = (_("easy"), _("harder"), _("hard"))
        levels = [
            (level, str(level), abouts[level - 1]) for level in range(1, MAX_PUZZLE_LEVEL + 1)
        ]
        seed = "" if options.seed is None else str(options.seed)
        items = [
            *list_rules_items(self.app, options.rules, partial(self._set, "rules")),
            choice("level", _("Level"), options.level, levels, partial(self._set, "level")),
            field(
                "seed", _("Number"), seed, seed or _("any"), self.app.prompt,
                make_acceptor(_parse_number, partial(self._set, "seed")),
                about=_("type one to get a certain puzzle"),
            ),
        ]  # fmt: skip
        start = action("start", _("Begin"), self._start)
        return [start, *(replace(item, press=self._start, heading="") for item in items)]

    def _set(self, name: str, value: object) -> None:
        self._options = replace(self._options, **{name: value})  # type: ignore[arg-type]

    def _start(self) -> None:
        self.app.back()
        self._begin(self._options)


def _parse_number(text: str) -> int:
    """Return the number of a puzzle in a text. Raises ArgumentTypeError."""
    if not text.isdecimal() or int(text) > MAX_PUZZLE_SEED:
        told = _("{given} is no number of a puzzle: 0 to {most}")
        raise ArgumentTypeError(told.format(given=repr(text), most=MAX_PUZZLE_SEED))
    return int(text)
