"""The forms for a match: which questions each one asks, and what their answers open."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from mastermind_client.config.options import ANYONE, FRIEND, OFFLINE, PlayOptions, WatchOptions
from mastermind_client.config.values import parse_rounds
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.language import ngettext
from mastermind_client.screen.forms.bot_choice import BotChoice, name_bot
from mastermind_client.screen.forms.fields import (
    accepting,
    draw_colours,
    place_field,
    server_field,
    switch,
    typed_choice,
)
from mastermind_client.screen.kit.list_view import Item, action, choice, field
from mastermind_client.words.codes import write_code
from mastermind_client.words.rules import tell_size
from mastermind_protocol.code import parse_code
from mastermind_protocol.events import Seat
from mastermind_protocol.rules import (
    DEFAULT,
    MAX_COLOURS,
    MAX_GUESSES,
    MAX_PEGS,
    MAX_ROUNDS,
    PRESETS,
    Rules,
    find_rules,
)
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.config.options import MatchOptions
    from mastermind_client.screen.app import App
    from mastermind_protocol.code import Code

MIN_COLOURS = 2  # of which a code can be made that is not known beforehand


class MatchForm:
    """A form for a match: its answers so far, and the items of each question."""

    def __init__(self, app: App, kind: FormKind, address: str = OFFLINE) -> None:
        self.kind = kind
        self.rules = find_rules(kind.rules or app.settings.rules)
        self.seat = kind.seats[0]
        self.rounds = 1
        self.rated = self.public = False
        self.address = address
        self.bots = BotChoice(app, app.settings.opponent)
        self.app = app
        self._secret: tuple[str, Code] | None = None  # the rules that it is of, and it

    @property
    def secret(self) -> Code | None:
        """The secret that is fixed, if it is one of these rules."""
        if self._secret is None or self._secret[0] != self.rules.name:
            return None
        return self._secret[1]

    @property
    def bot(self) -> str:
        """The bot that is chosen."""
        return self.bots.find(self.rules, breaks=self.bot_breaks)

    @property
    def items(self) -> list[Item]:
        """The start, and the questions; Enter starts from any of them."""
        kind = self.kind
        start = action("start", _(kind.start), self.start)
        asked = (item for question in kind.questions for item in question(self))
        return [start, *(replace(item, press=self.start, heading="") for item in asked)]

    @property
    def told(self) -> tuple[str, str]:
        """What happens if it is started now: in a sentence, and what more there is to say."""
        first, *more = self.kind.tell(self)
        return first, " ".join((*more, tell_size(self.rules)))

    @property
    def hides(self) -> bool:
        """Whether we begin by hiding a code."""
        return self.seat is Seat.MAKER and self.kind.plays

    @property
    def card(self) -> tuple[str, str] | None:
        """The name of the bot, and what there is to say about it, once it is known."""
        bot = None
        if MatchForm.bot_items in self.kind.questions:
            bot = self.bots.choose_fitting(self.rules, breaks=self.bot_breaks)
        return None if bot is None else (name_bot(bot), self.bots.describe(bot))

    def start(self) -> None:
        """Open the match; the next form begins with its rules and its bot."""
        options = self.kind.options(self)
        if isinstance(options, PlayOptions):
            self._remember(options)
        self.app.go(options)

    def load_bots(self) -> None:
        """Load the bots, if the form has a question for them."""
        if MatchForm.bot_items in self.kind.questions:
            self.bots.load(self.address)

    def play(self, versus: str, server: str | None) -> PlayOptions:
        """Return the options of a match with a seat for us."""
        return PlayOptions(
            rules=self.rules,
            versus=versus,
            seat=self.seat,
            server=server,
            rounds=self.rounds,
            public=self.public and self.address != OFFLINE,
            rated=self.rated,
            settled=True,
        )

    def watch(self) -> WatchOptions:
        """Return the options of a match between two bots."""
        return WatchOptions(
            server=self.address or None,
            bot=self.bot,
            rules=self.rules,
            secret=self.secret,
            public=self.public and self.address != OFFLINE,
        )

    def _remember(self, options: PlayOptions) -> None:
        """Keep the rules and the bot in the settings: what a command line asks for is not kept."""
        changes: dict[str, object] = {"rules": options.rules.name}
        if options.against_bot:
            changes["opponent"] = options.versus
        if any(getattr(self.app.settings, name) != value for name, value in changes.items()):
            self.app.change(**changes)

    # The questions.

    def bot_items(self) -> list[Item]:
        """Ask for the bot, one that can play what is asked of it."""
        item = self.bots.item(self.rules, breaks=self.bot_breaks)
        return [item if self.kind.plays else replace(item, label=_("Bot"))]

    def rules_items(self) -> list[Item]:
        """Ask for the rules: a preset, or a size of one's own in three numbers."""
        rules, names = self.rules, list(PRESETS)
        own = rules.name not in PRESETS

        def choose(index: int) -> None:
            self.rules = PRESETS[names[index]] if index < len(names) else _resize(rules)

        preset = typed_choice(
            "rules",
            _("Rules"),
            [*names, rules.name if own else _("a size of your own")],
            len(names) if own else names.index(rules.name),
            self._accept_rules,
            self.app.prompt,
            choose=choose,
            text=rules.name,
        )
        preset = replace(preset, beside=draw_colours(rules.palette, self.app.look))
        counts = [
            ("pegs", _("Pegs"), rules.pegs, range(1, MAX_PEGS + 1)),
            ("colours", _("Colours"), rules.colours, range(MIN_COLOURS, MAX_COLOURS + 1)),
            ("guesses", _("Guesses"), rules.guess_limit, range(1, MAX_GUESSES + 1)),
        ]
        return [preset, *(self._count_item(*count) for count in counts if own)]

    def seat_items(self) -> list[Item]:
        """Ask for one's own seat; None is either."""
        seats = self.kind.seats

        def choose(index: int) -> None:
            self.seat = seats[index]

        names = {
            None: _("either"),
            Seat.BREAKER: _("break the code"),
            Seat.MAKER: _("hide a code"),
        }
        abouts = {
            None: _("whichever is free"),
            Seat.BREAKER: _("or hide one"),
            Seat.MAKER: _("or break one"),
        }
        words = [names[seat] for seat in seats]
        index = seats.index(self.seat)
        return [choice("seat", _("You"), words, index, choose, about=abouts[self.seat])]

    def rounds_items(self) -> list[Item]:
        """Ask for the number of rounds."""

        def take(rounds: int) -> None:
            self.rounds = rounds

        about = _("won or lost at once") if self.rounds == 1 else _("seats change after each")
        words = [str(number) for number in range(1, MAX_ROUNDS + 1)]
        return [
            typed_choice(
                "rounds", _("Rounds"), words, self.rounds - 1, accepting(parse_rounds, take),
                self.app.prompt, text=str(self.rounds), about=about,
            )
        ]  # fmt: skip

    def rated_items(self) -> list[Item]:
        """Ask whether the match is rated."""

        def turn(rated: bool) -> None:
            self.rated = rated

        about = _("unaided: no advice") if self.rated else _("advice may be taken")
        return [switch("rated", _("Rated"), self.rated, turn, about)]

    def secret_items(self) -> list[Item]:
        """Ask for the code that a bot is to break."""
        rules, secret = self.rules, self.secret

        def take(code: Code | None) -> None:
            self._secret = None if code is None else (rules.name, code)

        accept = accepting(lambda text: parse_code(text, rules) if text else None, take)
        written = "" if secret is None else write_code(secret, rules)
        about = _("type a code, or nothing")
        shown = written or _("by chance")
        return [field("secret", _("Secret"), written, shown, self.app.prompt, accept, about=about)]

    def place_items(self) -> list[Item]:
        """Ask where it is to be; on the server, also whether others find it to be watched."""

        def go_to(address: str) -> None:
            self.address = address
            self.bots.load(address)

        def turn(public: bool) -> None:
            self.public = public

        about = _("listed for all to watch") if self.public else _("watched by its code only")
        items = [
            place_field(self.app, self.address, go_to),
            switch("public", _("Public"), self.public, turn, about),
        ]
        return items[:1] if self.address == OFFLINE else items

    def server_items(self) -> list[Item]:
        """Ask for the server to meet at."""
        return [server_field(self.app)]

    @property
    def bot_breaks(self) -> bool:
        """Whether the bot is codebreaker in any round."""
        return self.seat is not Seat.BREAKER or self.rounds > 1

    def _accept_rules(self, text: str) -> str | None:
        def take(rules: Rules) -> None:
            self.rules = rules

        return accepting(find_rules, take)(text)

    def _count_item(self, name: str, label: str, number: int, allowed: Sequence[int]) -> Item:
        """Return the item for one number of a size of one's own."""
        rules = self.rules
        counts = {"pegs": rules.pegs, "colours": rules.colours, "guesses": rules.guess_limit}

        def accept(text: str) -> str | None:
            return self._accept_rules(
                "{pegs}x{colours}/{guesses}".format(**counts | {name: text.strip()})
            )

        words = [str(each) for each in allowed]
        return typed_choice(
            name, label, words, allowed.index(number), accept, self.app.prompt,
            text=str(number),
            about=_("{least} to {most}").format(least=allowed[0], most=allowed[-1]),
        )  # fmt: skip


def _resize(rules: Rules) -> Rules:
    """Return rules of the same size that are no preset's."""
    guesses = rules.guesses or DEFAULT.guesses
    return find_rules(f"{rules.pegs}x{rules.colours}/{guesses}")


Question: TypeAlias = "Callable[[MatchForm], Sequence[Item]]"


@dataclass(frozen=True, slots=True)
class FormKind:
    """A kind of form: how it is called, what it asks, and what it opens.

    `tell` says in sentences what happens if it is started. We play ourselves if it `plays`. The
    first of the `seats` is taken if no other is chosen. Without `rules` they are those that were
    played last.
    """

    title: str
    start: str
    tell: Callable[[MatchForm], Sequence[str]]
    questions: tuple[Question, ...]
    options: Callable[[MatchForm], MatchOptions]
    seats: tuple[Seat | None, ...] = (Seat.BREAKER, Seat.MAKER)
    rules: str | None = None
    plays: bool = True


def _tell_bot(form: MatchForm) -> list[str]:
    if form.bots.none_fits(form.rules, breaks=form.bot_breaks):
        return [_("No bot here breaks codes of that size.")]
    bot = form.card
    name = bot[0] if bot is not None else sanitise(form.bot)
    if form.seat is Seat.MAKER:
        told = [_("You hide a code, {bot} breaks it.").format(bot=name)]
    else:
        told = [_("{bot} hides a code, you break it.").format(bot=name)]
    return told + _tell_rounds(form)


def _tell_friend(form: MatchForm) -> list[str]:
    if form.seat is Seat.MAKER:
        told = [_("You hide a code, your friend breaks it.")]
    else:
        told = [_("Your friend hides a code, you break it.")]
    return told + _tell_rounds(form)


def _tell_anyone(form: MatchForm) -> list[str]:
    told = [_("You meet whoever is waiting, or wait for somebody.")]
    return told + _tell_rounds(form)


def _tell_bots(form: MatchForm) -> list[str]:
    if form.bots.none_fits(form.rules, breaks=form.bot_breaks):
        return [_("No bot here breaks codes of that size.")]
    bot = form.card
    name = bot[0] if bot is not None else sanitise(form.bot)
    if form.secret is None:
        return [_("{bot} breaks a code drawn by chance.").format(bot=name)]
    return [_("{bot} breaks the code that you typed.").format(bot=name)]


def _tell_rounds(form: MatchForm) -> list[str]:
    if form.rounds == 1:
        return []
    text = ngettext("{number} round.", "{number} rounds, the seats change.", form.rounds)
    return [text.format(number=form.rounds)]


AGAINST_BOT = FormKind(
    N_("Play a bot"),
    N_("Start"),
    _tell_bot,
    (
        MatchForm.bot_items,
        MatchForm.rules_items,
        MatchForm.seat_items,
        MatchForm.rounds_items,
        MatchForm.place_items,
    ),
    lambda form: form.play(form.bot, form.address or None),
)
WITH_FRIEND = FormKind(
    N_("Invite a friend"),
    N_("Invite"),
    _tell_friend,
    (
        MatchForm.rules_items,
        MatchForm.seat_items,
        MatchForm.rounds_items,
        MatchForm.rated_items,
        MatchForm.server_items,
    ),
    lambda form: form.play(FRIEND, form.app.settings.server),
)
WITH_ANYONE = FormKind(
    N_("Find an opponent"),
    N_("Find one"),
    _tell_anyone,
    (MatchForm.rules_items, MatchForm.seat_items, MatchForm.rounds_items, MatchForm.rated_items),
    lambda form: form.play(ANYONE, form.address),
    seats=(None, Seat.BREAKER, Seat.MAKER),
)
BETWEEN_BOTS = FormKind(
    N_("Two bots"),
    N_("Start"),
    _tell_bots,
    (MatchForm.bot_items, MatchForm.rules_items, MatchForm.secret_items, MatchForm.place_items),
    MatchForm.watch,
    seats=(None,),
    rules="knuth",  # as many guesses as the bot takes
    plays=False,
)
