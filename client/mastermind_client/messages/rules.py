"""Texts about the rules: sizes, how to play, and the hints of a first game."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from mastermind_client.colours import COLOURS
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.language import ngettext
from mastermind_client.messages.codes import (
    format_colour,
    format_count,
    format_example_code,
    format_feedback,
    list_peg_symbols,
)
from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.feedback import Feedback, score
from mastermind_protocol.match import Match, Phase
from mastermind_protocol.rules import CUSTOM_PALETTE, DEFAULT, PRESETS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Round
    from mastermind_protocol.rules import Rules


_EXAMPLE_SECRET, _EXAMPLE_GUESS = (1, 4, 0, 2), (1, 2, 3, 3)  # feedback: one black, one white
_EXAMPLE_FIFTH_PEGS = (0, 3)  # the fifth peg of the secret and of the guess
_EXAMPLE_GUESS_WITHOUT_REPEATS = (1, 2, 3, 5)  # of at least six colours; the same feedback
_LABEL_COLUMNS = 11  # columns in front of a code
_KEY_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "black": N_("black"),
        "white": N_("white"),
        "gray": N_("gray"),
        "bull": N_("bull"),
        "cow": N_("cow"),
    }
)


def describe_rules(rules: Rules) -> list[str]:
    """Return two lines: the size of the game, and the symbols of its colours."""
    colours = ", ".join(
        f"{_write_symbols(index, rules)} {format_colour(index, rules)}"
        for index in range(rules.colours)
    )
    return [describe_size(rules), _("Colours: {colours}.").format(colours=colours)]


def list_letter_warnings(rules: Rules) -> list[str]:
    """Return a warning if colours have letters that mean other colours in most presets.

    The warning is one line. Without such letters the list is empty.
    """
    usual = {colour[0]: colour for colour in CUSTOM_PALETTE}
    unlike = [
        _("{letter} is {colour}, not {usual}").format(
            letter=colour[0].upper(),
            colour=format_colour(index, rules),
            usual=_(COLOURS[usual[colour[0]]].name),
        )
        for index, colour in enumerate(rules.palette)
        if usual.get(colour[0], colour) != colour
    ]
    return [_("Take care: {letters}.").format(letters="; ".join(unlike))] if unlike else []


def describe_size(rules: Rules) -> str:
    """Return the name of the rules with the numbers of pegs, colours and guesses."""
    if rules.guesses is None:
        guesses = _("as many guesses as it takes")
    else:
        guesses = ngettext("{number} guess", "{number} guesses", rules.guesses)
    return _("{rules}: {pegs}, {colours}, {guesses}.").format(
        rules=rules,
        pegs=format_peg_count(rules.pegs),
        colours=_describe_colours(rules),
        guesses=guesses.format(number=rules.guesses),
    )


def describe_code_count(rules: Rules) -> str:
    """Return the size of the game and the number of possible codes."""
    text = ngettext("{size}: one code of {codes}.", "{size}: one code of {codes}.", rules.codes)
    return text.format(size=format_size(rules), codes=format_count(rules.codes))


_PRESET_TEXTS = {
    "thirteen": N_("One guess more, colours by their letters, answers with [X] and [O]."),
    "mini": N_("Half of the guesses, for a quick game."),
    "eight": N_("Two colours more."),
    "lab": N_("Digits from 0; in the line interface, peg by peg."),
    "knuth": N_("No limit, as in Knuth's paper."),
    "bulls": N_("Four different digits. A bull is a digit in its place, a cow one elsewhere."),
}


def describe_preset(rules: Rules) -> str:
    """Return what distinguishes a preset from classic. Empty for classic and other rules."""
    return _(_PRESET_TEXTS[rules.name]) if rules.name in _PRESET_TEXTS else ""


def format_size(rules: Rules) -> str:
    """Return the numbers of pegs, colours and guesses in words. Unlimited guesses are left out."""
    parts = [format_peg_count(rules.pegs), _describe_colours(rules)]
    if rules.guesses is not None:
        guesses = ngettext("{number} guess", "{number} guesses", rules.guesses)
        parts.append(guesses.format(number=rules.guesses))
    return ", ".join(parts)


def format_peg_count(number: int) -> str:
    """Return a number of pegs as text: ``4 pegs``."""
    return ngettext("{number} peg", "{number} pegs", number).format(number=number)


def _describe_colours(rules: Rules) -> str:
    """Return the number of colours, or of digits if pegs show digits: ``10 digits, no repeats``."""
    number = rules.colours
    if rules.digits_only:
        colours = ngettext("{number} digit", "{number} digits", number)
    else:
        colours = ngettext("{number} colour", "{number} colours", number)
    colours = colours.format(number=number)
    return colours if rules.repeats else ", ".join((colours, _("no repeats")))


def _write_symbols(index: int, rules: Rules) -> str:
    first, *others = (alphabet[index] for alphabet in rules.alphabets)
    for other in others:
        first = _("{one} or {other}").format(one=first, other=other)
    return first


@dataclass(frozen=True, slots=True)
class Example:
    """An example of a secret and a guess.

    The first peg of the guess gets a black key peg, the second a white one, the others none.
    """

    rules: Rules
    secret: Code
    guess: Code

    @property
    def feedback(self) -> Feedback:
        """The feedback to the guess: one black and one white."""
        return score(self.secret, self.guess)

    @property
    def guess_letters(self) -> list[str]:
        """The letters on the pegs of the guess."""
        return _write_letters(self.guess, self.rules)

    def explain(self) -> str:
        """Return a sentence that explains the feedback peg by peg."""
        placed, elsewhere, absent, *_rest = self.guess_letters
        return _(
            "{placed} is in its place. {elsewhere} is in the code, elsewhere. {absent} is not."
        ).format(placed=placed, elsewhere=elsewhere, absent=absent)


@dataclass(frozen=True, slots=True)
class HowToPlay:
    """The sentences of the how-to-play page, which each interface wraps itself.

    `task` explains the aim. `answers` explains the black key peg, then the white one. `riddle`
    explains that feedback does not name pegs of the guess. `end` explains the end of a round.
    """

    task: tuple[str, ...]
    answers: tuple[str, str]
    riddle: str
    end: tuple[str, ...]
    example: Example


def build_how_to_play(rules: Rules) -> HowToPlay:
    """Return how to play by these rules."""
    if rules.guesses is None:
        search = _("The other player guesses until it is found. Each guess gets an answer:")
    else:
        search = ngettext(
            "The other player has {number} guess to find it. It gets an answer:",
            "The other player has {number} guesses to find it. Each one gets an answer:",
            rules.guesses,
        ).format(number=rules.guesses)
    black, white = find_key_names(rules)
    hidden = (
        _("One player hides a row of pegs: the code. Repeats are allowed.")
        if rules.repeats
        else _("One player hides a row of pegs: the code. Repeats are not allowed.")
    )
    return HowToPlay(
        task=(hidden, search),
        answers=(
            _("{key}: a peg is in the code, in the right place.").format(key=black),
            _("{key}: a peg is in the code, but in the wrong place.").format(key=white),
        ),
        riddle=_("It does not name the pegs. Working that out is the game."),
        end=(
            _("The hider scores a point per guess. Then you swap seats."),
            _("The code is locked before guess 1, checked at the end: no cheating."),
        ),
        example=choose_example(rules),
    )


def find_key_names(rules: Rules) -> tuple[str, str]:
    """Return the names of two key pegs: for the right place, and for the wrong place."""
    keys = rules.keys
    black, white = (keys.black, keys.white) if keys.counted else ("black", "white")
    return _(_KEY_NAMES[black]), _(_KEY_NAMES[white])


def choose_example(rules: Rules) -> Example:
    """Return an example for these rules, or if it does not fit for a preset with such codes."""
    pegs = len(_EXAMPLE_SECRET)
    if not rules.repeats:
        guess = _EXAMPLE_GUESS_WITHOUT_REPEATS
        fits = rules.pegs == pegs and rules.colours > max(guess)
        return Example(rules if fits else PRESETS["bulls"], _EXAMPLE_SECRET, guess)
    if not pegs <= rules.pegs <= pegs + 1 or rules.colours <= max(_EXAMPLE_SECRET):
        rules = DEFAULT
    fifth = rules.pegs - pegs
    return Example(
        rules,
        _EXAMPLE_SECRET + _EXAMPLE_FIFTH_PEGS[:1] * fifth,
        _EXAMPLE_GUESS + _EXAMPLE_FIFTH_PEGS[1:] * fifth,
    )


def format_how_to_play(rules: Rules) -> list[str]:
    """Return how to play, as lines. The last two lines describe these rules."""
    page = build_how_to_play(rules)
    example = page.example
    answer = format_feedback(example.feedback, example.rules)
    code, guess = (
        " ".join(_write_letters(each, example.rules)) for each in (example.secret, example.guess)
    )
    labels = _("the code"), _("a guess")
    return [
        *page.task,
        *(f"  {answer}" for answer in page.answers),
        page.riddle,
        _("For example:"),
        f"  {labels[0]:<{_LABEL_COLUMNS}} {code}",
        f"  {labels[1]:<{_LABEL_COLUMNS}} {guess}   {answer}",
        f"  {example.explain()}",
        *page.end,
        *describe_rules(rules),
    ]


def _write_letters(code: Code, rules: Rules) -> list[str]:
    symbols = list_peg_symbols(rules)
    return [symbols[colour] for colour in code]


def find_screen_hint(match: Match, me: str, *, full: bool) -> str:
    """Return the hint for the player's guess in the full-screen interface, or an empty string.

    `full` is whether the player has filled the row of the guess.
    """
    played = _find_first_round(match, me)
    if played is None or len(played.turns) > 1:
        return ""
    if played.turns:
        return _explain_answer(match.rules)
    if full:
        return _("The row is full: Enter sends it.")
    if match.rules.digits_only:
        return _explain_typing(match.rules)
    letter, colour = list_peg_symbols(match.rules)[0], format_colour(0, match.rules)
    return _("Type colours by their letters: {letter} is {colour}.").format(
        letter=letter, colour=colour
    )


def find_line_hint(match: Match, me: str) -> str:
    """Return the hint for the player's guess in the line interface, or an empty string."""
    played = _find_first_round(match, me)
    if played is None or len(played.turns) > 1:
        return ""
    if played.turns:
        return _explain_answer(match.rules)
    return _explain_typing(match.rules)


def is_played_out(match: Match, me: str) -> bool:
    """Return whether the player's match was played to its end. Hints stop after such a match."""
    mine = match.seat_of(me) is not None
    return mine and match.outcome is not None and match.outcome.how is MatchEnd.PLAYED


def _find_first_round(match: Match, me: str) -> Round | None:
    """Return the current round if it is the first and the player breaks its code, or None."""
    if match.phase is not Phase.BREAKING or match.played:
        return None
    return match.current if match.seat_of(me) is Seat.BREAKER else None


def _explain_typing(rules: Rules) -> str:
    return _("Type a code, such as {example}; Enter sends it.").format(
        example=format_example_code(rules)
    )


def _explain_answer(rules: Rules) -> str:
    black, white = find_key_names(rules)
    return _("{black}: right place; {white}: wrong place. But which pegs?").format(
        black=black, white=white
    )
