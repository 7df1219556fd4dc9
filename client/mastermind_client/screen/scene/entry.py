"""The entry: the row of pegs that the user fills, as an immutable value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mastermind_client.keyboard import read_keys
from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.messages.codes import find_colour, list_peg_symbols
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from mastermind_protocol.code import Code
    from mastermind_protocol.rules import Rules

_SEPARATORS = ",;-"  # and blanks: ignored between the pegs of a pasted code


@dataclass(frozen=True, slots=True)
class Entry:
    """The row of pegs that the user fills. `pegs` has the colour of each place, None without a peg.

    `cursor` is the index of a place. In a full row the cursor is after the last place, unless the
    user moves it back. After the last place a typed colour has no effect. `notice` says why the
    last input had no effect, otherwise it is empty. Raises ValueError without places, for a cursor
    outside the row, and for a negative colour.
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
        """Return an entry without pegs and with the cursor at the first place."""
        return cls((None,) * rules.pegs)

    @property
    def code(self) -> Code | None:
        """The code if all places have a peg, otherwise None."""
        code = tuple(colour for colour in self.pegs if colour is not None)
        return code if len(code) == len(self.pegs) else None

    def accept(self, changed: Entry, rules: Rules) -> Entry:
        """Return `changed`, the entry after an input.

        If that has a colour twice and `rules` have no repeats, return this entry with a notice
        about the peg that has the colour.
        """
        if rules.repeats:
            return changed
        for place, colour in enumerate(changed.pegs):
            first = changed.pegs.index(colour)
            if colour is not None and first < place:
                there = place if self.pegs[place] == colour else first
                template = _("{symbol} is on peg {peg} already: no repeats.")
                symbol = list_peg_symbols(rules)[colour]
                return replace(self, notice=template.format(symbol=symbol, peg=there + 1))
        return changed

    def type(self, symbol: str, rules: Rules) -> Entry:
        """Return the entry with the colour of a typed symbol at the cursor.

        Separators have no effect. An invalid symbol only sets the notice.
        """
        if _is_separator(symbol):
            return replace(self, notice="")
        colour = find_colour(symbol, rules)
        if colour is None:
            return replace(self, notice=_describe_valid_symbols(symbol, rules))
        return self.place_at_cursor(colour)

    def paste(self, text: str, rules: Rules) -> Entry:
        """Return the entry with the colours of a pasted text, from the cursor on.

        If there are too few places from the cursor on, the colours start at the first place. A text
        with an invalid symbol, or with more symbols than places, only sets the notice.
        """
        symbols = [symbol for symbol in text if not _is_separator(symbol)]
        if len(symbols) > len(self.pegs):
            template = ngettext(
                "A code of {rules} has {number} peg, and {given} were given.",
                "A code of {rules} has {number} pegs, and {given} were given.",
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
                reason = _describe_valid_symbols(symbol, rules)
                return replace(self, notice=template.format(peg=place + 1, reason=reason))
        pasted = Entry(tuple(pegs), self.cursor)
        if not symbols:
            return pasted
        if pasted.code is not None:
            return pasted.move_to(len(pegs))
        return pasted._move_past(first + len(symbols) - 1)

    def place_at_cursor(self, colour: int) -> Entry:
        """Return the entry with a colour at the cursor, and with the cursor at the next place.

        The peg that fills the row moves the cursor after the last place. At that position another
        colour only sets the notice.
        """
        if self.cursor == len(self.pegs):
            return replace(self, notice=_("the row is full: Enter sends, Del clears."))
        placed = self.put(self.cursor, colour)
        if placed.code is not None and self.code is None:
            return placed.move_to(len(placed.pegs))
        return placed._move_past(self.cursor)

    def _move_past(self, place: int) -> Entry:
        """Return the entry with the cursor at the place after `place`.

        If `place` is the last one, the cursor is at the first empty place, or after the full row.
        """
        if place + 1 < len(self.pegs):
            return self.move_to(place + 1)
        return self.move_to(self.pegs.index(None) if None in self.pegs else len(self.pegs))

    def put(self, place: int, colour: int | None) -> Entry:
        """Return the entry with a colour at a place, or with an empty place if `colour` is None.

        Raises ValueError for a place outside the row.
        """
        if not 0 <= place < len(self.pegs):
            raise ValueError(f"place {place} is none of this row: it has 0 to {len(self.pegs) - 1}")
        pegs = (*self.pegs[:place], colour, *self.pegs[place + 1 :])
        last = len(pegs) - (None in pegs)
        return Entry(pegs, min(self.cursor, last))

    @property
    def edited_index(self) -> int:
        """The index of the place at the cursor, or of the last place if the cursor is after it."""
        return min(self.cursor, len(self.pegs) - 1)

    def fill(self, code: Code) -> Entry:
        """Return the entry filled with this code, and with the cursor after the last place.

        Raises ValueError if the code has another length.
        """
        if len(code) != len(self.pegs):
            raise ValueError(f"a code of {len(code)} pegs does not fit a row of {len(self.pegs)}")
        return Entry(tuple(code), len(code))

    def fill_rest(self) -> Entry:
        """Return the entry with the free places in the colour before the first of them.

        If the first place is free, the colour is that of the first peg. An empty row stays empty.
        """
        first = self.pegs.index(None) if None in self.pegs else len(self.pegs)
        known = (peg for peg in self.pegs[max(first - 1, 0) :] if peg is not None)
        if (colour := next(known, None)) is None:
            return self.clear()
        return self.fill(tuple(colour if peg is None else peg for peg in self.pegs))

    def cycle(self, step: int, rules: Rules) -> Entry:
        """Return the entry with another colour at the cursor: `step` colours later in the palette.

        The first colour follows the last one. An empty place gets the first colour, or if `step` is
        negative the last one. If `rules` have no repeats, the colours of other pegs are left out.
        """
        at = self.edited_index
        colour, others = self.pegs[at], (*self.pegs[:at], *self.pegs[at + 1 :])
        free = [each for each in range(rules.colours) if rules.repeats or each not in others]
        index = (-1 if step > 0 else 0) if colour is None else free.index(colour)
        return self.put(at, free[(index + step) % len(free)])

    def remove(self) -> Entry:
        """Return the entry without the peg at the cursor. The cursor does not move."""
        return self.put(self.edited_index, None)

    def backspace(self) -> Entry:
        """Return the entry without the peg at the cursor.

        If the place at the cursor is empty, the peg left of the cursor is removed.
        """
        if self.pegs[self.edited_index] is None and self.cursor:
            return self.left().remove()
        return self.remove()

    def clear(self) -> Entry:
        """Return the entry without pegs, and with the cursor at the first place."""
        return Entry((None,) * len(self.pegs))

    def left(self) -> Entry:
        """Return the entry with the cursor one place to the left, but not before the first."""
        return self.move_to(max(self.cursor - 1, 0))

    def right(self) -> Entry:
        """Return the entry with the cursor one place to the right, but not after the last."""
        return self.move_to(min(self.cursor + 1, len(self.pegs) - 1))

    def move_to(self, place: int) -> Entry:
        """Return the entry with the cursor at a place.

        Raises ValueError for a place outside the row.
        """
        return replace(self, cursor=place, notice="")


def _is_separator(symbol: str) -> bool:
    key = read_keys(symbol)
    return key.isspace() or key in _SEPARATORS


def _describe_valid_symbols(symbol: str, rules: Rules) -> str:
    """Return why a symbol is invalid, with the valid digits or letters."""
    digits = describe_digits(rules)
    asks_digit = rules.digits_only or (digits and symbol.isdigit())
    allowed = digits if asks_digit else " ".join(list_peg_symbols(rules))
    template = _("no {symbol} here: {allowed}.")
    return template.format(symbol=sanitise(symbol.upper()), allowed=allowed)


def describe_digits(rules: Rules) -> str:
    """Return the digits in the order of their colours: ``1 to 6``, or with ten ``1 to 9, 0``.

    Empty if the rules have no digits.
    """
    digits = next((alphabet for alphabet in rules.alphabets if alphabet.isdigit()), "")
    if not digits:
        return ""
    ascending = digits.removesuffix("0")
    words = _("{first} to {last}").format(first=ascending[0], last=ascending[-1])
    return words if ascending == digits else f"{words}, 0"
