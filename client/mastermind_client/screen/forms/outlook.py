"""The summary of the match above a form, and the card of the bot below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.screen.theme.tiles import (
    NARROW,
    TALL,
    WIDE,
    TileShape,
    draw_place,
    draw_sealed,
)
from mastermind_client.screen.toolkit.lines import MARGIN, Line, crop, draw_framed, text, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.forms.match_form import MatchForm
    from mastermind_client.screen.theme import Look

BESIDE = 4  # columns between the code and the summary
LEAST = 24  # columns of the summary at least
BOT_ROWS = (4, 3, 2)  # of the description of a bot, the largest that fits


def draw_outlook(form: MatchForm, columns: int, look: Look) -> Sequence[Sequence[Line]]:
    """Return versions of the summary: with a row of pegs for the code, and without it.

    The pegs are hidden if the user breaks the code, and visible if the user hides it.
    """
    first, more = form.summary
    plain = _wrap_summary(first, more, columns)
    for width in (WIDE, NARROW):
        shape = TileShape(width, TALL)
        taken = form.rules.pegs * (width + 1) - 1 + BESIDE
        said = _wrap_summary(first, more, columns - taken)
        if columns - taken >= LEAST and len(said) <= shape.rows:
            tile = draw_place(shape, look) if form.hides else draw_sealed(shape, look)
            rows = [
                [
                    *(part for _peg in range(form.rules.pegs) for part in (*tile[row], ("", " "))),
                    ("", " " * (BESIDE - 1)),
                    *(said[row] if row < len(said) else []),
                ]
                for row in range(shape.rows)
            ]
            return rows, plain
    return (plain,)


def draw_bot(form: MatchForm, columns: int, look: Look) -> Sequence[Sequence[Line]]:
    """Return versions of the bot's card, with its name and description, the largest first."""
    if form.card is None:
        return ()
    name, about = form.card
    cards = []
    for rows in BOT_ROWS:
        lines = wrap(about, columns - 2 * MARGIN)
        if len(lines) > rows:
            rest = text(" ".join(line[0][1] for line in lines[rows - 1 :]))
            lines[rows - 1 :] = [crop(rest, columns - 2 * MARGIN, look.glyphs.ellipsis)]
        lines += [[] for _row in range(rows - len(lines))]
        cards.append(draw_framed(lines, columns, look.glyphs, title=text(name, "class:strong")))
    return cards


def _wrap_summary(first: str, more: str, columns: int) -> list[Line]:
    columns = max(1, columns)
    return [*wrap(first, columns, "class:strong"), *wrap(more, columns)]
