"""The form for a match: its questions, and the options that follow from the answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from mastermind_client.config.options import (
    CLOCKS,
    DEFAULT_SERVER,
    OFFLINE,
    PlayOptions,
    WatchOptions,
)
from mastermind_client.config.values import parse_rounds
from mastermind_client.language import gettext as _
from mastermind_client.messages.clocks import summarise_clock
from mastermind_client.messages.codes import format_pegs, read_code
from mastermind_client.messages.rules import describe_code_count, describe_preset
from mastermind_client.screen.forms.bot_choice import BotChoice, name_bot
from mastermind_client.screen.forms.fields import (
    bind_switch,
    make_acceptor,
    server_field,
    where_field,
)
from mastermind_client.screen.forms.rules_items import list_rules_items
from mastermind_client.screen.toolkit.list_view import (
    Item,
    action,
    add_typing,
    bind_choice,
    choice,
    field,
)
from mastermind_protocol.clock import find_clock
from mastermind_protocol.events import Seat
from mastermind_protocol.rules import MAX_ROUNDS, find_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.config.options import MatchOptions
    from mastermind_client.screen.app import App
    from mastermind_protocol.code import Code

RATED_ROUNDS = (2, 4)  # in more rounds ratings would spread too far


Question: TypeAlias = "Callable[[MatchForm], Sequence[Item]]"


@dataclass(frozen=True, slots=True)
class FormKind:
    """A kind of form: its title, its questions, and the options that it makes.

    `start_label` is the text of the item that starts the match. `describe` returns sentences about
    the match. The user gets a seat if `user_plays`. The user can choose from `seats`, the first by
    default. `rounds` is the default number of rounds. `rules` is the name of the default rules;
    None means the last played rules.
    """

    title: str
    start_label: str
    describe: Callable[[MatchForm], Sequence[str]]
    questions: tuple[Question, ...]
    make_options: Callable[[MatchForm], MatchOptions]
    seats: tuple[Seat | None, ...] = (Seat.BREAKER, Seat.MAKER)
    rounds: int = 1
    rules: str | None = None
    user_plays: bool = True


class MatchForm:
    """The answers in a form for a match, and the items of its questions."""

    def __init__(self, app: App, kind: FormKind, address: str = OFFLINE) -> None:
        self.kind = kind
        self.rules = find_rules(kind.rules or app.settings.rules)
        self.seat = kind.seats[0]
        self.rounds = kind.rounds
        self.rated = self.public = False
        self.clock: str | None = None
        self.address = app.resolve_address(address)
        # Whether to host the match in this process. Only the form for a friend asks.
        self.hosts = app.context.local and app.settings.server == DEFAULT_SERVER
        self.bots = BotChoice(app, app.settings.opponent)
        self.app = app
        self._secret: tuple[str, Code] | None = None  # the name of its rules, and the code

    @property
    def secret(self) -> Code | None:
        """The secret that was typed for the chosen rules, or None."""
        if self._secret is None or self._secret[0] != self.rules.name:
            return None
        return self._secret[1]

    @property
    def bot(self) -> str:
        """The name of the chosen bot."""
        return self.bots.find_name(self.rules, bot_breaks=self.bot_breaks)

    @property
    def items(self) -> list[Item]:
        """The item that starts the match, then the questions. Enter always starts the match."""
        kind = self.kind
        start = action("start", _(kind.start_label), self.start)
        asked = (item for question in kind.questions for item in question(self))
        return [start, *(replace(item, press=self.start, heading="") for item in asked)]

    @property
    def summary(self) -> tuple[str, str]:
        """A sentence about the match, and its details."""
        first, *more = self.kind.describe(self)
        more += [describe_code_count(self.rules), describe_preset(self.rules)]
        return first, " ".join(filter(None, more))

    @property
    def user_sets_secret(self) -> bool:
        """Whether the user hides a code in the first round."""
        return self.seat is Seat.MAKER and self.kind.user_plays

    @property
    def bot_card(self) -> tuple[str, str] | None:
        """The name and the description of the chosen bot, or None while no bot can be chosen."""
        bot = None
        if MatchForm.bot_items in self.kind.questions:
            bot = self.bots.choose_fitting_bot(self.rules, bot_breaks=self.bot_breaks)
        return (
            None
            if bot is None
            else (name_bot(bot), self.bots.describe(bot, self.rules, bot_breaks=self.bot_breaks))
        )

    def start(self) -> None:
        """Open the match. Its bot becomes the default of the next form, its rules with a guess."""
        options = self.kind.make_options(self)
        if isinstance(options, PlayOptions):
            self._save_defaults(options)
        self.app.go(options)

    def load_bots(self) -> None:
        """Load the bots if the form asks for a bot."""
        if MatchForm.bot_items in self.kind.questions:
            self.bots.load(self.address)

    def make_play_options(self, versus: str, server: str | None) -> PlayOptions:
        """Return the options of a match with a seat for the user."""
        return PlayOptions(
            rules=self.rules,
            versus=versus,
            seat=self.seat,
            server=server,
            rounds=self.total_rounds,
            public=self.public and self.address != OFFLINE,
            rated=self.rated,
            clock=self.clock,
            settled=True,
        )

    def make_watch_options(self) -> WatchOptions:
        """Return the options of a match between two bots."""
        return WatchOptions(
            server=self.address or None,
            bot=self.bot,
            rules=self.rules,
            secret=self.secret,
            public=self.public and self.address != OFFLINE,
        )

    def _save_defaults(self, options: PlayOptions) -> None:
        self.app.chosen_rules = options.rules.name
        if options.against_bot and self.app.settings.opponent != options.versus:
            self.app.change_settings(opponent=options.versus)

    # The questions.

    def bot_items(self) -> list[Item]:
        """Return the question for the bot."""
        item = self.bots.make_item(self.rules, bot_breaks=self.bot_breaks)
        return [item if self.kind.user_plays else replace(item, label=_("Bot"))]

    def rules_items(self) -> list[Item]:
        """Return the questions for the rules: a preset, or the numbers of a custom size."""
        return list_rules_items(self.app, self.rules, partial(setattr, self, "rules"))

    def seat_items(self) -> list[Item]:
        """Return the question for the user's seat. The value None means either seat."""
        options = [
            (None, _("either"), _("whichever is free")),
            (Seat.BREAKER, _("break the code"), _("or hide one")),
            (Seat.MAKER, _("hide a code"), _("or break one")),
        ]
        offered = [option for option in options if option[0] in self.kind.seats]
        return [bind_choice(self, "seat", _("You"), offered)]

    def rounds_items(self) -> list[Item]:
        """Return the question for the number of rounds."""
        measured = self.seat is Seat.MAKER and MatchForm.bot_items in self.kind.questions
        once = _("nobody wins or loses") if measured else _("won or lost at once")
        change = _("seats change after each")
        options = [
            (number, str(number), once if number == 1 else change)
            for number in range(1, MAX_ROUNDS + 1)
        ]
        if not self.opponent_breaks:
            about = _("this bot breaks no such codes")
            return [choice("rounds", _("Rounds"), 1, [(1, "1", about)], lambda _number: None)]
        item = bind_choice(self, "rounds", _("Rounds"), options)
        accept = make_acceptor(parse_rounds, partial(setattr, self, "rounds"))
        return [self._add_typing(item, str(self.rounds), accept)]

    def clock_items(self) -> list[Item]:
        """Return the question for the clock: none, a usual one, or a typed one."""
        names = dict.fromkeys((*CLOCKS, *([self.clock] if self.clock else ())))
        options: list[tuple[str | None, str, str]] = [(None, _("none"), _("no limit of time"))]
        options += [(name, name, summarise_clock(find_clock(name))) for name in names]
        accept = make_acceptor(
            lambda text: find_clock(text).name if text else None, partial(setattr, self, "clock")
        )
        item = bind_choice(self, "clock", _("Clock"), options)
        return [self._add_typing(item, self.clock or "", accept)]

    @property
    def may_be_rated(self) -> bool:
        """Whether the clock, the rules and the number of rounds allow a rated match."""
        live = self.clock is not None and find_clock(self.clock).live
        return live and self.rules.guesses is not None and self.rounds in RATED_ROUNDS

    def rated_items(self) -> list[Item]:
        """Return the question whether the match is rated."""
        off, on = _("advice may be taken"), _("unaided: no advice")
        return [bind_switch(self, "rated", _("Rated"), off, on)]

    def secret_items(self) -> list[Item]:
        """Return the question for the secret, which the user can set if a bot breaks it."""
        rules, secret = self.rules, self.secret
        accept = make_acceptor(
            lambda text: (rules.name, read_code(text, rules)) if text else None,
            partial(setattr, self, "_secret"),
        )
        written = "" if secret is None else format_pegs(secret, rules)
        about = _("type a code, or nothing")
        shown = written or _("by chance")
        return [field("secret", _("Secret"), written, shown, self.app.prompt, accept, about=about)]

    def address_items(self) -> list[Item]:
        """Return the question where to play. For a server, also ask whether the match is public."""

        def go_to(address: str) -> None:
            self.address = address
            self.bots.load(address)

        off, on = _("watched by its code only"), _("listed for all to watch")
        items = [
            where_field(self.app, self.address, go_to),
            bind_switch(self, "public", _("Public"), off, on),
        ]
        return items[:1] if self.address == OFFLINE else items

    def server_items(self) -> list[Item]:
        """Return the question for the server: in this process, or a running one."""
        if not self.app.context.local:
            return [server_field(self.app)]
        options = [
            (True, _("host here"), _("for friends on your network")),
            (False, _("on a server"), _("the same for all who meet")),
        ]
        where = bind_choice(self, "hosts", _("Where"), options)
        return [where] if self.hosts else [where, server_field(self.app)]

    @property
    def bot_breaks(self) -> bool:
        """Whether the bot is codebreaker in the first round, so that it must break these rules."""
        return self.seat is not Seat.BREAKER

    @property
    def opponent_breaks(self) -> bool:
        """Whether the opponent can take the seat of the codebreaker: some bots only hide codes."""
        if MatchForm.bot_items not in self.kind.questions:
            return True
        bot = self.bots.choose_fitting_bot(self.rules, bot_breaks=self.bot_breaks)
        return bot is None or self.rules.codes <= bot.largest

    @property
    def total_rounds(self) -> int:
        """The number of rounds: one against a bot that cannot break a code in the second."""
        return self.rounds if self.opponent_breaks else 1

    def _add_typing(self, item: Item, value: str, accept: Callable[[str], str | None]) -> Item:
        return add_typing(item, value, self.app.prompt, accept)
