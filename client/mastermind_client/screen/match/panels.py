"""The panels about the board: advice; how a round ended, and the match; what has happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.screen.kit.lines import Line, crop, text, width, wrap
from mastermind_client.screen.match.feed import Kind
from mastermind_client.screen.match.plain_board import draw_pegs, find_gap
from mastermind_client.words.codes import name_colours
from mastermind_client.words.events import (
    describe_ending,
    describe_fraud,
    describe_proof,
    describe_result,
    describe_score,
)

if TYPE_CHECKING:
    from mastermind_client.screen.kit.lines import Extent
    from mastermind_client.screen.look import Look
    from mastermind_client.screen.match.scene import Scene
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Match
    from mastermind_protocol.messages import Advice
    from mastermind_protocol.rules import Rules

ADVISED = 3  # guesses shown of an advice: the board is to stay in sight
_STYLES = {Kind.NEWS: "", Kind.DEED: "", Kind.CHAT: "class:strong", Kind.CONNECTION: "class:notice"}


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


def draw_outcome(match: Match, me: str, extent: Extent, look: Look) -> list[Line]:
    """Return how the last round ended, its code, whether that is proven, points and result.

    Where there are too few rows for all of it, what is least needed is left out: first the code,
    which is above the board too, then that it is proven, and then the points, which are beside the
    players. It is more rows than the extent has if how it ended takes so many.
    """
    number = len(match.played) - 1
    parts = _draw_parts(match, number, me, extent.columns, look)
    for name in ("secret", "proof", "points"):
        if sum(map(len, parts.values())) > extent.rows:
            parts.pop(name, None)
    return [line for part in parts.values() for line in part]


def draw_ending(match: Match, number: int, me: str, columns: int, look: Look) -> list[Line]:
    """Return how a finished round ended, if its code is proven, and the points up to then."""
    parts = _draw_parts(match, number, me, columns, look)
    return [line for name, part in parts.items() if name != "secret" for line in part]


def _draw_parts(
    match: Match, number: int, me: str, columns: int, look: Look
) -> dict[str, list[Line]]:
    """Return the parts of the panel after a round, counted from 0, or -1, from top to bottom."""
    parts: dict[str, list[Line]] = {}
    rules, last = match.rules, number + 1 == len(match.played)
    if number >= 0:
        played = match.played[number]
        parts["ending"] = wrap(describe_ending(played, match, me), columns, "class:strong")
        if played.secret is not None:
            parts["secret"] = _draw_secret(played.secret, rules, columns, look)
        told = describe_proof(played, rules)
        if describe_fraud(played, rules) is None:
            parts["proof"] = wrap(f"{look.glyphs.check} {told}", columns)
        else:
            parts["fraud"] = wrap(f"{look.glyphs.cross} {told}", columns, "class:error")
    if match.opened.rounds > 1:
        so_far = replace(match, played=match.played[: number + 1])
        parts["points"] = wrap(describe_score(so_far), columns)
    if last and match.outcome is not None:
        parts["result"] = wrap(describe_result(match.outcome, match, me), columns, "class:strong")
    return parts


def _draw_secret(secret: Code, rules: Rules, columns: int, look: Look) -> list[Line]:
    """Return the secret as pegs, and by the names of its colours, in one line if they fit."""
    said: Line = [("", _("The secret was") + " "), *draw_pegs(secret, rules, look, "")]
    names = ", ".join(name_colours(secret, rules))
    line: Line = [*said, ("", f" {names}")]
    if width(line) <= columns:
        return [line]
    return [crop(said, columns, look.glyphs.ellipsis), *wrap(names, columns)]


def draw_feed(scene: Scene, extent: Extent, look: Look) -> list[Line]:
    """Return the last of what has happened, or what is scrolled back to: just as many rows."""
    title = _("What happened") if not scene.muted else _("What happened (others muted)")
    heading = crop(text(title, "class:heading"), extent.columns, look.glyphs.ellipsis)
    rows, back = extent.rows - 1, scene.back or 0
    lines: list[Line] = []
    for note in reversed(scene.visible_notes):
        if len(lines) >= rows + back:
            break
        lines = [*wrap(note.text, extent.columns, _STYLES[note.kind]), *lines]
    last = max(min(rows, len(lines)), len(lines) - back)
    lines = lines[max(0, last - rows) : last]
    return [heading, *lines, *([] for _row in range(rows - len(lines)))]


def count_back(scene: Scene, extent: Extent) -> int:
    """Return by how many lines what has happened can be scrolled back in this extent."""
    lines = sum(len(wrap(note.text, extent.columns)) for note in scene.visible_notes)
    return max(0, lines - (extent.rows - 1))
