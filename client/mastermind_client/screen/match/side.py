"""What is beside the board: what has happened and was said; and advice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.screen.kit.lines import Extent, Line, crop, text, wrap
from mastermind_client.screen.match.board import draw_pegs, find_gap
from mastermind_client.screen.match.journal import Kind

if TYPE_CHECKING:
    from mastermind_client.screen.look import Look
    from mastermind_client.screen.match.scene import Scene
    from mastermind_protocol.messages import Advice
    from mastermind_protocol.rules import Rules

ADVISED = 3  # guesses shown of an advice: the board is to stay in sight
_STYLES = {Kind.NEWS: "", Kind.CHAT: "class:strong", Kind.CONNECTION: "class:notice"}


def draw_journal(scene: Scene, extent: Extent, look: Look) -> list[Line]:
    """Return the last of what has happened, or what is scrolled back to: just as many rows."""
    title = _("What happened") if not scene.muted else _("What happened (others muted)")
    heading = crop(text(title, "class:heading"), extent.columns, look.glyphs.ellipsis)
    rows, back = extent.rows - 1, scene.back or 0
    lines: list[Line] = []
    for note in reversed(scene.told):
        if len(lines) >= rows + back:
            break
        lines = [*wrap(note.text, extent.columns, _STYLES[note.kind]), *lines]
    last = max(min(rows, len(lines)), len(lines) - back)
    lines = lines[max(0, last - rows) : last]
    return [heading, *lines, *([] for _row in range(rows - len(lines)))]


def count_back(scene: Scene, extent: Extent) -> int:
    """Return by how many lines what has happened can be scrolled back in this extent."""
    lines = sum(len(wrap(note.text, extent.columns)) for note in scene.told)
    return max(0, lines - (extent.rows - 1))


def draw_advice(advice: Advice, rules: Rules, columns: int, look: Look) -> list[Line]:
    """Return the best of the advised guesses: pegs, and what each may bring."""
    left = ngettext("{number} code is left", "{number} codes are left", advice.left)
    heading = _("Advice: {left}; {check} can be it, {cross} cannot.").format(
        left=left.format(number=advice.left), check=look.glyphs.check, cross=look.glyphs.cross
    )
    lines = wrap(heading, columns, "class:heading")
    for number, guess in enumerate(advice.guesses[:ADVISED], start=1):
        mark = look.glyphs.check if guess.possible else look.glyphs.cross
        worth = _("{bits:.2f} bits, worst {worst}").format(bits=guess.bits, worst=guess.worst)
        pegs = draw_pegs(guess.code, rules, look, find_gap(rules, columns))
        line: Line = [("", f"{number:>2}  "), *pegs, ("", f"{mark} {worth}")]
        lines.append(crop(line, columns, look.glyphs.ellipsis))
    return lines
