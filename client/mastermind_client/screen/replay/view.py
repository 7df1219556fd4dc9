"""How the review of a match is drawn.

From the top: what is looked at; the players; the secret; the board as it was at the position.
Beside the board, or below it where it is narrow, what the bots say of the guess that was made last,
and then of the round, the match and the chat: as many lines as there is room for, and the rest by
scrolling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
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
)
from mastermind_client.screen.match.plain_board import (
    draw_guesses,
    draw_secret,
    find_gap,
    measure_board,
)
from mastermind_client.screen.match.side import name_self
from mastermind_client.screen.replay.commentary import draw_commentary
from mastermind_client.words.players import name_seat

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.screen.look import Look
    from mastermind_client.screen.match.position import Position
    from mastermind_client.screen.match.scene import Replay
    from mastermind_protocol.events import Seat

BESIDE = 34  # columns that the commentary needs beside the board: words fit in half of it
WIDEST = 76  # columns of the commentary: longer lines are hard to read
BELOW = 7  # rows of commentary below the board: a guess's review, and the round's totals
LEAST_GUESSES = 4  # rows of the board that are always there
LUCK = 7  # columns of a guess's luck, at the end of its row: -12.34, and a blank


@dataclass(frozen=True, slots=True)
class ReplayClicks:
    """What the mouse does: `guess` picks a guess of the round, `position` any position."""

    guess: Callable[[int], None]
    position: Callable[[Position], None]


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where everything is: the lines above, the size of the board, the commentary's extent."""

    head: list[Line]
    columns: int
    rows: int
    commentary: Extent
    side_by_side: bool


def draw_replay(replay: Replay, extent: Extent, look: Look, clicks: ReplayClicks) -> list[Line]:
    """Return the lines of a review, no more than the extent has rows."""
    layout = _lay_out(replay, extent, look)
    board = _draw_board(replay, layout, look, clicks)
    lines = draw_commentary(replay, layout.commentary.columns, look, clicks.position)
    rows = layout.commentary.rows
    top = max(0, min(replay.top, len(lines) - rows))
    shown, more = lines[top : top + rows], ""
    if len(lines) > rows:
        more = _("lines {first} to {last} of {number}").format(
            first=top + 1, last=top + rows, number=len(lines)
        )
        more = f" {look.glyphs.up}{look.glyphs.down} {more} "
    if layout.side_by_side:
        side = [*shown, *([] for _row in range(rows - len(shown))), text(more)]
        return [*layout.head, *side_by_side(board, side, layout.columns, f" {look.glyphs.bar} ")]
    rest = max(0, extent.columns - width(text(more)) - 2)
    rule = text(look.glyphs.rule * rest + more + look.glyphs.rule * 2, "class:rule")
    return [*layout.head, *board, crop(rule, extent.columns), *shown]


def count_hidden(replay: Replay, extent: Extent, look: Look) -> int:
    """Return how many lines of the commentary can be scrolled past."""
    room = _lay_out(replay, extent, look).commentary
    lines = draw_commentary(replay, room.columns, look, lambda _position: None)
    return max(0, len(lines) - room.rows)


def _lay_out(replay: Replay, extent: Extent, look: Look) -> _Layout:
    rules = replay.match.rules
    head = _draw_head(replay, extent.columns, look)
    room = extent.rows - len(head)
    made = len(replay.round.turns) if replay.round is not None else 0
    for notation in (True, False):
        columns = measure_board(rules, notation=notation) + LUCK
        left = extent.columns - columns - 3
        if left >= BESIDE:
            rows = min(rules.guesses or made, room - 1)
            return _Layout(
                head, columns, rows, Extent(min(WIDEST, left), room - 1), side_by_side=True
            )
    lines = draw_commentary(replay, extent.columns, look, lambda _position: None)
    least = min(max(made, LEAST_GUESSES), rules.limit)
    rows = min(least, max(LEAST_GUESSES, room - 2 - BELOW))
    spare = room - 2 - rows - len(lines)  # empty rows are there where the commentary needs no room
    rows = min(rules.guesses or least, rows + max(0, spare))
    return _Layout(
        head, extent.columns, rows, Extent(extent.columns, room - 2 - rows), side_by_side=False
    )


def _draw_head(replay: Replay, columns: int, look: Look) -> list[Line]:
    match, position, played = replay.match, replay.at, replay.round
    parts = [_("Review"), str(match.rules), _("match {code}").format(code=replay.code)]
    right = ""
    if played is not None:
        right = _("guess {number} of {guesses}").format(
            number=position.turns, guesses=len(played.turns)
        )
        if match.opened.rounds > 1:
            right = _("round {round} of {rounds}, guess {number} of {guesses}").format(
                round=position.round + 1,
                rounds=match.opened.rounds,
                number=position.turns,
                guesses=len(played.turns),
            )
    title, players = draw_title(parts, right, columns, 1), _draw_players(replay, columns, look)
    return [title, players]


def _draw_players(replay: Replay, columns: int, look: Look) -> Line:
    """Return who sat where in this round."""
    seated = replay.seated.items()
    parts = [_draw_seat(seat, name_self(player, replay.me)) for seat, player in seated if player]
    half = columns // 2
    longest = max((width(part) for part in parts), default=0)
    if longest > half:
        parts = [crop(part, half, look.glyphs.ellipsis) for part in parts]
    return [fragment for part in parts for fragment in pad(part, half)]


def _draw_board(replay: Replay, layout: _Layout, look: Look, clicks: ReplayClicks) -> list[Line]:
    """Return the secret and the guesses that have been made, each with its luck."""
    rules = replay.match.rules
    columns = layout.columns - LUCK
    narrowest = measure_board(rules, notation=False) - rules.pegs  # without blanks between pegs
    lucky = bool(replay.reviewed) and narrowest <= columns
    if not lucky:
        columns = layout.columns
    secret = draw_secret(replay.secret, rules, look, _("secret"), find_gap(rules, columns))
    if lucky:
        secret = spread(secret, text(_("luck"), "class:heading"), layout.columns)
    made = replay.reviewed[: len(replay.turns)]
    guesses = draw_guesses(
        replay.turns,
        rules,
        look,
        layout.rows,
        columns=columns,
        top=max(0, len(replay.turns) - layout.rows),
        advised=[number for number in replay.advised if number <= len(replay.turns)],
        marked=len(replay.turns) or None,
        remarks=[f"{turn.luck:>+{LUCK}.2f}" for turn in made] if lucky else (),
        click=clicks.guess,
    )
    return [secret, *guesses]


def _draw_seat(seat: Seat, name: str) -> Line:
    """Return who sits in a seat."""
    return [("class:strong", " "), ("class:heading", f"{name_seat(seat)}  "), ("", name)]
