"""Codes: rows of pegs, parsed from input and formatted for display. Also the check of feedback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from mastermind_protocol.errors import InvalidCode, InvalidFeedback, Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_protocol.feedback import Feedback
    from mastermind_protocol.rules import Rules

Code: TypeAlias = tuple[int, ...]
"""The palette index of the colour of each peg, from 0."""

_SEPARATORS = str.maketrans("", "", " \t,;-")


def parse_symbol(symbol: str, rules: Rules) -> int | None:
    """Return the palette index of the colour with this typed `symbol`, or None if unknown."""
    for alphabet in rules.alphabets:
        for colour, allowed in enumerate(alphabet):
            if symbol.upper() == allowed:
                return colour
    return None


def parse_code(text: str, rules: Rules) -> Code:
    """Return the code that a user typed as `text`, in any alphabet of `rules`.

    Ignores case, blanks, commas, semicolons and hyphens. Raises InvalidCode for an unknown symbol,
    a wrong number of pegs, or a colour on a second peg if `rules` have no repeats.
    """
    code: list[int] = []
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
        check_repeats(code, rules)
    _check_length(len(symbols), rules, "code")
    return tuple(code)


def check_code(colours: Sequence[int], rules: Rules, field: str = "code") -> Code:
    """Return `colours`, palette indices, as a code of `rules`.

    Raises InvalidCode, which names `field` as the invalid field of the request.
    """
    _check_length(len(colours), rules, field)
    allowed = range(rules.colours)
    if not all(map(allowed.__contains__, colours)):
        pegs = enumerate(colours, start=1)
        peg, colour = next(peg for peg in pegs if peg[1] not in allowed)
        raise InvalidCode(
            Reason.UNKNOWN_COLOUR, field=field,
            peg=peg, colour=colour, rules=rules.name, most=allowed[-1],
        )  # fmt: skip
    if not rules.repeats:  # most rules: a move costs one call less
        check_repeats(colours, rules, field)
    return tuple(colours)


def check_repeats(colours: Sequence[int], rules: Rules, field: str = "code") -> None:
    """Raise InvalidCode for a colour on a second peg, if `rules` have no repeats.

    `colours` are palette indices, the first pegs of a code or all. The error names `field` as the
    invalid field of the request.
    """
    if rules.repeats:
        return
    for number, colour in enumerate(colours, start=1):
        first = colours.index(colour) + 1
        if first < number:
            raise InvalidCode(
                Reason.REPEATED_COLOUR, field=field,
                peg=number, symbol=rules.alphabets[0][colour], first=first, rules=rules.name,
            )  # fmt: skip


def check_feedback(feedback: Feedback, rules: Rules, field: str = "feedback") -> None:
    """Raise InvalidFeedback if no code and no guess by `rules` have this feedback.

    With two colours, an odd number of white pegs passes, though no guess gets it. The error names
    `field` as the invalid field of the request.
    """
    black, white = feedback
    pegs, name = rules.pegs, rules.name
    given: dict[str, Any] = {"black": black, "white": white}
    # Without repeats, two codes share at least the colours that do not fit beside one of them.
    least = 0 if rules.repeats else max(0, 2 * pegs - rules.colours)
    if black + white > pegs:
        raise InvalidFeedback(Reason.TOO_MANY_KEY_PEGS, field=field, pegs=pegs, rules=name, **given)
    if black == pegs - 1 and white == 1:
        raise InvalidFeedback(Reason.IMPOSSIBLE_FEEDBACK, field=field, **given)
    if black + white < least:
        raise InvalidFeedback(
            Reason.TOO_FEW_KEY_PEGS, field=field, rules=name, least=least, **given
        )


def format_code(code: Code, rules: Rules) -> str:
    """Return the symbols of `code` in the first alphabet of `rules`, such as ``1122``."""
    return "".join(rules.alphabets[0][colour] for colour in code)


def _check_length(given: int, rules: Rules, field: str) -> None:
    if given == 0:
        raise InvalidCode(Reason.NO_PEGS, field=field, rules=rules.name, pegs=rules.pegs)
    if given != rules.pegs:
        raise InvalidCode(
            Reason.WRONG_LENGTH, field=field, number=given, rules=rules.name, pegs=rules.pegs
        )
