"""The board: guesses with their feedback, the secret or its shield, the row to fill, colours."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.screen.kit.lines import Line, crop, make_clickable, pad, width
from mastermind_client.words.codes import describe_feedback, name_colour, write_feedback
from mastermind_protocol.feedback import Feedback

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.screen.kit.lines import Click
    from mastermind_client.screen.look import Look
    from mastermind_client.screen.scene.entry import Entry
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Turn
    from mastermind_protocol.rules import Rules

PEG = 3  # columns of a peg


def measure_board(rules: Rules, *, notation: bool) -> int:
    """Return the columns of a row of the board, with the rules' own notation or only in words."""
    longest = (
        Feedback(black, white)
        for black in range(rules.pegs + 1)
        for white in range(rules.pegs + 1 - black)
    )
    words = (_describe(feedback, rules, notation=notation) for feedback in longest)
    row = _measure_gutter(rules) + (PEG + 1) * rules.pegs + rules.pegs
    return row + 2 + max(width([("", text)]) for text in words)


def find_gap(rules: Rules, columns: int) -> str:
    """Return what is between two pegs: a blank, or nothing where a row would be too wide."""
    return " " if measure_board(rules, notation=False) <= columns else ""


def draw_pegs(code: Sequence[int | None], rules: Rules, look: Look, gap: str = " ") -> Line:
    """Return a row of pegs, and holes where there is none."""
    line: Line = []
    for colour in code:
        line += look.hole() if colour is None else draw_peg(colour, rules, look)
        line.append(("", gap))
    return line


def draw_peg(
    colour: int, rules: Rules, look: Look, *, cursor: bool = False, on_click: Click | None = None
) -> Line:
    """Return one peg of a colour, by its index."""
    name = rules.palette[colour]
    return look.peg(name, name[0].upper(), cursor=cursor, on_click=on_click)


def draw_secret(secret: Code | None, rules: Rules, look: Look, label: str, gap: str = " ") -> Line:
    """Return the row of the secret: its pegs, or shields where it is not to be seen."""
    line: Line = [("", " " * _measure_gutter(rules))]
    if secret is not None:
        line += draw_pegs(secret, rules, look, gap)
    else:
        for _peg in range(rules.pegs):
            line += [*look.shield(), ("", gap)]
    return [*line, ("class:heading", f" {label}")]


def draw_guesses(
    turns: Sequence[Turn],
    rules: Rules,
    look: Look,
    rows: int,
    *,
    columns: int,
    top: int | None = None,
    advised: Sequence[int] = (),
    marked: int | None = None,
    remarks: Sequence[str] = (),
    click: Callable[[int], None] | None = None,
) -> list[Line]:
    """Return at most so many rows of guesses, with empty ones up to the rules' limit.

    The last guess is in sight unless `top`, the number of guesses scrolled past, says otherwise.
    `advised` are the numbers of the guesses that advice was taken for, `marked` is that of one that
    is pointed at. `remarks` stand behind the guesses' columns, one a guess from the first on.
    `click` is told the number of the guess whose row the mouse picks.
    """
    notation = not rules.keys.counted and measure_board(rules, notation=True) <= columns
    gap = find_gap(rules, columns)
    limit = len(turns) + 1 if rules.guesses is None else rules.guesses
    last = find_top(turns, rules, rows)
    first = last if top is None else max(0, min(top, last))
    shown = range(first, min(first + rows, limit))
    lines: list[Line] = []
    for index in shown:
        mark = " "
        if index + 1 == marked:
            mark = look.glyphs.selected
        elif index == first and first:
            mark = look.glyphs.up
        elif index == shown[-1] and index + 1 < len(turns):
            mark = look.glyphs.down
        line: Line = [("", f"{mark}{index + 1:>{_count_digits(rules)}} ")]
        if index < len(turns):
            line += draw_turn(turns[index], rules, look, gap=gap, notation=notation)
        else:
            line += draw_pegs((None,) * rules.pegs, rules, look, gap)
        if index + 1 in advised:
            line.append(("", _describe_advice(columns - width(line))))
        line = crop(line, columns, look.glyphs.ellipsis)
        if index < len(remarks):
            line = [*pad(line, columns), ("", remarks[index])]
        if click is not None:
            line = make_clickable(line, partial(click, index + 1))
        lines.append(line)
    return lines


def measure_advice() -> int:
    """Return the columns that a row needs to say in words that advice was taken."""
    return width([("", _("  with advice"))])


def _describe_advice(columns: int) -> str:
    """Say that advice was taken: in words where so many columns are enough, or by a sign."""
    return _("  with advice") if measure_advice() <= columns else " *" if columns > 1 else ""


def find_top(turns: Sequence[Turn], rules: Rules, rows: int) -> int:
    """Return how many guesses are scrolled past when the last one is in sight, and the next."""
    limit = len(turns) + 1 if rules.guesses is None else rules.guesses
    return max(0, min(len(turns) + 1, limit) - rows)


def draw_turn(turn: Turn, rules: Rules, look: Look, *, gap: str, notation: bool) -> Line:
    """Return a guess and its feedback: pegs, key pegs, and the same in words."""
    return [
        *draw_pegs(turn.code, rules, look, gap),
        *look.keys(turn.feedback, rules.pegs),
        ("", "  " if gap else " "),
        ("", _describe(turn.feedback, rules, notation=notation)),
    ]


def draw_entry(
    entry: Entry, rules: Rules, look: Look, label: str, click: Callable[[int], None], gap: str = " "
) -> Line:
    """Return the row that is being filled; `click` is told the place that the mouse picks."""
    line: Line = [("class:turn", f"{label:>{_measure_gutter(rules) - 1}}"), ("", " ")]
    for place, colour in enumerate(entry.pegs):
        at, pick = place == entry.cursor, partial(click, place)
        if colour is None:
            line += look.hole(cursor=at, on_click=pick)
        else:
            line += draw_peg(colour, rules, look, cursor=at, on_click=pick)
        line.append(("", gap))
    return line


def draw_palette(
    rules: Rules, look: Look, columns: int, click: Callable[[int], None] | None
) -> list[Line]:
    """Return the colours with what they are typed as and called, in as few rows as fit.

    `click` is told the colour that the mouse picks.
    """
    lines: list[Line] = []
    line: Line = []
    for colour in range(rules.colours):
        part = _draw_colour(colour, rules, look, click)
        if line and width(line) + width(part) > columns:
            lines.append(line)
            line = []
        line += part
    return [*lines, line] if line else lines


def _draw_colour(
    colour: int, rules: Rules, look: Look, click: Callable[[int], None] | None
) -> Line:
    letter = rules.palette[colour][0].upper()
    typed = "".join(alphabet[colour] for alphabet in rules.alphabets if alphabet[colour] != letter)
    pick = partial(click, colour) if click is not None else None
    return [
        ("class:key", f"{typed} " if typed else ""),
        *draw_peg(colour, rules, look, on_click=pick),
        ("", f" {name_colour(colour, rules)}  "),
    ]


def _describe(feedback: Feedback, rules: Rules, *, notation: bool) -> str:
    return write_feedback(feedback, rules) if notation else describe_feedback(feedback, rules)


def _measure_gutter(rules: Rules) -> int:
    """Return the columns before the pegs: a mark, the guess's number, a blank."""
    return _count_digits(rules) + 2


def _count_digits(rules: Rules) -> int:
    return max(2, len(str(rules.limit)))
