"""How much the codebreaker knows by now: the codes that all answers fit, as a number and a bar.

It is for the codemaker and for spectators alone: to the codebreaker it would be advice.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.screen.kit.lines import Line, crop, text
from mastermind_protocol.events import Seat
from mastermind_protocol.feedback import score
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_client.screen.look import Look
    from mastermind_client.screen.scene.scene import Scene
    from mastermind_protocol.match import Turn
    from mastermind_protocol.rules import Rules

MOST_CODES = 4096  # of a game for which they are counted: no redraw is to take longer for it
KEPT = 32  # positions that are remembered: of a round that is gone through to and fro


def draw_fitting(scene: Scene, columns: int, look: Look) -> list[Line]:
    """Return how many codes still fit and a bar that drains, or nothing where that is not told."""
    rules = scene.match.rules
    told = scene.seat is not Seat.BREAKER and not scene.match.opened.rated
    hidden = scene.round is not None and scene.match.phase is not Phase.SETTING
    if not told or not hidden or rules.codes > MOST_CODES:
        return []
    left = count_fitting(rules, tuple(scene.turns))
    if left == rules.codes:
        words = _("all {all} codes fit")
    else:
        words = ngettext("{number} of {all} codes fits", "{number} of {all} codes fit", left)
    done = round(columns * math.log(left) / math.log(rules.codes)) if left > 1 else 0
    bar: Line = [
        ("", look.glyphs.bar_done * done),
        ("class:dim", look.glyphs.bar_left * (columns - done)),
    ]
    line = text(words.format(number=left, all=rules.codes), "class:strong")
    return [crop(line, columns, look.glyphs.ellipsis), bar]


@lru_cache(maxsize=KEPT)
def count_fitting(rules: Rules, turns: tuple[Turn, ...]) -> int:
    """Return how many codes could be the secret after these guesses."""
    fitting = list(product(range(rules.colours), repeat=rules.pegs))
    for turn in turns:
        fitting = [secret for secret in fitting if score(secret, turn.code) == turn.feedback]
    return len(fitting)
