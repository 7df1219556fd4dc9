"""The card of a review: what is to be said of one guess, in sentences first and figures last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import ngettext
from mastermind_client.screen.kit.frames import MARGIN, draw_framed
from mastermind_client.screen.kit.lines import Line, crop, text, width, wrap
from mastermind_client.screen.look.tiles import draw_small
from mastermind_client.words.verdicts import (
    head_guess,
    list_figures,
    tell_better,
    tell_excluded,
    tell_left,
)

if TYPE_CHECKING:
    from mastermind_client.screen.look import Look
    from mastermind_client.screen.replay.layout import ReplayLayout
    from mastermind_client.screen.scene.scene import Replay
    from mastermind_client.words.verdicts import Better, Judged
    from mastermind_protocol.rules import Rules


def draw_card(replay: Replay, layout: ReplayLayout, look: Look) -> list[Line]:
    """Return the card of the guess that is selected, in its frame."""
    columns, rows = layout.card
    title: Line
    inner, room = columns - 2 * MARGIN, rows - 2
    guess = replay.selected
    if guess is None:
        title, lines = [], _draw_nothing(replay, inner)
    else:
        title = text(head_guess(guess), "class:heading")
        rules = replay.match.rules
        if layout.beside:
            lines = _draw_column(guess, rules, inner, look)
        else:
            lines = _draw_lines(guess, rules, inner, room, look)
    lines = [*lines[:room], *([] for _row in range(room - len(lines)))]
    return draw_framed(lines, columns, look.glyphs, title=title)


def _draw_nothing(replay: Replay, columns: int) -> list[Line]:
    """Say why nothing is said of a guess."""
    if isinstance(replay.review, str):
        return wrap(replay.review, columns)
    if replay.round is None or replay.round.turns:
        return []
    codes = replay.match.rules.codes
    told = ngettext("There is {number} code.", "There are {number} codes.", codes)
    return wrap(told.format(number=codes), columns)


def _draw_lines(guess: Judged, rules: Rules, columns: int, rows: int, look: Look) -> list[Line]:
    """Return a line for each sentence, in few words where they do not fit; figures are the last."""
    left = text(tell_left(guess))
    if width(left) > columns:
        left = text(tell_left(guess, short=True))
    lines = [left]
    if better := tell_better(guess):
        line = _draw_better(better, rules, look)
        if width(line) > columns and (shorter := tell_better(guess, short=True)):
            line = _draw_better(shorter, rules, look)
        lines.append(line)
    if told := tell_excluded(guess):
        short = tell_excluded(guess, short=True)
        lines.append(text(told if width(text(told)) <= columns else short))
    lines = lines[:rows]
    figures = f" {look.glyphs.hole} ".join(list_figures(guess))
    if len(lines) < rows:
        lines.append(text(figures, "class:dim"))
    return [crop(line, columns, look.glyphs.ellipsis) for line in lines]


def _draw_column(guess: Judged, rules: Rules, columns: int, look: Look) -> list[Line]:
    """Return a paragraph for each sentence, and a line for each group of figures."""
    lines = wrap(tell_left(guess), columns)
    if better := tell_better(guess):
        lines += [[], *_wrap_better(better, rules, columns, look)]
    if told := tell_excluded(guess):
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
