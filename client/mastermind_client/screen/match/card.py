"""The card of a review: one guess described, sentences first and figures last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import ngettext
from mastermind_client.messages.analysis import (
    describe_better,
    describe_exclusion,
    describe_remaining,
    format_guess_heading,
    list_figures,
)
from mastermind_client.screen.kit.frames import MARGIN, draw_framed
from mastermind_client.screen.kit.lines import Extent, Line, crop, text, width, wrap
from mastermind_client.screen.look.tiles import draw_small

if TYPE_CHECKING:
    from mastermind_client.messages.analysis import Better, JudgedGuess
    from mastermind_client.screen.look import Look
    from mastermind_client.screen.scene.scene import Scene
    from mastermind_protocol.rules import Rules


def draw_card(scene: Scene, extent: Extent, look: Look, *, beside: bool) -> list[Line]:
    """Return the card of the selected guess in its frame, `beside` the board or below it."""
    columns, rows = extent
    title: Line
    inner, room = columns - 2 * MARGIN, rows - 2
    guess = scene.selected
    if guess is None:
        title, lines = [], _draw_nothing(scene, inner)
    else:
        title = text(format_guess_heading(guess), "class:heading")
        rules = scene.match.rules
        if beside:
            lines = _draw_column(guess, rules, inner, look)
        else:
            lines = _draw_lines(guess, rules, inner, room, look)
    lines = [*lines[:room], *([] for _row in range(room - len(lines)))]
    return draw_framed(lines, columns, look.glyphs, title=title)


def _draw_nothing(scene: Scene, columns: int) -> list[Line]:
    """Return the reason for an empty card."""
    if isinstance(scene.review, str):
        return wrap(scene.review, columns)
    if scene.round is None or scene.round.turns:
        return []
    codes = scene.match.rules.codes
    told = ngettext("There is {number} code.", "There are {number} codes.", codes)
    return wrap(told.format(number=codes), columns)


def _draw_lines(
    guess: JudgedGuess, rules: Rules, columns: int, rows: int, look: Look
) -> list[Line]:
    """Return a line for each sentence, in few words where they do not fit; figures are the last."""
    left = text(describe_remaining(guess))
    if width(left) > columns:
        left = text(describe_remaining(guess, short=True))
    lines = [left]
    if better := describe_better(guess):
        line = _draw_better(better, rules, look)
        if width(line) > columns and (shorter := describe_better(guess, short=True)):
            line = _draw_better(shorter, rules, look)
        lines.append(line)
    if told := describe_exclusion(guess):
        short = describe_exclusion(guess, short=True)
        lines.append(text(told if width(text(told)) <= columns else short))
    lines = lines[:rows]
    figures = f" {look.glyphs.hole} ".join(list_figures(guess))
    if len(lines) < rows:
        lines.append(text(figures, "class:dim"))
    return [crop(line, columns, look.glyphs.ellipsis) for line in lines]


def _draw_column(guess: JudgedGuess, rules: Rules, columns: int, look: Look) -> list[Line]:
    """Return a paragraph for each sentence, and a line for each group of figures."""
    lines = wrap(describe_remaining(guess), columns)
    if better := describe_better(guess):
        lines += [[], *_wrap_better(better, rules, columns, look)]
    if told := describe_exclusion(guess):
        lines += [[], *wrap(told, columns)]
    figures = [line for part in list_figures(guess) for line in wrap(part, columns, "class:dim")]
    return [*lines, [], *figures]


def _draw_better(better: Better, rules: Rules, look: Look) -> Line:
    return [*text(better.before), *_draw_pegs(better, rules, look), *text(better.after)]


def _wrap_better(better: Better, rules: Rules, columns: int, look: Look) -> list[Line]:
    if better.code is None:
        return wrap(better.before, columns)
    begin: Line = [*text(better.before), *_draw_pegs(better, rules, look)]
    after = better.after.lstrip(",: ")
    if width(begin) <= columns:
        return [begin, *wrap(after, columns)]
    pegs = crop(_draw_pegs(better, rules, look), columns, look.glyphs.ellipsis)
    return [*wrap(better.before, columns), pegs, *wrap(after, columns)]


def _draw_pegs(better: Better, rules: Rules, look: Look) -> Line:
    return [
        piece for colour in better.code or () for piece in draw_small(rules.palette[colour], look)
    ]
