"""Codes and feedback as they are written: rows of the board, colours by their names."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import structs

from mastermind_client.colours import COLOURS
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_protocol.code import format_code

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mastermind_protocol.code import Code
    from mastermind_protocol.feedback import Feedback
    from mastermind_protocol.match import Match, Turn
    from mastermind_protocol.rules import Rules

_COUNTS: Mapping[str, str] = MappingProxyType(
    {
        "black": N_("{number} black"),
        "white": N_("{number} white"),
        "gray": N_("{number} gray"),
        "empty": N_("{number} empty"),
    }
)


def name_colour(index: int, rules: Rules) -> str:
    """Return the name of a colour by its index in the palette."""
    return _(COLOURS[rules.palette[index]].name)


def name_colours(code: Code, rules: Rules) -> list[str]:
    """Return the names of a code's colours, peg by peg."""
    return [name_colour(colour, rules) for colour in code]


def write_code(code: Code, rules: Rules) -> str:
    """Return a code with a blank between its pegs."""
    return " ".join(format_code(code, rules))


def put_letters_first(match: Match) -> Match:
    """Return the match with codes written by the letters of their colours, where these are typed.

    So a board of tiles shows them, and so they are told to whoever types them.
    """
    alphabets = tuple(sorted(match.rules.alphabets, key=str.isdigit))
    return structs.replace(match, rules=replace(match.rules, alphabets=alphabets))


def write_example(rules: Rules) -> str:
    """Return a code as it may be typed: each colour twice, and again from the first if need be."""
    return format_code(tuple(peg // 2 % rules.colours for peg in range(rules.pegs)), rules)


def describe_feedback(feedback: Feedback, rules: Rules) -> str:
    """Return feedback in words, by the rules' own names for the key pegs if they have any."""
    keys = rules.keys
    kinds = [(feedback.black, "black"), (feedback.white, "white")]
    if keys.counted:
        kinds = [(feedback.black, keys.black), (feedback.white, keys.white)]
        if keys.empty:
            kinds.append((rules.pegs - feedback.black - feedback.white, keys.empty))
    return ", ".join(_(_COUNTS[kind]).format(number=number) for number, kind in kinds)


def write_feedback(feedback: Feedback, rules: Rules) -> str:
    """Return feedback in the rules' notation, and always in words."""
    words = describe_feedback(feedback, rules)
    if rules.keys.counted:
        return words
    return f"{rules.keys.write(feedback, rules.pegs)}  {words}"


def write_turn(number: int, turn: Turn, rules: Rules) -> str:
    """Return one row of the board."""
    return f"{number:2}  {write_code(turn.code, rules)}  {write_feedback(turn.feedback, rules)}"


def write_board(turns: Iterable[Turn], rules: Rules, *, whole: bool) -> list[str]:
    """Return the board's rows; `whole` shows the empty ones too."""
    rows = [write_turn(number, turn, rules) for number, turn in enumerate(turns, start=1)]
    if whole:
        empty = " ".join("." * rules.pegs)
        rows += [f"{number:2}  {empty}" for number in range(len(rows) + 1, rules.guess_limit + 1)]
    return rows
