"""The terms of a match, as items of a form: rules, seats, rounds. All forms take them from here."""

from __future__ import annotations

from argparse import ArgumentTypeError
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.config.options import OFFLINE
from mastermind_client.config.values import parse_match_code, parse_rounds, parse_server
from mastermind_client.language import gettext as _
from mastermind_client.screen.kit.forms import Item, choice, field
from mastermind_client.screen.kit.prompt import Asked
from mastermind_client.words.players import name_seat
from mastermind_client.words.refusals import describe_refusal, write_sentence
from mastermind_client.words.rules import describe_size
from mastermind_protocol.errors import InvalidRules, MastermindError
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

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.config.options import MatchOptions
    from mastermind_client.config.settings import Settings
    from mastermind_client.screen.app import App
    from mastermind_client.screen.kit.lines import Line
    from mastermind_client.screen.look import Look
    from mastermind_protocol.events import Seat

MIN_COLOURS = 2  # of which a code can be made that is not known beforehand


@dataclass(slots=True)
class Terms:
    """What a match is to be played by. Without a `seat` any one will do."""

    rules: Rules = DEFAULT
    seat: Seat | None = None
    rounds: int = 1
    rated: bool = False

    @classmethod
    def remembered(cls, settings: Settings, seat: Seat | None = None) -> Terms:
        """Return terms with the rules that were played last."""
        return cls(find_rules(settings.rules), seat)


def ask_rules(terms: Terms, edit: Callable[[Asked], None]) -> list[Item]:
    """Return the items for the rules: a preset, or a size of one's own in three numbers."""
    rules, names = terms.rules, list(PRESETS)
    own = rules.name not in PRESETS

    def choose(index: int) -> None:
        terms.rules = PRESETS[names[index]] if index < len(names) else _resize(rules)

    def accept(text: str) -> str | None:
        try:
            terms.rules = find_rules(text)
        except InvalidRules as error:
            return describe_refusal(error)
        return None

    words = [*names, rules.name if own else _("a size of your own")]
    typed = field("rules", _("Rules"), rules.name, rules.name, edit, accept)
    items = [
        choice(
            "rules",
            _("Rules"),
            words,
            len(names) if own else names.index(rules.name),
            choose,
            about=describe_size(rules),
            press=typed.press,
        )
    ]
    return [*items, *_ask_size(terms, accept, edit)] if own else items


def draw_colours(rules: Rules, look: Look) -> Line:
    """Return all pegs of the rules in a row."""
    line: Line = [("", "  ")]
    for colour in rules.palette:
        line += look.peg(colour, colour[0].upper())
    return line


def ask_seat(terms: Terms, seats: Sequence[Seat | None]) -> Item:
    """Return the item for one's own seat, one of these; None is either."""

    def choose(index: int) -> None:
        terms.seat = seats[index]

    words = [_("either") if seat is None else name_seat(seat) for seat in seats]
    if terms.seat is None:
        about = _("Whichever seat is free: you hide a code, or you break one.")
    elif terms.seat.value == "maker":
        about = _("You hide a code, and somebody else breaks it.")
    else:
        about = _("Somebody else hides a code, and you break it.")
    return choice("seat", _("Your seat"), words, seats.index(terms.seat), choose, about=about)


def ask_rounds(terms: Terms, edit: Callable[[Asked], None]) -> Item:
    """Return the item for the number of rounds."""

    def choose(index: int) -> None:
        terms.rounds = index + 1

    def accept(text: str) -> str | None:
        try:
            terms.rounds = parse_rounds(text.strip())
        except ArgumentTypeError as error:
            return write_sentence(str(error))
        return None

    if terms.rounds == 1:
        about = _("One round is won or lost.")
    else:
        about = _("The seats are swapped after each round, and more points win.")
    typed = field("rounds", _("Rounds"), str(terms.rounds), "", edit, accept)
    words = [str(number) for number in range(1, MAX_ROUNDS + 1)]
    return choice(
        "rounds", _("Rounds"), words, terms.rounds - 1, choose, about=about, press=typed.press
    )


def ask_rated(terms: Terms) -> Item:
    """Return the item for a rated match."""

    def choose(index: int) -> None:
        terms.rated = bool(index)

    if terms.rated:
        about = _("It is rated: without advice, and without programs.")
    else:
        about = _("It is not rated: whoever breaks the code may take advice.")
    return switch("rated", _("Rated"), terms.rated, choose, about)


def ask_server(app: App) -> Item:
    """Return the item for the server, which is the one of the settings."""
    address = app.settings.server
    about = _("Where you meet; everybody has to be on the same server.")
    return field(
        "server",
        _("Server"),
        address,
        address,
        app.edit,
        partial(accept_server, app),
        about=about,
    )


def accept_server(app: App, text: str) -> str | None:
    """Take another server into the settings, or return why it cannot be one."""
    try:
        address = parse_server(text.strip())
    except ArgumentTypeError as error:
        return write_sentence(str(error))
    app.change(server=address)
    return None


def switch(name: str, label: str, on: bool, choose: Callable[[int], None], about: str) -> Item:
    """Return an item that is on (1) or off (0)."""
    return choice(name, label, [_("no"), _("yes")], int(on), choose, about=about)


def ask_public(public: bool, choose: Callable[[bool], None]) -> Item:
    """Return the item for whether others find the match in the list of those to watch."""
    if public:
        about = _("It is in the list of matches to watch.")
    else:
        about = _("Only who knows its code can watch it.")
    return switch("public", _("Public"), public, lambda index: choose(bool(index)), about)


def describe_error(error: Exception) -> str:
    """Say in whole sentences why something could not be done."""
    return (
        describe_refusal(error)
        if isinstance(error, MastermindError)
        else write_sentence(str(error))
    )


def ask_place(app: App, address: str, go_to: Callable[[str], None]) -> Item:
    """Return the item for where something is: in this process, or on the server."""
    places = [OFFLINE, address or app.settings.server]

    def choose(index: int) -> None:
        go_to(places[index])

    words = [_("here, offline"), places[1]]
    if address == OFFLINE:
        about = _("On this computer; no network is needed.")
    else:
        about = _("On the server, where others can look on.")
    return choice("place", _("Where"), words, places.index(address), choose, about=about)


def ask_match(app: App, choose: Callable[[str], MatchOptions]) -> None:
    """Let the code of a match be typed, and go to what is chosen by it."""

    def accept(text: str) -> str | None:
        try:
            code = parse_match_code(text)
        except ArgumentTypeError as error:
            return write_sentence(str(error))
        app.end_line()
        app.go(choose(code))
        return None

    app.edit(Asked(_("Match code:"), accept))


def _ask_size(
    terms: Terms, accept: Callable[[str], str | None], edit: Callable[[Asked], None]
) -> list[Item]:
    """Return the items for the three numbers of a size of one's own."""
    rules = terms.rules
    about = describe_size(rules)
    counts = [
        (
            "pegs", _("Pegs"), rules.pegs, range(1, MAX_PEGS + 1),
            lambda number: f"{number}x{rules.colours}/{rules.limit}",
        ),
        (
            "colours", _("Colours"), rules.colours, range(MIN_COLOURS, MAX_COLOURS + 1),
            lambda number: f"{rules.pegs}x{number}/{rules.limit}",
        ),
        (
            "guesses", _("Guesses"), rules.limit, range(1, MAX_GUESSES + 1),
            lambda number: f"{rules.pegs}x{rules.colours}/{number}",
        ),
    ]  # fmt: skip
    return [
        _ask_count(name, label, number, allowed, write, accept, edit, about)
        for name, label, number, allowed, write in counts
    ]


def _ask_count(
    name: str,
    label: str,
    number: int,
    allowed: Sequence[int],
    write: Callable[[object], str],
    accept: Callable[[str], str | None],
    edit: Callable[[Asked], None],
    about: str,
) -> Item:
    """Return the item for one of the numbers; `write` says the rules with another one."""

    def choose(index: int) -> None:
        accept(write(allowed[index]))

    typed = field(name, label, str(number), "", edit, lambda text: accept(write(text.strip())))
    return choice(
        name,
        label,
        [str(each) for each in allowed],
        allowed.index(number),
        choose,
        about=about,
        press=typed.press,
    )


def _resize(rules: Rules) -> Rules:
    """Return rules of the same size that are no preset's."""
    guesses = rules.guesses or DEFAULT.guesses
    return find_rules(f"{rules.pegs}x{rules.colours}/{guesses}")
