"""How a match is drawn, for a player and for a spectator.

From the top: what match it is; the players; the secret; the board; and below it what is to be done,
or what came of it. Beside the board, where there is room, what has happened.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.screen.kit.lines import (
    Extent,
    Line,
    crop,
    draw_title,
    pad,
    side_by_side,
    spread,
    text,
    width,
    wrap,
)
from mastermind_client.screen.match.board import (
    draw_entry,
    draw_guesses,
    draw_palette,
    draw_secret,
    find_gap,
    find_top,
    measure_advice,
    measure_board,
)
from mastermind_client.screen.match.panels import count_back, draw_advice, draw_feed, draw_outcome
from mastermind_client.screen.match.playback import draw_playback
from mastermind_client.screen.match.scene import Showing
from mastermind_client.screen.match.task import describe_task
from mastermind_client.words.players import name_player, name_seat
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.screen.look import Look
    from mastermind_client.screen.match.scene import Scene
    from mastermind_protocol.events import Player

SIDE = 24  # columns that the feed needs beside the board
LEAST_COLUMNS = 46  # for what is under the board, however few pegs there are
NAMED = 76  # columns from which on the program's name is in the title too
LEAST_GUESSES = 3  # rows of the board that are always there
CLOCK = 6  # columns kept for a player's clock


@dataclass(frozen=True, slots=True)
class RowClicks:
    """What the mouse does: `place` picks a place of the row, `colour` a colour for it."""

    place: Callable[[int], None]
    colour: Callable[[int], None]


NO_CLICKS = RowClicks(place=lambda _place: None, colour=lambda _colour: None)
"""Of whoever has no row to fill."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """What goes where: `columns` are the board's, `guesses` the rows for them."""

    top: list[Line]
    below: list[Line]
    columns: int
    with_side: bool
    guesses: int


def draw_match(scene: Scene, extent: Extent, look: Look, clicks: RowClicks) -> list[Line]:
    """Return the lines of a match, no more than the extent has rows."""
    rules, plan = scene.match.rules, _plan(scene, extent, look, clicks)
    columns, top, below = plan.columns, plan.top, plan.below
    if scene.back is not None:
        shown = draw_feed(scene, _measure_feed(plan, extent), look)
        return [*top, *shown, *below][: extent.rows]
    room = extent.rows - len(top)
    guesses = draw_guesses(
        scene.turns,
        rules,
        look,
        plan.guesses,
        columns=columns,
        top=scene.top,
        advised=[guess for guess in scene.advised if guess <= scene.at.turns + 1],
    )
    secret = draw_secret(scene.secret, rules, look, _("secret"), find_gap(rules, columns))
    if 1 + len(guesses) + len(below) < room:
        below = [[], *below]
    board = [secret, *guesses, *below]
    if plan.with_side:
        side = Extent(extent.columns - columns - 3, room)
        shown = draw_feed(scene, side, look)
        return [*top, *side_by_side(board[:room], shown, columns, f" {look.glyphs.bar} ")]
    return [*top, *board[:room]]


def find_last_top(scene: Scene, extent: Extent, look: Look, clicks: RowClicks) -> int:
    """Return how many guesses are scrolled past at most, which is where nobody has scrolled."""
    if scene.round is None:
        return 0
    return find_top(scene.turns, scene.match.rules, _plan(scene, extent, look, clicks).guesses)


def find_last_back(scene: Scene, extent: Extent, look: Look, clicks: RowClicks) -> int:
    """Return by how many lines all that has happened can be scrolled back, while it is open."""
    return count_back(scene, _measure_feed(_plan(scene, extent, look, clicks), extent))


def _measure_feed(plan: _Plan, extent: Extent) -> Extent:
    """Return the size of what has happened, in place of the board."""
    return Extent(extent.columns, max(1, extent.rows - len(plan.top) - len(plan.below)))


def _plan(scene: Scene, extent: Extent, look: Look, clicks: RowClicks) -> _Plan:
    rules = scene.match.rules
    top = [_draw_title(scene, extent.columns), *_draw_players(scene, extent.columns, look)]
    board_columns = max(measure_board(rules, notation=False), LEAST_COLUMNS)
    if scene.round is not None and scene.round.advised:
        told = measure_board(rules, notation=False) + measure_advice()
        if extent.columns - told - 3 >= SIDE:
            board_columns = max(board_columns, told)
    with_side = scene.back is None and extent.columns - board_columns - 3 >= SIDE
    columns = board_columns if with_side else extent.columns
    if with_side and not rules.keys.counted:
        noted = measure_board(rules, notation=True)
        columns = max(columns, noted) if extent.columns - noted - 3 >= SIDE else columns
    rows = extent.rows - len(top) - 1 - LEAST_GUESSES
    below = _draw_below(scene, Extent(columns, rows), look, clicks, with_side=with_side)
    guesses = max(LEAST_GUESSES, extent.rows - len(top) - 1 - len(below))
    return _Plan(top, below, columns, with_side, guesses)


def _draw_title(scene: Scene, columns: int) -> Line:
    match = scene.match
    parts = ["Mastermind"] if columns >= NAMED else []
    parts.append(str(match.rules))
    if match.opened.rounds > 1:
        parts.append(
            _("round {number} of {rounds}").format(
                number=scene.at.round + 1, rounds=match.opened.rounds
            )
        )
    if match.opened.rated:
        parts.append(_("rated"))
    parts.append(_("match {code}").format(code=scene.code))
    watching = ngettext("{number} spectator", "{number} spectators", scene.spectators)
    return draw_title(parts, watching.format(number=scene.spectators), columns, 1)


def _draw_players(scene: Scene, columns: int, look: Look) -> list[Line]:
    return [_draw_player(scene, *seated, columns, look) for seated in scene.seated.items()]


def _draw_player(scene: Scene, seat: Seat, player: Player | None, columns: int, look: Look) -> Line:
    """Return who sits in a seat, whether they are here, their points, and a place for a clock."""
    if player is None:
        return draw_seat(seat, _("nobody yet"))
    mover = scene.match.to_move if scene.position is None else None
    mark = look.glyphs.selected if mover is not None and mover.id == player.id else " "
    state = ""
    if player.id in scene.match.left:
        state = "  " + _("has left")
    elif player.id in scene.absent:
        away = _("away since {time}").format(time=scene.absent[player.id])
        state = f"  {look.glyphs.away} {away}"
    points = scene.match.points_of(player.id)
    told = ngettext("{number} point", "{number} points", points).format(number=points)
    right: Line = [("", told if scene.match.opened.rounds > 1 else ""), ("", " " * CLOCK)]
    room = columns - width([("", state), *right]) - 1
    name = draw_seat(seat, name_self(player, scene.me), mark)
    left = [*crop(name, room, look.glyphs.ellipsis), ("class:strong", state)]
    return spread(left, right, columns)


def draw_seat(seat: Seat, name: str, mark: str = " ") -> Line:
    """Return who sits in a seat, with a mark before it."""
    return [("class:strong", mark), ("class:heading", f"{name_seat(seat)}  "), ("", name)]


def name_self(player: Player, me: str) -> str:
    """Return the name of a player, and that it is our own if it is."""
    name = name_player(player)
    return _("{name} (you)").format(name=name) if player.id == me else name


def _draw_below(
    scene: Scene, extent: Extent, look: Look, clicks: RowClicks, *, with_side: bool
) -> list[Line]:
    """Return what is under the board: the row to fill, what is asked, or how it ended.

    Where there is too little room, what explains is cut; the row, the colours and the task are not.
    """
    columns, rules = extent.columns, scene.match.rules
    row = _draw_row(scene, columns, look, clicks) if scene.preparing else []
    after: list[Line] = []
    if scene.advice is not None:
        after += draw_advice(scene.advice, rules, columns, look)
    style = "class:turn" if scene.my_turn and not scene.sending else "class:heading"
    wrapped = wrap(describe_task(scene), columns - 2)
    task = [text(f" {words} ", style) for line in wrapped for _style, words, *_click in line]
    if scene.progress is not None and scene.progress.showing is not Showing.LIVE:
        task = [draw_playback(scene.progress, look, columns)]
    spare = max(0, extent.rows - len(row) - len(task))
    note: list[Line] = []
    if not with_side and scene.back is None and (notes := scene.visible_notes):
        note = [crop(text(notes[-1].text), columns, look.glyphs.ellipsis)]
    before: list[Line] = []
    over = scene.match.phase is Phase.FINISHED and scene.position is None
    if over or scene.between_rounds:
        room = Extent(columns, spare - len(after) - len(note))
        before = draw_outcome(scene.match, scene.me, room, look)
    before = before[:spare]
    after = after[: spare - len(before)]
    note = note[: spare - len(before) - len(after)]
    lines = [*before, *row, *after, *task, *note]
    return [pad(line, columns) if with_side else line for line in lines]


def _draw_row(scene: Scene, columns: int, look: Look, clicks: RowClicks) -> list[Line]:
    """Return the row that is being filled, and the colours for it."""
    rules = scene.match.rules
    turns = len(scene.match.current.turns) if scene.match.current else 0
    label = str(turns + 1) if scene.seat is Seat.BREAKER else look.glyphs.selected
    gap = find_gap(rules, columns)
    line = draw_entry(scene.entry, rules, look, label, clicks.place, gap)
    if scene.excluded is not None:
        told = _("Excluded by guess {number}.").format(number=scene.excluded)
        line += [("class:strong", f" {look.glyphs.cross} {told}")]
    return [line, *draw_palette(rules, look, columns, clicks.colour)]
