"""The card of a review: it analyses the selected guess."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import ngettext
from mastermind_client.messages.analysis import (
    describe_better_guess,
    describe_exclusion,
    describe_remaining,
    format_guess_heading,
    list_figures,
)
from mastermind_client.messages.codes import format_count
from mastermind_client.screen.match.rows import draw_small_code
from mastermind_client.screen.toolkit.frames import FRAME_MARGIN, draw_framed
from mastermind_client.screen.toolkit.lines import Extent, Line, crop, text, width, wrap

if TYPE_CHECKING:
    from mastermind_client.messages.analysis import BetterGuessText
    from mastermind_client.messages.judging import JudgedGuess
    from mastermind_client.screen.scene.scene import Scene
    from mastermind_client.screen.theme import Look
    from mastermind_protocol.rules import Rules


def draw_review_card(scene: Scene, extent: Extent, look: Look, *, beside_board: bool) -> list[Line]:
    """Return the card that analyses the selected guess, right of the board or below it."""
    columns, rows = extent
    title: Line
    inner, room = columns - 2 * FRAME_MARGIN, rows - 2
    guess = scene.selected
    if guess is None:
        title, lines = [], _explain_empty_card(scene, inner)
    else:
        title = text(format_guess_heading(guess), "class:heading")
        rules = scene.match.rules
        if beside_board:
            lines = _draw_card_column(guess, rules, inner, look)
        else:
            lines = _draw_card_lines(guess, rules, inner, room, look)
    lines = [*lines[:room], *([] for _row in range(room - len(lines)))]
    return draw_framed(lines, columns, look.glyphs, title=title)


def _explain_empty_card(scene: Scene, columns: int) -> list[Line]:
    """Return the text of a card without a guess.

    If the review was refused, the text is the reason. If the round has no guesses, the text is the
    number of possible codes. Otherwise there is no text.
    """
    if isinstance(scene.review, str):
        return wrap(scene.review, columns)
    if scene.round is None or scene.round.turns:
        return []
    codes = scene.match.rules.codes
    template = ngettext("There is {number} code.", "There are {number} codes.", codes)
    return wrap(template.format(number=format_count(codes)), columns)


def _draw_card_lines(
    guess: JudgedGuess, rules: Rules, columns: int, rows: int, look: Look
) -> list[Line]:
    """Return up to `rows` lines about a guess, cropped to `columns`.

    The lines are about the codes left, a better guess, and the earlier guess that ruled this one
    out. A line without content is omitted. If there is room, a line with the figures follows.
    """
    left = text(describe_remaining(guess))
    if width(left) > columns:
        left = text(describe_remaining(guess, short=True))
    lines = [left]
    if better := describe_better_guess(guess):
        line = _draw_better_guess(better, rules, look)
        if width(line) > columns and (shorter := describe_better_guess(guess, short=True)):
            line = _draw_better_guess(shorter, rules, look)
        lines.append(line)
    if excluded := describe_exclusion(guess):
        short = describe_exclusion(guess, short=True)
        lines.append(text(excluded if width(text(excluded)) <= columns else short))
    lines = lines[:rows]
    figures = f" {look.glyphs.hole} ".join(list_figures(guess))
    if len(lines) < rows:
        lines.append(text(figures, "class:dim"))
    return [crop(line, columns, look.glyphs.ellipsis) for line in lines]


def _draw_card_column(guess: JudgedGuess, rules: Rules, columns: int, look: Look) -> list[Line]:
    """Return paragraphs about a guess, and a line for each group of its figures.

    The paragraphs are about the codes left, a better guess, and the earlier guess that ruled this
    one out. A paragraph without content is omitted.
    """
    lines = wrap(describe_remaining(guess), columns)
    if better := describe_better_guess(guess):
        lines += [[], *_wrap_better_guess(better, rules, columns, look)]
    if excluded := describe_exclusion(guess):
        lines += [[], *wrap(excluded, columns)]
    figures = [line for part in list_figures(guess) for line in wrap(part, columns, "class:dim")]
    return [*lines, [], *figures]


def _draw_better_guess(better: BetterGuessText, rules: Rules, look: Look) -> Line:
    return [
        *text(better.before),
        *draw_small_code(better.code or (), rules, look),
        *text(better.after),
    ]


def _wrap_better_guess(
    better: BetterGuessText, rules: Rules, columns: int, look: Look
) -> list[Line]:
    if better.code is None:
        return wrap(better.before, columns)
    begin: Line = [*text(better.before), *draw_small_code(better.code or (), rules, look)]
    after = better.after.lstrip(",: ")
    if width(begin) <= columns:
        return [begin, *wrap(after, columns)]
    pegs = crop(draw_small_code(better.code, rules, look), columns, look.glyphs.ellipsis)
    return [*wrap(better.before, columns), pegs, *wrap(after, columns)]
