"""The side column: a plate for each player, and other texts between the plates.

A plate is the field with a player's name, rating and clock. The codemaker's plate is at the top and
the codebreaker's at the bottom, as on the board. Without a side column the two plates share a line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.messages.clocks import find_time, format_clock
from mastermind_client.messages.players import format_name
from mastermind_client.messages.ratings import describe_prospects, describe_unrated, format_rating
from mastermind_client.messages.statistics import (
    format_average,
    format_best_and_average,
    format_record_heading,
)
from mastermind_client.screen.chart import draw_chart
from mastermind_client.screen.match.ending import draw_ending
from mastermind_client.screen.match.layout import TEXT_INSET
from mastermind_client.screen.match.notes import (
    draw_advice,
    draw_candidates,
    draw_last_chat,
    draw_phrases,
    draw_talk,
)
from mastermind_client.screen.theme.lettering import draw_digits
from mastermind_client.screen.toolkit.frames import draw_rule
from mastermind_client.screen.toolkit.lines import (
    Extent,
    Line,
    crop,
    fit,
    indent,
    pad,
    spread,
    text,
    width,
    wrap,
)
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_client.screen.scene.scene import Scene
    from mastermind_client.screen.theme import Look
    from mastermind_protocol.events import Player


def draw_side(scene: Scene, side: Extent, look: Look, *, large: bool) -> list[Line]:
    """Return the lines of the side column, which is as high as the board.

    If `large`, the plates have large clocks, and the record has a chart.
    """
    if scene.shows_ending:
        return fit(draw_ending(scene, side, look), side)
    columns, rows = side
    rule = draw_rule(columns, look.glyphs)
    top = draw_plate(scene, Seat.MAKER, columns, look, large=large)
    below = draw_plate(scene, Seat.BREAKER, columns, look, large=large)[::-1]
    room = Extent(columns, max(0, rows - len(top) - len(below) - 2))
    middle = fit(draw_middle(scene, room, look, large=large), room)
    return [*top, rule, *middle, rule, *below]


def draw_middle(scene: Scene, extent: Extent, look: Look, *, large: bool) -> list[Line]:
    """Return the lines between the plates: canned phrases, advice with the last chat, or the talk.

    Above the talk is our record if we are the codebreaker, otherwise the number of candidates.
    Before the first guess of a rated match, the possible changes of our rating replace them.
    """
    if scene.phrases:
        return indent(draw_phrases(scene.phrases, extent, look), TEXT_INSET)
    if scene.advice is not None:
        said = indent(draw_last_chat(scene, extent.columns - 2 * TEXT_INSET, look), TEXT_INSET)
        advice = draw_advice(scene.advice, scene, extent, look)
        room = extent.rows - len(said) - 1
        return [*fit(advice, Extent(extent.columns, room)), [], *said] if said else advice
    inner = extent.columns - 2 * TEXT_INSET
    above = (
        draw_rating_prospects(scene, inner)
        or draw_candidates(scene, inner, look)
        or draw_record(scene, inner, look, large=large)
    )
    if above and large:
        above = [[], *above]
    rows = extent.rows - 1
    talk = draw_talk(scene, Extent(inner, rows - len(above) - 1 if above else rows), look)
    blank = rows - len(above) - len(talk)
    lines = [*above, *([] for _ in range(blank)), *talk]
    return indent(lines, TEXT_INSET)


def draw_rating_prospects(scene: Scene, columns: int) -> list[Line]:
    """Return, before the first guess, how a win and a loss would change our rating.

    If a match was opened as rated but does not change ratings, return the reason. Return no lines
    for a match that was opened as unrated.
    """
    told = describe_prospects(scene.match, scene.ratings, scene.me)
    if scene.match.unrated and not scene.match.played and not scene.turns:
        told = describe_unrated()
    return wrap(told, columns) if told else []


def draw_record(scene: Scene, columns: int, look: Look, *, large: bool) -> list[Line]:
    """Return our record on this server by these rules: two lines, or if `large` a chart."""
    record, shown = scene.record, scene.round
    if record is None or not record.games or shown is None or shown.breaker != scene.me:
        return []
    heading = text(
        format_record_heading(record, scene.match.rules.name), "" if large else "class:dim"
    )
    if not large:
        averages = text(format_best_and_average(record, look.glyphs.hole), "class:dim")
        return [crop(line, columns, look.glyphs.ellipsis) for line in (heading, averages)]
    average = format_average(record.average) if record.average is not None else ""
    bars = draw_chart(record, columns, look)
    return [spread(heading, text(average, "class:dim"), columns), [], *bars]


def draw_plate(
    scene: Scene, seat: Seat, columns: int, look: Look, *, large: bool = False
) -> list[Line]:
    """Return the plate of the player in a seat: name, rating, clock, and role or absence."""
    player = scene.seated_players[seat]
    inner = columns - 2 * TEXT_INSET
    digits = draw_large_time(scene, player, look) if large else []
    first = draw_top_line(scene, player, inner, look, timed=not digits)
    plate = [inset_line(first, columns, "class:turn" if is_turn_of(scene, player) else "")]
    does = crop(text(describe_state(scene, seat, player, look)), inner, look.glyphs.ellipsis)
    points = text(_format_points(scene, player))
    if (
        not large and width(does) + 1 + width(points) > inner
    ):  # absence is more important than points
        return [*plate, inset_line(does, columns)]
    if not large:
        return [*plate, inset_line(spread(does, points, inner), columns)]
    state: list[Line] = [does, points, []]
    if digits:
        room = inner - width(digits[0]) - 1
        state = [
            [*pad(line, room, ellipsis=look.glyphs.ellipsis), ("", " "), *digit]
            for line, digit in zip(state, digits, strict=True)
        ]
    lines: list[Line] = [*plate, [], *(inset_line(line, columns) for line in state), []]
    if seat is Seat.BREAKER:  # the caller reverses it
        lines[2:5] = reversed(lines[2:5])
    return lines


def draw_plates(scene: Scene, columns: int, look: Look) -> Line:
    """Return the plates of both players in one line, with the points between them."""
    score = _write_score(scene)
    room = (columns - width(text(score))) // 2 - 1
    ends: list[Line] = []
    for seat in Seat:
        player = scene.seated_players[seat]
        inner = room - 2 * TEXT_INSET
        time = draw_time(scene, player)
        used = width(time) + 2 if time else 0
        name = draw_name(scene, player, inner - used, look)
        if time:
            name = [*name, ("", "  "), *time]
        state = _describe_absence(scene, player, look)
        spare = inner - width(name) - 2
        if width(text(state)) > spare and player is not None and player.id in scene.absent:
            state = f"{look.glyphs.away} {scene.absent[player.id]}"  # the time is enough
        if state and spare > 1:
            name = [*name, *crop(text(f"  {state}"), spare + 2, look.glyphs.ellipsis)]
        plate = [("", " "), *name, ("", " ")]
        ends.append(reverse_line(plate) if is_turn_of(scene, player) else plate)
    middle = (columns - width(text(score))) // 2
    left = pad(ends[0], middle)
    right = ends[1]
    gap = columns - middle - width(text(score)) - width(right)
    return [*left, ("class:strong", score), ("", " " * gap), *right]


def describe_state(scene: Scene, seat: Seat, player: Player | None, look: Look) -> str:
    """Return a text: the player has left or is disconnected, or the role in this round."""
    if absence := _describe_absence(scene, player, look):
        return absence
    if seat is Seat.MAKER and scene.opened_secret is not None:
        return _("hides your code")
    return _("hides it") if seat is Seat.MAKER else _("breaks it")


def _describe_absence(scene: Scene, player: Player | None, look: Look) -> str:
    if player is None:
        return ""
    if player.id in scene.match.departed:
        return _("has left")
    if player.id in scene.absent:
        away = _("away since {time}").format(time=scene.absent[player.id])
        return f"{look.glyphs.away} {away}"
    return ""


def inset_line(line: Line, columns: int, style: str = "") -> Line:
    """Return a line with a blank at each end. The blanks have the `style`."""
    return pad([(style, " " * TEXT_INSET), *line], columns, style)


def _format_points(scene: Scene, player: Player | None) -> str:
    if player is None or scene.match.opened.rounds == 1:
        return ""
    points = scene.match.points_of(player.id)
    return ngettext("{number} point", "{number} points", points).format(number=points)


def _write_score(scene: Scene) -> str:
    if scene.match.opened.rounds == 1:
        return ""
    points = [
        scene.match.points_of(player.id) if player is not None else 0
        for player in scene.seated_players.values()
    ]
    return f"{points[0]} : {points[1]}"


ALARM_STYLE = "class:alarm"  # a clock with little time left: normal video on a reversed plate


def is_turn_of(scene: Scene, player: Player | None) -> bool:
    """Return whether the player is to move. False for spectators and for earlier states."""
    mover = scene.match.to_move
    live = not scene.is_past and not scene.shows_ending and scene.seat is not None
    return live and mover is not None and player is not None and mover.id == player.id


def mark_own_name(player: Player, me: str) -> str:
    """Return the name of a player, with the remark "(you)" if it is our own."""
    name = format_name(player)
    return _("{name} (you)").format(name=name) if player.id == me else name


def draw_name(scene: Scene, player: Player | None, columns: int, look: Look) -> Line:
    """Return the name of a player in at most `columns`. In a rated match, the rating follows.

    Our own name has the remark "(you)" if it fits.
    """
    if player is None:
        return crop(text(_("nobody yet")), columns, look.glyphs.ellipsis)
    rating = scene.ratings.get(player.id)
    behind = text(f" {format_rating(rating)}") if rating is not None else []
    room = max(0, columns - width(behind))
    name = text(mark_own_name(player, scene.me), "class:strong")
    if width(name) > room:
        name = text(format_name(player), "class:strong")
    return [*crop(name, room, look.glyphs.ellipsis), *behind]


def write_time(scene: Scene, player: Player | None) -> str:
    """Return the time on a player's clock, or an empty text without a clock."""
    match = scene.match
    time = find_time(match, scene.running_clock, player) if player is not None else None
    if time is None or match.clock is None or match.phase is Phase.FINISHED:
        return ""
    return format_clock(time, live=match.clock.live)


def draw_time(scene: Scene, player: Player | None) -> Line:
    """Return the time on a player's clock, in a style of its own if little time is left."""
    written, running = write_time(scene, player), scene.running_clock
    if running is None or player is None or running.player != player.id:
        return text(written) if written else []
    alarm = ALARM_STYLE if is_turn_of(scene, player) else "class:turn"
    return text(written, alarm if running.is_alarming else "class:strong")


def draw_large_time(scene: Scene, player: Player | None, look: Look) -> list[Line]:
    """Return a player's clock in large digits, bold while it runs, or no lines without a clock."""
    written, running = write_time(scene, player), scene.running_clock
    if not written or scene.match.clock is None or not scene.match.clock.live:
        return []
    if running is None or player is None or running.player != player.id:
        return draw_digits(written, look, "class:dim")
    return draw_digits(written, look, "class:turn" if running.is_alarming else "class:strong")


def draw_top_line(
    scene: Scene, player: Player | None, columns: int, look: Look, *, timed: bool
) -> Line:
    """Return the first line of a plate: the name, the rating and, if `timed`, the clock."""
    time = draw_time(scene, player) if timed else []
    room = columns - width(time) - (1 if time else 0)
    line = [*pad(draw_name(scene, player, room, look), columns - width(time)), *time]
    return reverse_line(line) if is_turn_of(scene, player) else line


def reverse_line(line: Line) -> Line:
    """Return the line in reverse video, except for a clock with little time left.

    Reverse video marks the player to move.
    """
    return [(ALARM_STYLE if piece[0] == ALARM_STYLE else "class:turn", piece[1]) for piece in line]
