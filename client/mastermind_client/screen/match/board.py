"""The board in its frame: the code on top, the guesses below it, and the current row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.messages.players import find_name
from mastermind_client.messages.rounds import describe_fraud, format_round_end
from mastermind_client.screen.match.ending import draw_ending_below
from mastermind_client.screen.match.review import draw_headings, draw_verdict, name_verdict
from mastermind_client.screen.match.rows import (
    describe_thinking,
    draw_answer,
    draw_code,
    draw_entry,
    draw_half_open_code,
    draw_half_sealed_code,
    draw_hidden_code,
    draw_holes,
    draw_label,
    draw_legend,
    draw_lifted_code,
    draw_palette,
    draw_places,
    draw_row,
)
from mastermind_client.screen.theme.tiles import FLAT, TileShape
from mastermind_client.screen.toolkit.frames import draw_edge, draw_rule, frame
from mastermind_client.screen.toolkit.lines import (
    Extent,
    Line,
    crop,
    make_clickable,
    pad,
    text,
    width,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.screen.match.layout import Layout
    from mastermind_client.screen.scene.scene import Scene
    from mastermind_client.screen.theme import Look
    from mastermind_client.screen.theme.look import BoardGlyphs


@dataclass(frozen=True, slots=True)
class RowClicks:
    """Callbacks for clicks: on a place of the entry, a colour of the palette, or a reviewed guess.

    `on_place` and `on_colour` receive an index, and `on_guess` the number of the guess, from 1.
    """

    on_place: Callable[[int], None] = lambda _place: None
    on_colour: Callable[[int], None] = lambda _colour: None
    on_guess: Callable[[int], None] = lambda _guess: None


LEAST_ENDING_ROWS = 2  # rows below the guesses for an end: headline and result
NO_CLICKS = RowClicks()


def draw_board(
    scene: Scene,
    layout: Layout,
    look: Look,
    clicks: RowClicks,
    draw_below: Callable[[Scene, Extent, Look], list[Line]] | None = draw_ending_below,
) -> list[Line]:
    """Return the lines of the board, in the size of the layout.

    After the end of the round, a board without a side column has the lines that `draw_below`
    returns below the guesses.
    """
    rows = layout.vertical.guesses + layout.vertical.blank
    ends = scene.shows_ending and layout.side is None
    below = draw_below if ends else None
    seen = layout if below is None else _make_room_for_ending(scene, layout)
    lines: list[Line] = [[] for _ in range(layout.vertical.blank)]
    lines += draw_guesses(scene, seen, look, clicks)
    if below is not None:
        room = Extent(layout.horizontal.inner_columns, rows - len(lines))
        lines += below(scene, room, look)
    lines += [[] for _ in range(rows - len(lines))]
    return [
        *_draw_head(scene, layout, look, clicks),
        *add_sides(lines, layout, look),
        draw_bottom(scene, layout, look),
    ]


def _make_room_for_ending(scene: Scene, layout: Layout) -> Layout:
    """Return a layout with fewer rows for guesses, so that the text of an end fits below them."""
    guesses = min(len(scene.turns), layout.vertical.guesses - LEAST_ENDING_ROWS)
    flat = TileShape(layout.tile.columns, FLAT)
    return replace(layout, tile=flat, vertical=layout.vertical._replace(guesses=guesses))


def draw_in_frame(title: str, lines: Sequence[Line], layout: Layout, look: Look) -> list[Line]:
    """Return the lines, with a title, in a frame of the board's size."""
    rows = layout.board.rows - 2
    filled = [*lines[:rows], *([] for _ in range(rows - len(lines)))]
    return [
        draw_board_edge(layout, look, left=text(title, "class:heading")),
        *add_sides(filled, layout, look),
        draw_board_edge(layout, look, bottom=True),
    ]


def add_sides(lines: Sequence[Line], layout: Layout, look: Look) -> list[Line]:
    """Return lines between the sides of the board's frame, if the layout has sides."""
    if layout.horizontal.sides:
        return frame(lines, layout.board.columns, look.glyphs)
    columns, sign = layout.board.columns, look.glyphs.ellipsis
    return [pad([("", " "), *line], columns, ellipsis=sign) for line in lines]


def draw_board_edge(
    layout: Layout, look: Look, *, left: Line | None = None, right: Line | None = None,
    bottom: bool = False,
) -> Line:  # fmt: skip
    """Return the top or bottom edge of the board's frame. A frame without sides has no corners."""
    columns = layout.board.columns
    left, right = left or [], right or []
    if layout.horizontal.sides:
        return draw_edge(columns, look.glyphs, left=left, right=right, bottom=bottom)
    glyphs = _drop_corners(look.glyphs)
    edge = draw_edge(columns - 2, glyphs, left=left, right=right, bottom=bottom)
    return [("", " "), *edge, ("", " ")]


@lru_cache(maxsize=2)
def _drop_corners(glyphs: BoardGlyphs) -> BoardGlyphs:
    rule = glyphs.rule
    return replace(glyphs, top_left=rule, top_right=rule, bottom_left=rule, bottom_right=rule)


# The code.


def _draw_head(scene: Scene, layout: Layout, look: Look, clicks: RowClicks) -> list[Line]:
    """Return the lines with the code, at the top of the board.

    The top edge of the frame is above the code, and a rule below the code. In a low window the code
    is drawn in the edge.
    """
    pegs, right = _draw_code(scene, layout, look, clicks)
    name = name_verdict(scene, look) if scene.reviewing else _name_code(scene)
    title = text(name, "class:heading")
    glyphs, horizontal = look.glyphs, layout.horizontal
    if not layout.vertical.code:
        beside = right if scene.is_entering_secret else [title]
        return [_draw_code_in_edge(pegs[0], beside[0], layout, look)]
    lines = draw_row(pegs, horizontal, right=right)
    lines += [[] for _ in range(layout.vertical.code - len(lines))]
    tees = (glyphs.tee_left, glyphs.tee_right)
    rule = draw_rule(layout.board.columns, glyphs, tees)
    return [
        draw_board_edge(layout, look, left=title),
        *add_sides(lines, layout, look),
        rule,
    ]


def _draw_code(
    scene: Scene, layout: Layout, look: Look, clicks: RowClicks
) -> tuple[list[Line], list[Line]]:
    """Return the lines of the code's pegs, and the lines to their right."""
    rules, shape, horizontal = scene.match.rules, layout.code, layout.horizontal
    if scene.is_entering_secret:
        pegs = draw_entry(scene.entry, rules, shape, horizontal, look, clicks.on_place)
        palette = draw_palette(rules, shape.rows, look, clicks.on_colour, used=scene.used_colours)
        return pegs, palette
    moment = scene.moment
    label = [draw_headings(layout) if scene.reviewing else text(_describe_seal(scene, look))]
    if scene.secret is not None:
        if scene.is_over and moment.opened_tiles is not None:
            return draw_half_open_code(
                scene.secret, rules, shape, horizontal, look, moment.opened_tiles
            ), label
        if not scene.is_over and moment.sealed_tiles is not None:
            open_still = range(moment.sealed_tiles, horizontal.pegs)
            return draw_lifted_code(scene.secret, rules, shape, horizontal, look, open_still), []
        return draw_code(scene.secret, rules, shape, horizontal, look), label
    if scene.has_set_secret:
        if moment.sealed_tiles is not None:
            return draw_half_sealed_code(shape, horizontal, look, moment.sealed_tiles), []
        return draw_hidden_code(shape, horizontal, look), label
    return draw_places(shape, horizontal, look), []


def _draw_code_in_edge(pegs: Line, beside: Line, layout: Layout, look: Look) -> Line:
    """Return the top edge of the frame with the code inside."""
    horizontal, rule = layout.horizontal, look.glyphs.rule
    row: Line = []
    for fragment in pegs:  # the edge fills the gaps between the pegs
        row.append(("class:rule", rule * len(fragment[1])) if fragment[1] == " " else fragment)
    margin = 0 if horizontal.sides else 1
    corner = look.glyphs.top_left if horizontal.sides else rule
    end = look.glyphs.top_right if horizontal.sides else rule
    line: Line = [
        ("class:rule", corner + rule * (horizontal.before - margin - 1)),
        *row,
        ("class:rule", rule * horizontal.between),
        ("", " "),
    ]
    room = horizontal.columns - 2 * margin - width(line) - 2
    words = crop(beside, room, look.glyphs.ellipsis)
    line += [*words, ("", " "), ("class:rule", rule * (room - width(words)) + end)]
    return [("", " "), *line, ("", " ")] if margin else line


def _name_code(scene: Scene) -> str:
    """Return the label of the code, with the name of its owner."""
    shown = scene.round
    maker = shown.maker if shown else getattr(scene.match.maker, "id", None)
    if scene.match.is_entry:
        return _("The code of the day")
    if shown is not None and shown.drawn:
        return _("The code")
    if maker == scene.me or (
        scene.opened_secret is not None and scene.displayed_position.round == 0
    ):
        return _("Your code")
    if maker is None:
        return _("The code")
    return _("{name}'s code").format(name=find_name(scene.match, maker, mark_bot=False))


def _describe_seal(scene: Scene, look: Look) -> str:
    """Return a text: whether the code is locked or, after the round, whether it was changed."""
    shown = scene.round
    if shown is None:
        return ""
    if shown.awaits_proof and shown.known_code is not None:
        return _("checked at the close")
    if not (scene.is_over and scene.moment.is_revealed) or shown.awaits_proof:
        return _("locked") if shown.commitment is not None else _("not locked")
    if describe_fraud(shown, scene.match.rules) is not None:
        return _("changed {cross}").format(cross=look.glyphs.cross)
    if shown.commitment is None:
        return _("fits all answers {check}").format(check=look.glyphs.check)
    return _("unchanged {check}").format(check=look.glyphs.check)


# The guesses.


def draw_guesses(scene: Scene, layout: Layout, look: Look, clicks: RowClicks) -> list[Line]:
    """Return the visible rows of past, current and future guesses."""
    total, shown = count_guess_rows(scene, layout), layout.visible_guesses
    last = find_default_top(scene, layout)
    first = last if scene.top is None else max(0, min(scene.top, last))
    lines: list[Line] = []
    for index in range(first, min(first + shown, total)):
        mark = " "
        if index == first and first:
            mark = look.glyphs.up
        elif index == first + shown - 1 and index + 1 < len(scene.turns):
            mark = look.glyphs.down
        row = _draw_guess(scene, index, mark, layout, look, clicks)
        if scene.reviewing:
            row = [make_clickable(line, partial(clicks.on_guess, index + 1)) for line in row]
        lines += row
    return lines


def _draw_guess(
    scene: Scene, index: int, mark: str, layout: Layout, look: Look, clicks: RowClicks
) -> list[Line]:
    """Return the row of the guess at `index`, which can be past, current or future.

    `mark` is drawn in front of the number of a past guess.
    """
    rules, horizontal, shape = scene.match.rules, layout.horizontal, layout.tile
    current = index + 1 == scene.marked_guess_number
    style = "class:strong" if current else ""
    right: list[Line] = []
    if index < len(scene.turns):
        turn = scene.turns[index]
        last, moment = index + 1 == len(scene.turns), scene.moment
        if last and moment.lifted_tile is not None:
            pegs = draw_lifted_code(
                turn.code, rules, shape, horizontal, look, (moment.lifted_tile,)
            )
        else:
            pegs = draw_code(turn.code, rules, shape, horizontal, look)
        right = [
            draw_answer(turn, rules, horizontal, look, moment.shown_key_pegs if last else None)
        ]
        if scene.reviewing:
            answer = crop(right[0], horizontal.answer_columns)
            judged = layout.verdict_columns and scene.judged[index : index + 1]
            right = draw_verdict(judged[0], answer, layout, look) if judged else [answer]
        elif index + 1 in scene.advised_guess_numbers:
            right.append(text(_("with advice"), "class:dim"))
            mark = "*" if shape.rows == FLAT and mark == " " else mark
    elif current and scene.is_entering_guess:
        pegs = draw_entry(scene.entry, rules, shape, horizontal, look, clicks.on_place)
        right = draw_palette(
            *(rules, shape.rows, look, clicks.on_colour),
            excluded=scene.excluded_colours,
            used=scene.used_colours,
        )
    elif current and scene.thinker is not None:
        pegs = draw_places(shape, horizontal, look)
        right = [text(describe_thinking(scene.thinker, look))]
    else:
        pegs, style = draw_holes(shape, horizontal, look), style or "class:hole"
    label = draw_label(index + 1, look.glyphs.selected if current else mark, horizontal, style)
    return draw_row(pegs, horizontal, label=label, right=right)


def count_guess_rows(scene: Scene, layout: Layout) -> int:
    """Return the number of rows for past, current and future guesses."""
    if scene.reviewing or (scene.round is not None and scene.round.how is not None):
        return len(scene.round.turns) if scene.round is not None else 0
    return scene.match.rules.guesses or max(scene.needed_guesses, layout.visible_guesses)


def find_default_top(scene: Scene, layout: Layout) -> int:
    """Return the number of guesses above the visible rows of a round that is not scrolled."""
    if scene.reviewing:
        middle = scene.displayed_position.turns - layout.visible_guesses // 2 - 1
        return max(0, min(middle, len(scene.turns) - layout.visible_guesses))
    begun = len(scene.turns) + (not scene.is_over)
    return max(0, min(begun, count_guess_rows(scene, layout)) - layout.visible_guesses)


def draw_bottom(scene: Scene, layout: Layout, look: Look) -> Line:
    """Return the bottom edge of the frame.

    The edge has the legend of the key pegs, and the number of the guess or, after the round, the
    result.
    """
    shown = scene.round
    if scene.reviewing or (shown is not None and scene.is_over and scene.moment.is_answered):
        legend = draw_legend(look) if scene.reviewing else []
        ended = text(format_round_end(shown)) if shown is not None else []
        return draw_board_edge(layout, look, left=legend, right=ended, bottom=True)
    right = text(_describe_guess_number(scene, with_word=layout.side is not None))
    return draw_board_edge(layout, look, left=draw_legend(look), right=right, bottom=True)


def _describe_guess_number(scene: Scene, *, with_word: bool) -> str:
    number, limit = max(1, scene.marked_guess_number), scene.match.rules.guesses
    if limit is None:
        return _("guess {number}").format(number=number)
    words = _("guess {number} of {limit}") if with_word else _("{number} of {limit}")
    return words.format(number=number, limit=limit)
