"""The row of pegs that is being filled, as a value: every key and click makes another one.

A colour is typed by any symbol that the rules have for it, or by the letter that its peg shows,
even where the rules write codes in digits only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_protocol.code import parse_symbol
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from mastermind_protocol.code import Code
    from mastermind_protocol.rules import Rules

_SEPARATORS = ",;-"  # with blanks: what may stand between the pegs of a code that is pasted


@dataclass(frozen=True, slots=True)
class Entry:
    """Pegs by their colours' index, None where there is none yet, and the place being edited.

    The cursor is behind the last place when the row is full and nothing is being changed: what is
    typed then replaces nothing. `notice` says why what was last typed did nothing, else it is
    empty. Making one without pegs, with the cursor elsewhere or with a negative colour raises
    ValueError.
    """

    pegs: tuple[int | None, ...]
    cursor: int = 0
    notice: str = ""

    def __post_init__(self) -> None:
        last = len(self.pegs) - (None in self.pegs or not self.pegs)
        if not 0 <= self.cursor <= last:
            raise ValueError(f"place {self.cursor} is none of this row: it has 0 to {last}")
        for colour in self.pegs:
            if colour is not None and colour < 0:
                raise ValueError(f"{colour} is no colour: they are counted from 0")

    @classmethod
    def empty(cls, rules: Rules) -> Entry:
        """Return a row without pegs, with the cursor at the first place."""
        return cls((None,) * rules.pegs)

    @property
    def code(self) -> Code | None:
        """The code, once the row is full."""
        code = tuple(colour for colour in self.pegs if colour is not None)
        return code if len(code) == len(self.pegs) else None

    def type(self, symbol: str, rules: Rules) -> Entry:
        """Put the colour that one typed character stands for at the cursor, and move on.

        What may stand between pegs does nothing; any other character changes nothing but the
        notice, which says what is allowed.
        """
        if _is_separator(symbol):
            return replace(self, notice="")
        colour = find_colour(symbol, rules)
        if colour is None:
            return replace(self, notice=_refuse(symbol, rules))
        return self.place(colour)

    def paste(self, text: str, rules: Rules) -> Entry:
        """Type a text, from the first place on if it does not fit behind the cursor.

        A text with a wrong symbol, or with more than a code's, changes nothing but the notice.
        """
        symbols = [symbol for symbol in text if not _is_separator(symbol)]
        if len(symbols) > len(self.pegs):
            told = ngettext(
                "a code of {rules} has {number} peg, and {given} were given",
                "a code of {rules} has {number} pegs, and {given} were given",
                rules.pegs,
            )
            return replace(
                self, notice=told.format(rules=rules, number=rules.pegs, given=len(symbols))
            )
        first = self.cursor if len(symbols) <= len(self.pegs) - self.cursor else 0
        pegs = list(self.pegs)
        for place, symbol in enumerate(symbols, start=first):
            pegs[place] = find_colour(symbol, rules)
            if pegs[place] is None:
                told = _("peg {peg}: {reason}")
                reason = _refuse(symbol, rules)
                return replace(self, notice=told.format(peg=place + 1, reason=reason))
        pasted = Entry(tuple(pegs), self.cursor)
        if not symbols:
            return pasted
        if pasted.code is not None:
            return pasted.at(len(pegs))
        return pasted._after(first + len(symbols) - 1)

    def place(self, colour: int) -> Entry:
        """Put a colour at the cursor and move on; behind a full row, only say what to do.

        After the last place comes the first empty one; a row that is full now is left.
        """
        if self.cursor == len(self.pegs):
            return replace(self, notice=_("the row is full: Enter sends, Del clears."))
        placed = self.put(self.cursor, colour)
        if placed.code is not None and self.code is None:
            return placed.at(len(placed.pegs))
        return placed._after(self.cursor)

    def _after(self, place: int) -> Entry:
        """Go to the place after one; from the last to the first empty one, or behind a full row."""
        if place + 1 < len(self.pegs):
            return self.at(place + 1)
        return self.at(self.pegs.index(None) if None in self.pegs else len(self.pegs))

    def put(self, place: int, colour: int | None) -> Entry:
        """Put a colour, or nothing, at a place; raises ValueError if there is no such place."""
        if not 0 <= place < len(self.pegs):
            raise ValueError(f"place {place} is none of this row: it has 0 to {len(self.pegs) - 1}")
        pegs = (*self.pegs[:place], colour, *self.pegs[place + 1 :])
        last = len(pegs) - (None in pegs)
        return Entry(pegs, min(self.cursor, last))

    @property
    def edited(self) -> int:
        """The place that is changed by what needs one: the last one if the cursor is behind it."""
        return min(self.cursor, len(self.pegs) - 1)

    def fill(self, code: Code) -> Entry:
        """Take over a whole code, with the cursor behind it.

        Raises ValueError if it is of another length.
        """
        if len(code) != len(self.pegs):
            raise ValueError(f"a code of {len(code)} pegs does not fit a row of {len(self.pegs)}")
        return Entry(tuple(code), len(code))

    def turn(self, step: int, rules: Rules) -> Entry:
        """Change the peg at the cursor by so many colours, round and round.

        A hole becomes the first colour, or the last one if `step` is negative.
        """
        colour = self.pegs[self.edited]
        if colour is None:
            colour = -1 if step > 0 else rules.colours
        return self.put(self.edited, (colour + step) % rules.colours)

    def take_out(self) -> Entry:
        """Empty the place at the cursor, which stays."""
        return self.put(self.edited, None)

    def back(self) -> Entry:
        """Empty the place at the cursor; if it is empty, the one before, and go there."""
        if self.pegs[self.edited] is None and self.cursor:
            return self.left().take_out()
        return self.take_out()

    def clear(self) -> Entry:
        """Take all pegs out and go to the first place."""
        return Entry((None,) * len(self.pegs))

    def left(self) -> Entry:
        """Go one place to the left, if there is one."""
        return self.at(max(self.cursor - 1, 0))

    def right(self) -> Entry:
        """Go one place to the right, if there is one."""
        return self.at(min(self.cursor + 1, len(self.pegs) - 1))

    def at(self, place: int) -> Entry:
        """Go to a place; raises ValueError if there is no such place."""
        return replace(self, cursor=place, notice="")


def find_colour(symbol: str, rules: Rules) -> int | None:
    """Return the colour that a typed character stands for: a symbol of the rules, or its letter.

    A symbol of the rules comes first, should it be another colour's letter.
    """
    colour = parse_symbol(symbol, rules)
    if colour is not None:
        return colour
    letters = _letters(rules)
    return letters.index(symbol.upper()) if symbol.upper() in letters else None


def _is_separator(symbol: str) -> bool:
    return symbol.isspace() or symbol in _SEPARATORS


def _letters(rules: Rules) -> list[str]:
    """Return the letters that the pegs show, by colour."""
    return [colour[0].upper() for colour in rules.palette]


def _refuse(symbol: str, rules: Rules) -> str:
    """Say that a symbol is no colour, and which are, in the way in which it was tried."""
    digits = find_digits(rules)
    if digits and symbol.isdigit():
        allowed = _("{first} to {last}").format(first=digits[0], last=digits[-1])
    else:
        allowed = " ".join(_letters(rules))
    told = _("no {symbol} here: {allowed}.")
    return told.format(symbol=sanitise(symbol.upper()), allowed=allowed)


def find_digits(rules: Rules) -> str:
    """Return the digits that stand for the colours, in their order; nothing if none do."""
    return next((alphabet for alphabet in rules.alphabets if alphabet.isdigit()), "")
