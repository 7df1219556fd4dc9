"""The turn line of whoever looks on: whether it plays, how far it is, and how fast."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.pace import SPEEDS
from mastermind_client.screen.kit.lines import Line, pad, spread, width
from mastermind_client.screen.scene.scene import Showing

if TYPE_CHECKING:
    from mastermind_client.screen.look import Look
    from mastermind_client.screen.scene.scene import Progress

BAR = 24  # columns of the bar, where there is room
GAP = 2  # between label, bar and words


def draw_playback(progress: Progress, look: Look, columns: int) -> Line:
    """Return the turn line: a label, the guesses as a bar, and the speed at its end.

    The number of the guess goes first where there is no room: it is on the board, too.
    """
    glyphs = look.glyphs
    label = [("class:turn", f" {name_showing(progress)} "), ("", " " * GAP)]
    dots = glyphs.black * progress.speed + glyphs.white * (len(SPEEDS) - progress.speed)
    right: Line = [("", _("speed") + f" {dots}")]
    bar = max(0, min(BAR, columns - 1 - width([*label, *right]) - GAP))
    done = bar * progress.guess // progress.guesses if progress.guesses else 0
    left: Line = [
        *label,
        ("", glyphs.bar_done * done),
        ("class:dim", glyphs.bar_left * (bar - done)),
    ]
    number = _("guess {number} of {guesses}").format(
        number=progress.guess, guesses=progress.guesses
    )
    told: Line = [("", " " * GAP + number)]
    if width([*left, *told, *right]) + GAP < columns:
        left += told
    return pad(spread(left, right, columns - 1), columns)


def name_showing(progress: Progress) -> str:
    """Return the label: how it goes on, or which guess somebody looks back at."""
    names = {
        Showing.LIVE: _("Live"),
        Showing.PLAYING: _("Playing"),
        Showing.PAUSED: _("Paused"),
        Showing.BACK: _("Guess {number}").format(number=progress.guess),
    }
    return names[progress.showing]
