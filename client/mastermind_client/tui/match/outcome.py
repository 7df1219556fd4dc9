"""How a round ended, and the match: the panel under the board, which stays in sight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.tui.lines import Line, wrap
from mastermind_client.words.codes import name_colours, write_code
from mastermind_client.words.events import describe_ending, describe_result, describe_score
from mastermind_client.words.proof import describe_fraud, describe_proof
from mastermind_protocol.match import Phase

if TYPE_CHECKING:
    from mastermind_client.tui.look import Look
    from mastermind_client.tui.match.scene import Scene


def draw_outcome(scene: Scene, columns: int, look: Look) -> list[Line]:
    """Return how the last round ended, its code, whether that is proven, points and result."""
    match = scene.match
    lines: list[Line] = []
    if match.played:
        played = match.played[-1]
        lines += wrap(describe_ending(played, match, scene.me), columns, "class:strong")
        if played.secret is not None:
            code = _("The secret was {code}: {colours}.").format(
                code=write_code(played.secret, match.rules),
                colours=" ".join(name_colours(played.secret, match.rules)),
            )
            lines += wrap(code, columns)
        fraud = describe_fraud(played, match.rules)
        mark = look.glyphs.check if fraud is None else look.glyphs.cross
        style = "" if fraud is None else "class:error"
        lines += wrap(f"{mark} {describe_proof(played, match.rules)}", columns, style)
    if match.opened.rounds > 1:
        lines += wrap(describe_score(match), columns)
    if match.phase is Phase.FINISHED and match.outcome is not None:
        lines += wrap(describe_result(match.outcome, match, scene.me), columns, "class:strong")
    return lines
