"""The name, the rating and the clock of a player, for the plates of a match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.messages.clocks import format_clock
from mastermind_client.messages.players import format_name
from mastermind_client.messages.ratings import format_rating
from mastermind_client.running_clock import find_time
from mastermind_client.screen.theme.lettering import draw_digits
from mastermind_client.screen.toolkit.lines import Line, crop, pad, text, width
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_client.screen.scene.scene import Scene
    from mastermind_client.screen.theme import Look
    from mastermind_protocol.events import Player

ALARM = "class:alarm"  # of a clock that is not reversed, on a plate that is


def is_turn_of(scene: Scene, player: Player | None) -> bool:
    """Return whether the player is to move. False for spectators and for past states."""
    mover = scene.match.to_move
    live = not scene.past and not scene.ended and scene.seat is not None
    return live and mover is not None and player is not None and mover.id == player.id


def name_self(player: Player, me: str) -> str:
    """Return the name of a player, with a remark if it is our own player."""
    name = format_name(player)
    return _("{name} (you)").format(name=name) if player.id == me else name


def draw_name(scene: Scene, player: Player | None, columns: int, look: Look) -> Line:
    """Return the name of a player and the rating before a rated match, at most `columns` wide.

    If space is short, our own name has no remark.
    """
    if player is None:
        return crop(text(_("nobody yet")), columns, look.glyphs.ellipsis)
    rating = scene.ratings.get(player.id)
    behind = text(f" {format_rating(rating)}") if rating is not None else []
    room = max(0, columns - width(behind))
    name = text(name_self(player, scene.me), "class:strong")
    if width(name) > room:
        name = text(format_name(player), "class:strong")
    return [*crop(name, room, look.glyphs.ellipsis), *behind]


def write_time(scene: Scene, player: Player | None) -> str:
    """Return the time of a player, or an empty text without one."""
    match = scene.match
    time = find_time(match, scene.running, player) if player is not None else None
    if time is None or match.clock is None or match.phase is Phase.FINISHED:
        return ""
    return format_clock(time, live=match.clock.live)


def draw_time(scene: Scene, player: Player | None) -> Line:
    """Return the clock of a player. A clock near its end differs from its plate."""
    written, running = write_time(scene, player), scene.running
    if running is None or player is None or running.player != player.id:
        return text(written) if written else []
    alarm = ALARM if is_turn_of(scene, player) else "class:turn"
    return text(written, alarm if running.alarming else "class:strong")


def draw_large_time(scene: Scene, player: Player | None, look: Look) -> list[Line]:
    """Return a live clock in large digits, or no lines. The running one is bold."""
    written, running = write_time(scene, player), scene.running
    if not written or scene.match.clock is None or not scene.match.clock.live:
        return []
    if running is None or player is None or running.player != player.id:
        return draw_digits(written, look, "class:dim")
    return draw_digits(written, look, "class:turn" if running.alarming else "class:strong")


def draw_top_line(
    scene: Scene, player: Player | None, columns: int, look: Look, *, timed: bool
) -> Line:
    """Return the line of a plate with the name, the rating and, if `timed`, the clock."""
    time = draw_time(scene, player) if timed else []
    room = columns - width(time) - (1 if time else 0)
    line = [*pad(draw_name(scene, player, room, look), columns - width(time)), *time]
    return reverse_line(line) if is_turn_of(scene, player) else line


def reverse_line(line: Line) -> Line:
    """Return a line of the player to move: reversed, except for a clock near its end."""
    return [(ALARM if piece[0] == ALARM else "class:turn", piece[1]) for piece in line]
