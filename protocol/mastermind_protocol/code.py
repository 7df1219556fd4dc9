"""Codes: a row of pegs, read from what a person types and written for a person to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from mastermind_protocol.errors import InvalidCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_protocol.rules import Rules

Code: TypeAlias = tuple[int, ...]
"""Colours by their index in the palette, from 0, in order of the pegs."""

_SEPARATORS = str.maketrans("", "", " \t,;-")


def allowed_symbols(rules: Rules) -> str:
    """Return what a code of these rules may be typed with: ``1 2 3 4 5 6 (or R G B Y O P)``."""
    first, *others = (" ".join(alphabet) for alphabet in rules.alphabets)
    return first + "".join(f" (or {other})" for other in others)


def parse_symbol(symbol: str, rules: Rules) -> int | None:
    """Return the colour that one typed character stands for, or None."""
    for alphabet in rules.alphabets:
        for colour, allowed in enumerate(alphabet):
            if symbol.upper() == allowed:
                return colour
    return None


def parse_code(text: str, rules: Rules) -> Code:
    """Read a code as a person types it: either case, blanks and commas between pegs or not.

    Raises InvalidCode, which says which peg is wrong and what is allowed.
    """
    code = []
    symbols = text.translate(_SEPARATORS)
    for peg, symbol in enumerate(symbols[: rules.pegs], start=1):
        colour = parse_symbol(symbol, rules)
        if colour is None:
            raise InvalidCode(
                f"peg {peg}: {symbol!r} is no colour of {rules}; allowed: {allowed_symbols(rules)}",
                peg=peg,
            )
        code.append(colour)
    _check_length(len(symbols), rules)
    return tuple(code)


def check_code(colours: Sequence[int], rules: Rules) -> Code:
    """Return `colours` as a code of these rules; raises InvalidCode as `parse_code` does."""
    _check_length(len(colours), rules)
    for peg, colour in enumerate(colours, start=1):
        if not 0 <= colour < rules.colours:
            raise InvalidCode(
                f"peg {peg}: {colour} is no colour of {rules}; allowed: 0 to {rules.colours - 1}",
                peg=peg,
            )
    return tuple(colours)


def format_code(code: Code, rules: Rules) -> str:
    """Return the code in the rules' own symbols, such as ``1122``."""
    return "".join(rules.alphabets[0][colour] for colour in code)


def name_colours(code: Code, rules: Rules) -> list[str]:
    """Return the names of the code's colours, peg by peg."""
    return [rules.palette[colour] for colour in code]


def _check_length(given: int, rules: Rules) -> None:
    if given != rules.pegs:
        pegs = "peg" if given == 1 else "pegs"
        raise InvalidCode(f"{given} {pegs} given, and a code of {rules} has {rules.pegs}")
