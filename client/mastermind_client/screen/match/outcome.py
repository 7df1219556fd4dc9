"""How a round ended, and the match: the panel under the board, which stays in sight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.screen.kit.lines import Line, crop, width, wrap
from mastermind_client.screen.match.board import draw_pegs
from mastermind_client.words.codes import name_colours
from mastermind_client.words.events import describe_ending, describe_result, describe_score
from mastermind_client.words.proof import describe_fraud, describe_proof
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_client.screen.kit.lines import Extent
    from mastermind_client.screen.look import Look
    from mastermind_client.screen.match.scene import Scene
    from mastermind_protocol.code import Code
    from mastermind_protocol.rules import Rules


def draw_outcome(scene: Scene, extent: Extent, look: Look) -> list[Line]:
    """Return how the last round ended, its code, whether that is proven, points and result.

    Where there are too few rows for all of it, what is least needed is left out: first the code,
    which is above the board too, then that it is proven, and then the points, which are beside the
    players. It is more rows than the extent has if how it ended takes so many.
    """
    match, columns = scene.match, extent.columns
    ending: list[Line] = []
    secret: list[Line] = []
    proof: list[Line] = []
    warning: list[Line] = []
    points: list[Line] = []
    result: list[Line] = []
    if match.played:
        played = match.played[-1]
        ending = wrap(describe_ending(played, match, scene.me), columns, "class:strong")
        if played.secret is not None:
            secret = _draw_secret(played.secret, match.rules, columns, look)
        told = describe_proof(played, match.rules)
        if describe_fraud(played, match.rules) is None:
            proof = wrap(f"{look.glyphs.check} {told}", columns)
        else:
            warning = wrap(f"{look.glyphs.cross} {told}", columns, "class:error")
    if match.opened.rounds > 1:
        points = wrap(describe_score(match), columns)
    if match.phase is Phase.FINISHED and match.outcome is not None:
        result = wrap(describe_result(match.outcome, match, scene.me), columns, "class:strong")
    parts = [ending, secret, proof, warning, points, result]
    for part in (secret, proof, points):
        if sum(map(len, parts)) > extent.rows:
            part.clear()
    return [line for part in parts for line in part]


def _draw_secret(secret: Code, rules: Rules, columns: int, look: Look) -> list[Line]:
    """Return the secret as pegs, and by the names of its colours, in one line if they fit."""
    said: Line = [("", _("The secret was") + " "), *draw_pegs(secret, rules, look, "")]
    names = ", ".join(name_colours(secret, rules))
    line: Line = [*said, ("", f" {names}")]
    if width(line) <= columns:
        return [line]
    return [crop(said, columns, look.glyphs.ellipsis), *wrap(names, columns)]
