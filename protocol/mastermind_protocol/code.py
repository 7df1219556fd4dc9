"""Codes: a row of pegs, read from what a person types and written for a person to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from mastermind_protocol.errors import InvalidCode, Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_protocol.rules import Rules

Code: TypeAlias = tuple[int, ...]
"""Colours by their index in the palette, from 0, in order of the pegs."""

_SEPARATORS = str.maketrans("", "", " \t,;-")


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
            allowed = tuple(" ".join(alphabet) for alphabet in rules.alphabets)
            raise InvalidCode(
                Reason.UNKNOWN_SYMBOL, field="code",
                peg=peg, symbol=symbol, rules=rules.name, allowed=allowed,
            )  # fmt: skip
        code.append(colour)
    _check_length(len(symbols), rules, "code")
    return tuple(code)


def check_code(colours: Sequence[int], rules: Rules, field: str = "code") -> Code:
    """Return `colours` as a code of these rules; raises InvalidCode, about this `field`."""
    _check_length(len(colours), rules, field)
    allowed = range(rules.colours)
    if not all(map(allowed.__contains__, colours)):
        pegs = enumerate(colours, start=1)
        peg, colour = next(peg for peg in pegs if peg[1] not in allowed)
        raise InvalidCode(
            Reason.UNKNOWN_COLOUR, field=field,
            peg=peg, colour=colour, rules=rules.name, most=allowed[-1],
        )  # fmt: skip
    return tuple(colours)


def format_code(code: Code, rules: Rules) -> str:
    """Return the code in the rules' own symbols, such as ``1122``."""
    return "".join(rules.alphabets[0][colour] for colour in code)


def _check_length(given: int, rules: Rules, field: str) -> None:
    if given == 0:
        raise InvalidCode(Reason.NO_PEGS, field=field, rules=rules.name, pegs=rules.pegs)
    if given != rules.pegs:
        raise InvalidCode(
            Reason.WRONG_LENGTH, field=field, number=given, rules=rules.name, pegs=rules.pegs
        )
