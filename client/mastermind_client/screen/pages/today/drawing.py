"""The drawing of a day: the board of the own try, and in the side column all results.

In a narrow window, the result is above the board, and the chart below the guesses. The place and
the countdown have a line below the board.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.figures import MAX_BARS
from mastermind_client.messages.days.sentences import (
    UNBROKEN_LABEL,
    DayStage,
    describe_action,
    describe_code,
    describe_distribution,
    describe_hours,
    describe_next_start,
    describe_percentage,
    describe_place,
    describe_players,
    describe_reveal,
    describe_streak,
    describe_time_left,
    describe_totals,
    find_stage,
    format_headline,
    list_day_terms,
    make_distribution,
    name_result,
    shorten_streak,
)
from mastermind_client.screen.chart import draw_chart
from mastermind_client.screen.match.board import NO_CLICKS, draw_board
from mastermind_client.screen.match.ending import draw_result_to_copy
from mastermind_client.screen.match.layout import SIDE_GAP, TEXT_INSET
from mastermind_client.screen.match.view import LONG_TITLE_COLUMNS, plan_layout
from mastermind_client.screen.toolkit.frames import draw_rule
from mastermind_client.screen.toolkit.lines import (
    Extent,
    Line,
    centre,
    crop,
    draw_title,
    fit,
    fit_parts,
    indent,
    join_items,
    side_by_side,
    stack,
    text,
    wrap,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import tzinfo

    from mastermind_client.screen.match.layout import Layout
    from mastermind_client.screen.scene.scene import Scene
    from mastermind_client.screen.theme import Look
    from mastermind_protocol.messages import Day

LEAST_CHART_ROWS = 5  # rows of the smallest chart: a blank row, the heading, and three bars
BEFORE = (DayStage.READY, DayStage.RUNNING)  # the own try has not ended


@dataclass(frozen=True, slots=True)
class DayScene:
    """The values that the page of a day displays.

    `now` is the time of the server, in milliseconds since 1970. `zone` is that of times of day, or
    None for the local one. `board` has the own try, or without one an empty board. `name` is the
    name of the player.
    """

    day: Day
    now: int
    zone: tzinfo | None
    board: Scene
    name: str

    @property
    def stage(self) -> DayStage:
        """The stage of the day."""
        return find_stage(self.day, self.now)


def draw_day(scene: DayScene, extent: Extent, look: Look) -> tuple[list[Line], Layout]:
    """Return the lines of the page, and the layout of its board."""
    layout = plan_layout(scene.board, extent)
    rows = layout.vertical.guesses - len(scene.board.turns)
    below = partial(_draw_below, scene) if rows > LEAST_CHART_ROWS else None
    lines = draw_board(scene.board, layout, look, NO_CLICKS, below)
    if layout.side is not None:
        column = fit(_draw_side(scene, layout.side, look), layout.side)
        lines = side_by_side(lines, column, layout.board.columns, " " * SIDE_GAP)
    else:
        lines = [
            _join(_list_head(scene), layout.columns, look),
            *lines,
            _join(_list_foot(scene), layout.columns, look),
        ]
    lines = [
        *([] for _row in range(layout.top)),
        _draw_title(scene, layout.columns, look),
        *lines,
        _draw_action(scene, layout.columns, look),
    ]
    return indent(fit(lines, Extent(layout.columns, layout.room.rows)), layout.left), layout


def _draw_title(scene: DayScene, columns: int, look: Look) -> Line:
    day = scene.day
    terms = f" {look.glyphs.hole} ".join(list_day_terms(day.day, day.rules, day.today))
    parts = ["Mastermind", terms] if columns >= LONG_TITLE_COLUMNS else [terms]
    return draw_title(parts, scene.name, columns, TEXT_INSET)


def _draw_action(scene: DayScene, columns: int, look: Look) -> Line:
    """Return the turn line: the state of the own try, and the next action of the player."""
    style = "class:turn" if scene.stage in BEFORE else "class:strong"
    label = text(f" {name_result(scene.day, scene.now)} ", style)
    words = describe_action(scene.day, scene.now, scene.zone)
    return crop([*label, ("", f" {words}")], columns, look.glyphs.ellipsis)


# The side column.


def _draw_side(scene: DayScene, extent: Extent, look: Look) -> list[Line]:
    """Return the side column. If the rows do not suffice, the least important parts are dropped."""
    columns, rows = extent
    rule = draw_rule(columns, look.glyphs)
    head = _draw_headline(scene, columns)
    if scene.stage in BEFORE:
        told = [describe_code(), describe_players(scene.day)]
        middle = _wrap_all(told, columns, gap=True)
        hours = _wrap_all([describe_hours(scene.day, scene.now, scene.zone)], columns)
        end = _draw_countdown(scene, columns)
        head, middle, hours, end = fit_parts(
            rows, [(4, [head]), (3, [[rule, *middle]]), (1, [hours]), (2, [[rule, *end]])], gap=1
        )
        return stack([part for part in (head, [*middle, [], *hours], end) if part], rows, 1)
    chart = _draw_chart(scene, columns, look)
    place = _wrap_all(_list_place(scene), columns)
    share = draw_result_to_copy(scene.board, columns, look) if scene.board.match.played else []
    end = _draw_countdown(scene, columns)
    head, chart, place, end, daily, share = fit_parts(
        rows,
        [
            (6, [head]), (5, [[rule, *chart] if chart else []]),
            (4, [[rule, *place] if place else []]), (3, [[rule, *end[:1]] if end else []]),
            (1, [end[1:]]), (2, [[rule, *share] if share else []]),
        ],
    )  # fmt: skip
    parts = (head, chart, place, [*end, *daily], share)
    return stack([part for part in parts if part], rows, 1)


def _draw_headline(scene: DayScene, columns: int) -> list[Line]:
    """Return the result of the own try and the streak, centred."""
    own, streak = scene.day.own, scene.day.streak
    better = "" if own is None or scene.stage in BEFORE else describe_percentage(own)
    lines: list[Line] = []
    for words, style in (
        (format_headline(scene.day, scene.now), "class:strong"), (better, ""),
        (describe_streak(streak), "class:strong"),
    ):  # fmt: skip
        lines += [
            line
            for wrapped in (wrap(words, columns - 2 * TEXT_INSET, style) if words else [])
            for line in centre([wrapped], columns)
        ]
    return lines


def _draw_countdown(scene: DayScene, columns: int) -> list[Line]:
    left = describe_time_left(scene.day, scene.now)
    if not left:
        return []
    daily = describe_next_start(scene.day.day, scene.zone)
    return [
        *_wrap_all([left], columns),
        *indent(wrap(daily, columns - 2 * TEXT_INSET, "class:dim"), TEXT_INSET),
    ]


def _draw_chart(scene: DayScene, columns: int, look: Look, most: int = MAX_BARS) -> list[Line]:
    """Return the heading and at most `most` bars of all ended tries, or no lines without any."""
    record, own = make_distribution(scene.day), scene.day.own
    if not record.games:
        return []
    marked = own.guesses if own is not None else None
    bars = draw_chart(record, columns, look, marked=marked, most=most, unbroken=UNBROKEN_LABEL)
    return [*_wrap_all([describe_distribution(scene.day)], columns), *bars]


def _list_place(scene: DayScene) -> list[str]:
    """Return the own place, or else the time of the reveal, or else the totals of all days."""
    own, told = scene.day.own, list[str]()
    if own is not None and (place := describe_place(own)):
        told.append(place)
    elif scene.stage in (DayStage.UNBROKEN, DayStage.MISSED) and scene.day.state == "open":
        told.append(describe_reveal(scene.day.day, scene.zone))
    return told or [describe_totals(scene.day.streak)]


def _wrap_all(told: Iterable[str], columns: int, *, gap: bool = False) -> list[Line]:
    """Return the texts, wrapped and indented. If `gap`, a blank line is between two texts."""
    lines: list[Line] = []
    for words in filter(None, told):
        lines += [[]] if gap and lines else []
        lines += indent(wrap(words, columns - 2 * TEXT_INSET), TEXT_INSET)
    return lines


# A narrow window.


def _list_head(scene: DayScene) -> list[str]:
    """Return the texts above a board without a side column."""
    day = scene.day
    if scene.stage in BEFORE:
        return [describe_code(), describe_streak(day.streak)]
    better = "" if day.own is None else describe_percentage(day.own)
    return [format_headline(day, scene.now), better, shorten_streak(day.streak)]


def _list_foot(scene: DayScene) -> list[str]:
    """Return the texts below a board without a side column."""
    left = describe_time_left(scene.day, scene.now)
    if scene.stage in BEFORE:
        return [left, describe_players(scene.day)]
    place = "" if scene.day.own is None else describe_place(scene.day.own)
    return [left, place]


def _draw_below(scene: DayScene, _board: Scene, extent: Extent, look: Look) -> list[Line]:
    """Return the chart for the rows below the guesses, with as many bars as fit."""
    most = min(MAX_BARS, extent.rows - 2)
    return [[], *_draw_chart(scene, extent.columns, look, most)]


def _join(told: Iterable[str], columns: int, look: Look) -> Line:
    """Return as many of the texts as fit into a line, with dots between them."""
    inner = columns - 2 * TEXT_INSET
    joined = join_items(filter(None, told), inner, f" {look.glyphs.hole} ")
    return crop(text(" " * TEXT_INSET + joined[0]), columns, look.glyphs.ellipsis) if joined else []
