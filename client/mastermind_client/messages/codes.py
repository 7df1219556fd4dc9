"""Notation of codes and feedback: rows of the board, names of colours, and results to share."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from mastermind_client.colours import COLOURS
from mastermind_client.keyboard import read_keys
from mastermind_client.language import LocalisedFloat, mark_plural, ngettext
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.players import find_name
from mastermind_protocol.code import format_code, parse_code, parse_symbol
from mastermind_protocol.days import find_contest_day
from mastermind_protocol.errors import DIGIT_GROUPS, group_digits
from mastermind_protocol.events import RoundEnd
from mastermind_protocol.rules import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mastermind_protocol.code import Code
    from mastermind_protocol.feedback import Feedback
    from mastermind_protocol.match import Match, Round, Turn
    from mastermind_protocol.rules import Rules


_KEY_PEG_TEXTS: Mapping[str, str] = MappingProxyType(
    {
        "black": N_("{number} black"),
        "white": N_("{number} white"),
        "gray": N_("{number} gray"),
        "empty": N_("{number} empty"),
    }
)
_KEY_PEG_PLURALS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "bull": mark_plural("{number} bull", "{number} bulls"),
        "cow": mark_plural("{number} cow", "{number} cows"),
    }
)


ESTIMATED_DIGITS = 2  # of an estimated number of codes: a sample gives no more
LARGE_MEAN = 1000  # the least mean number of codes whose decimal is left out


class Marks(NamedTuple):
    """The characters of a shared result: for a black, a white and no key peg, and a separator."""

    black: str
    white: str
    no_peg: str
    separator: str


MARKS = Marks("●", "○", "·", "·")
ASCII_MARKS = Marks("X", "o", ".", "-")


def format_colour(index: int, rules: Rules) -> str:
    """Return the name of the colour with this index in the palette."""
    return _(COLOURS[rules.palette[index]].name)


def format_colours(code: Code, rules: Rules) -> list[str]:
    """Return the name of each peg's colour."""
    return [format_colour(colour, rules) for colour in code]


def format_pegs(code: Code, rules: Rules) -> str:
    """Return the symbols of a code, separated by blanks."""
    return " ".join(format_code(code, rules))


def find_colour(symbol: str, rules: Rules) -> int | None:
    """Return the colour of a typed symbol, or None if the symbol has no colour.

    The symbol is searched in this order, so that a later list adds only free symbols:

    - the alphabets of the rules;
    - the initials of the colours' English names, even if the rules write codes in digits only;
    - the initials of the colours' names in the current language, except an initial of two names.

    In the first two lists, a letter of another keyboard layout counts as its key (`read_keys`).
    """
    key, letters = read_keys(symbol).upper(), [colour[0].upper() for colour in rules.palette]
    colour = parse_symbol(key, rules)
    if colour is not None:
        return colour
    if key in letters:
        return letters.index(key)
    initials = [format_colour(colour, rules)[0].upper() for colour in range(rules.colours)]
    return initials.index(symbol.upper()) if initials.count(symbol.upper()) == 1 else None


def read_code(text: str, rules: Rules) -> Code:
    """Return the code that a user typed as `text`, in any symbols that `find_colour` knows.

    Ignores blanks, commas, semicolons and hyphens. Raises InvalidCode for an unknown symbol or a
    wrong number of pegs.
    """

    def spell(symbol: str) -> str:
        colour = find_colour(symbol, rules)
        if colour is not None:
            return rules.alphabets[0][colour]
        return symbol if symbol.isalnum() else read_keys(symbol)

    return parse_code("".join(map(spell, text)), rules)


def list_peg_symbols(rules: Rules) -> str:
    """Return the symbols on the pegs, in the order of the colours.

    They are letters, or digits if the rules write codes in digits only.
    """
    return min(rules.alphabets, key=str.isdigit)


def prefer_letters(match: Match) -> Match:
    """Return a copy of the match whose rules write codes in letters instead of digits."""
    return structs.replace(match, rules=prefer_letters_in(match.rules))


def prefer_letters_in(rules: Rules) -> Rules:
    """Return a copy of the rules that writes codes in letters instead of digits."""
    return replace(rules, alphabets=tuple(sorted(rules.alphabets, key=str.isdigit)))


def format_example_code(rules: Rules) -> str:
    """Return an example of a typed code, such as ``1122``, or ``0123`` without repeats."""
    each = 2 if rules.repeats else 1  # the pegs of a colour
    return format_code(tuple(peg // each % rules.colours for peg in range(rules.pegs)), rules)


def describe_feedback(feedback: Feedback, rules: Rules) -> str:
    """Return feedback in words: ``1 black, 2 white``, or by other rules ``1 bull, 2 cows``."""
    keys = rules.keys
    kinds = [(feedback.black, "black"), (feedback.white, "white")]
    if keys.counted:
        kinds = [(feedback.black, keys.black), (feedback.white, keys.white)]
        if keys.empty:
            kinds.append((rules.pegs - feedback.black - feedback.white, keys.empty))
    return ", ".join(_count_key_pegs(number, kind) for number, kind in kinds)


def _count_key_pegs(number: int, kind: str) -> str:
    plurals = _KEY_PEG_PLURALS.get(kind)
    words = ngettext(*plurals, number) if plurals else _(_KEY_PEG_TEXTS[kind])
    return words.format(number=number)


def label_key_pegs(rules: Rules) -> tuple[str, str]:
    """Return the names of the black and the white key pegs by these rules, without a number."""
    counted = rules.keys.counted
    kinds = (rules.keys.black, rules.keys.white) if counted else ("black", "white")
    black, white = (_count_key_pegs(0, kind).replace("0", "").strip(" :") for kind in kinds)
    return black, white


def name_key_pegs() -> Iterator[tuple[str, str]]:
    """Yield each name of a key peg, in English and in the current language, with its kind.

    The kind is "black", "white" or "empty".
    """
    kinds = {"bull": "black", "cow": "white", "gray": "white"}
    for name, text in _KEY_PEG_TEXTS.items():
        for words in (text, _(text)):
            yield words.format(number="").strip(" :"), kinds.get(name, name)
    for name, plurals in _KEY_PEG_PLURALS.items():
        for words in (plurals[0], *(ngettext(*plurals, number) for number in (1, 2, 5))):
            yield words.format(number="").strip(), kinds[name]


def format_feedback(feedback: Feedback, rules: Rules) -> str:
    """Return feedback in words, after the signs of the key pegs if the rules define signs."""
    words = describe_feedback(feedback, rules)
    if rules.keys.counted:
        return words
    return f"{rules.keys.write(feedback, rules.pegs)}  {words}"


def format_turn(number: int, turn: Turn, rules: Rules) -> str:
    """Return a row of the board: the number of the guess, its code and its feedback."""
    return f"{number:2}  {format_pegs(turn.code, rules)}  {format_feedback(turn.feedback, rules)}"


def format_board(turns: Iterable[Turn], rules: Rules, *, whole: bool) -> list[str]:
    """Return the rows of the board.

    If `whole`, a row of dots follows for each guess that is left.
    """
    rows = [format_turn(number, turn, rules) for number, turn in enumerate(turns, start=1)]
    if whole:
        empty = " ".join("." * rules.pegs)
        rows += [f"{number:2}  {empty}" for number in range(len(rows) + 1, rules.guess_limit + 1)]
    return rows


def format_share(match: Match, marks: Marks = MARKS) -> str:
    """Return the finished rounds of a match as a text that does not reveal the codes.

    Each round is a block: a title and a row of marks for each guess. Empty lines separate the
    blocks.
    """
    return "\n\n".join("\n".join(_list_round(match, played, marks)) for played in match.played)


def list_share_lines(match: Match, marks: Marks = MARKS) -> Iterator[str]:
    """Yield the lines of `format_share` without the empty lines."""
    for played in match.played:
        yield from _list_round(match, played, marks)


def _list_round(match: Match, played: Round, marks: Marks) -> Iterator[str]:
    yield format_round_title(match, played, marks)
    for turn in played.turns:
        yield format_marks(turn.feedback, match.rules, marks)


def format_round_title(match: Match, played: Round, marks: Marks = MARKS) -> str:
    """Return the title of a shared round with its score: ``Mastermind 4x6 · 4/12``.

    A try at the code of a day has the number of the day: ``Mastermind 147 · 4/12``.
    """
    day = find_contest_day(match.opened.contest)
    game = format_game(match.rules) if day is None else format_day_game(day, match.rules.name)
    return f"{game} {marks.separator} {format_round_score(match, played)}"


def format_day_game(day: int, rules: str) -> str:
    """Return the game of the day with this number: ``Mastermind 147``, ``Mastermind 147 mini``."""
    return f"Mastermind {day}" if rules == DEFAULT.name else f"Mastermind {day} {rules}"


def format_game(rules: Rules) -> str:
    """Return the game with the size of its codes: ``Mastermind 4x6``."""
    return f"Mastermind {rules.space}"


def format_round_score(match: Match, played: Round) -> str:
    """Return the guesses of a round and the limit: ``4/12``, or ``X/12`` for an unbroken code.

    With several rounds it starts with the codebreaker's name. If the codebreaker took advice,
    ``with advice`` follows.
    """
    rules = match.rules
    score = str(len(played.turns)) if played.how is RoundEnd.BROKEN else "X"
    if rules.guesses is not None:
        score += f"/{rules.guesses}"
    if played.advised:
        score = _("{score}, with advice").format(score=score)
    if match.opened.rounds > 1:
        score = f"{find_name(match, played.breaker)} {score}"
    return score


def format_marks(feedback: Feedback, rules: Rules, marks: Marks = MARKS) -> str:
    """Return the feedback to a guess as one mark per peg of the code."""
    black, white = feedback
    none = rules.pegs - black - white
    return marks.black * black + marks.white * white + marks.no_peg * none


def format_count(number: int, *, estimated: bool = False) -> str:
    """Return a number of codes. The current language separates groups of three digits.

    An estimate is rounded: ``about 41,000``.
    """
    if not estimated:
        return group_digits(number, _(DIGIT_GROUPS))
    return _("about {number}").format(number=format_count(round_estimate(number)))


def round_estimate(number: int) -> int:
    """Return an estimated number of codes, rounded to its first ESTIMATED_DIGITS digits."""
    unit: int = 10 ** max(0, len(str(number)) - ESTIMATED_DIGITS)
    return round(number / unit) * unit


def format_mean_count(size: float, *, estimated: bool = False, whole_from: int = LARGE_MEAN) -> str:
    """Return a mean number of codes with one decimal: ``12.7``.

    An estimate, and a mean of at least `whole_from` codes, is written like a count.
    """
    if estimated or size >= whole_from:
        return format_count(round(size), estimated=estimated)
    return f"{LocalisedFloat(size):.1f}"
