"""The row of pegs that the user fills, as an immutable value.

The user types a colour by any symbol of the rules, or by the letter on its peg, even if the rules
write codes in digits only.
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

_SEPARATORS = ",;-"  # and blanks: ignored between the pegs of a pasted code


@dataclass(frozen=True, slots=True)
class Entry:
    """The colours of the pegs by index, None for an empty place, and the place of the cursor.

    The cursor is after the last place if the row is full and not being changed; a typed colour then
    has no effect. `notice` is the reason if the last input had no effect, otherwise empty. Raises
    ValueError without pegs, for a cursor outside the row, and for a negative colour.
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
        """The code of a full row, or None."""
        code = tuple(colour for colour in self.pegs if colour is not None)
        return code if len(code) == len(self.pegs) else None

    def type(self, symbol: str, rules: Rules) -> Entry:
        """Put the colour of a typed symbol at the cursor, and advance the cursor.

        Separators have no effect. An invalid symbol only sets the notice.
        """
        if _is_separator(symbol):
            return replace(self, notice="")
        colour = find_colour(symbol, rules)
        if colour is None:
            return replace(self, notice=_refuse(symbol, rules))
        return self.place(colour)

    def paste(self, text: str, rules: Rules) -> Entry:
        """Type a text at the cursor, or from the first place on if it does not fit there.

        A text with an invalid symbol, or with too many symbols, only sets the notice.
        """
        symbols = [symbol for symbol in text if not _is_separator(symbol)]
        if len(symbols) > len(self.pegs):
            template = ngettext(
                "a code of {rules} has {number} peg, and {given} were given",
                "a code of {rules} has {number} pegs, and {given} were given",
                rules.pegs,
            )
            return replace(
                self, notice=template.format(rules=rules, number=rules.pegs, given=len(symbols))
            )
        first = self.cursor if len(symbols) <= len(self.pegs) - self.cursor else 0
        pegs = list(self.pegs)
        for place, symbol in enumerate(symbols, start=first):
            pegs[place] = find_colour(symbol, rules)
            if pegs[place] is None:
                template = _("peg {peg}: {reason}")
                reason = _refuse(symbol, rules)
                return replace(self, notice=template.format(peg=place + 1, reason=reason))
        pasted = Entry(tuple(pegs), self.cursor)
        if not symbols:
            return pasted
        if pasted.code is not None:
            return pasted.move_to(len(pegs))
        return pasted._advance(first + len(symbols) - 1)

    def place(self, colour: int) -> Entry:
        """Put a colour at the cursor, and advance the cursor; at the end only set the notice.

        The peg that fills the row moves the cursor to the end.
        """
        if self.cursor == len(self.pegs):
            return replace(self, notice=_("the row is full: Enter sends, Del clears."))
        placed = self.put(self.cursor, colour)
        if placed.code is not None and self.code is None:
            return placed.move_to(len(placed.pegs))
        return placed._advance(self.cursor)

    def _advance(self, place: int) -> Entry:
        """Move the cursor to the next place; from the last to the first empty one, or the end."""
        if place + 1 < len(self.pegs):
            return self.move_to(place + 1)
        return self.move_to(self.pegs.index(None) if None in self.pegs else len(self.pegs))

    def put(self, place: int, colour: int | None) -> Entry:
        """Put a colour, or None, at a place. Raises ValueError for a place outside the row."""
        if not 0 <= place < len(self.pegs):
            raise ValueError(f"place {place} is none of this row: it has 0 to {len(self.pegs) - 1}")
        pegs = (*self.pegs[:place], colour, *self.pegs[place + 1 :])
        last = len(pegs) - (None in pegs)
        return Entry(pegs, min(self.cursor, last))

    @property
    def edited(self) -> int:
        """The place of the cursor, or the last one if the cursor is after it."""
        return min(self.cursor, len(self.pegs) - 1)

    def fill(self, code: Code) -> Entry:
        """Return a row with this code, with the cursor after it.

        Raises ValueError if the code has another length.
        """
        if len(code) != len(self.pegs):
            raise ValueError(f"a code of {len(code)} pegs does not fit a row of {len(self.pegs)}")
        return Entry(tuple(code), len(code))

    def cycle(self, step: int, rules: Rules) -> Entry:
        """Change the colour at the cursor by `step`, modulo the number of colours.

        An empty place gets the first colour, or the last one if `step` is negative.
        """
        colour = self.pegs[self.edited]
        if colour is None:
            colour = -1 if step > 0 else rules.colours
        return self.put(self.edited, (colour + step) % rules.colours)

    def remove(self) -> Entry:
        """Remove the peg at the cursor; the cursor does not move."""
        return self.put(self.edited, None)

    def backspace(self) -> Entry:
        """Remove the peg at the cursor; if the place is empty, the peg to the left of it."""
        if self.pegs[self.edited] is None and self.cursor:
            return self.left().remove()
        return self.remove()

    def clear(self) -> Entry:
        """Remove all pegs, and move the cursor to the first place."""
        return Entry((None,) * len(self.pegs))

    def left(self) -> Entry:
        """Move the cursor one place to the left, at most to the first place."""
        return self.move_to(max(self.cursor - 1, 0))

    def right(self) -> Entry:
        """Move the cursor one place to the right, at most to the last place."""
        return self.move_to(min(self.cursor + 1, len(self.pegs) - 1))

    def move_to(self, place: int) -> Entry:
        """Move the cursor to a place. Raises ValueError for a place outside the row."""
        return replace(self, cursor=place, notice="")


def find_colour(symbol: str, rules: Rules) -> int | None:
    """Return the colour of a typed symbol: a symbol of the rules, or the letter on a peg, or None.

    Symbols of the rules take precedence over letters.
    """
    colour = parse_symbol(symbol, rules)
    if colour is not None:
        return colour
    letters = _list_letters(rules)
    return letters.index(symbol.upper()) if symbol.upper() in letters else None


def _is_separator(symbol: str) -> bool:
    return symbol.isspace() or symbol in _SEPARATORS


def _list_letters(rules: Rules) -> list[str]:
    return [colour[0].upper() for colour in rules.palette]


def _refuse(symbol: str, rules: Rules) -> str:
    """Return a text with the valid symbols: digits for an invalid digit, otherwise letters."""
    digits = find_digits(rules)
    if digits and symbol.isdigit():
        allowed = _("{first} to {last}").format(first=digits[0], last=digits[-1])
    else:
        allowed = " ".join(_list_letters(rules))
    template = _("no {symbol} here: {allowed}.")
    return template.format(symbol=sanitise(symbol.upper()), allowed=allowed)


def find_digits(rules: Rules) -> str:
    """Return the digits for the colours in their order, empty if the rules have none."""
    return next((alphabet for alphabet in rules.alphabets if alphabet.isdigit()), "")
