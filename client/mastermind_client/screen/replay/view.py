"""How the review of a match is drawn.

From the top: what is looked at; the board with the verdicts; the card of one guess, below the board
or beside it; and how the rounds ended. All that happened takes the place of board and card.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.screen.kit.frames import MARGIN, draw_framed
from mastermind_client.screen.kit.lines import (
    Extent,
    Line,
    crop,
    draw_title,
    side_by_side,
    text,
    width,
)
from mastermind_client.screen.match.journal import count_back, draw_journal, name_journal
from mastermind_client.screen.replay.board import draw_board, list_labels
from mastermind_client.screen.replay.card import draw_card
from mastermind_client.screen.replay.layout import GAP, ReplayLayout, choose_layout
from mastermind_client.screen.scene.position import list_rounds
from mastermind_client.words.rounds import tell_result, tell_rounds, warn_of_fraud
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.screen.look import Look
    from mastermind_client.screen.scene.scene import Replay

AROUND = 2  # rows above and below board and card: the title, and the rounds
EDGES = 2  # rows of a frame


def draw_replay(
    replay: Replay, extent: Extent, look: Look, pick: Callable[[int], None]
) -> list[Line]:
    """Return the lines of a review, no more than the extent has rows.

    `pick` is told the number of a guess that is clicked.
    """
    head, rounds = _draw_head(replay, extent.columns, look), _draw_rounds(replay, extent, look)
    if replay.back is not None:
        return [head, *_draw_journal(replay, replay.back, extent, look), rounds]
    layout = _lay_out(replay, extent, look)
    board, card = draw_board(replay, layout, look, pick), draw_card(replay, layout, look)
    if not layout.beside:
        return [head, *board, *card, rounds]
    return [head, *side_by_side(board, card, layout.board.columns, " " * (GAP + 1)), rounds]


def count_hidden(replay: Replay, extent: Extent) -> int:
    """Return by how many lines what has happened can be scrolled back."""
    return count_back(replay.notes, _measure_journal(extent))


def _lay_out(replay: Replay, extent: Extent, look: Look) -> ReplayLayout:
    guesses = len(replay.round.turns) if replay.round is not None else 0
    labels = list_labels(replay.judged, look)
    return choose_layout(replay.match.rules, guesses, extent, labels)


def _draw_head(replay: Replay, columns: int, look: Look) -> Line:
    """Return the title; or that the code of the round is not what was sealed."""
    match, played = replay.match, replay.round
    if played is not None and (fraud := warn_of_fraud(played, match.rules)):
        return crop(text(f" {look.glyphs.cross} {fraud} ", "class:banner"), columns)
    parts, right = [str(match.rules)], ""
    if played is not None:
        first = list_rounds(match)[0]
        names = {player.id: sanitise(player.name) for player in match.players}
        if first.maker in names and first.breaker in names:
            told = _("{name} and {other}")
            parts.append(told.format(name=names[first.maker], other=names[first.breaker]))
        if match.opened.rounds > 1:
            number = _("round {round} of {rounds}")
            parts.append(number.format(round=replay.at.round + 1, rounds=match.opened.rounds))
        right = _("guess {number} of {guesses}").format(
            number=replay.at.turns, guesses=len(played.turns)
        )
    dot = f" {look.glyphs.hole} "
    return draw_title([_("Review"), dot.join(parts)], right, columns, 1)


def _draw_rounds(replay: Replay, extent: Extent, look: Look) -> Line:
    """Return how the rounds ended and the match; if that is too long, the round that is shown."""
    match, me, number = replay.match, replay.me, replay.at.round
    rounds, result = tell_rounds(match, me), tell_result(match, me)
    shown = rounds[number : number + 1]
    for parts in ([*rounds, result], [*shown, result], [result]):
        line = text("  " + "  ".join(part for part in parts if part))
        if width(line) <= extent.columns:
            return line
    return crop(line, extent.columns, look.glyphs.ellipsis)


def _draw_journal(replay: Replay, back: int, extent: Extent, look: Look) -> list[Line]:
    """Return all that has happened, or what of it is scrolled back to, in a frame."""
    room = _measure_journal(extent)
    shown = draw_journal(replay.notes, back, room)
    shown += [[] for _row in range(room.rows - len(shown))]
    title = text(name_journal(), "class:heading")
    return draw_framed(shown, extent.columns, look.glyphs, title=title)


def _measure_journal(extent: Extent) -> Extent:
    return Extent(extent.columns - 2 * MARGIN, extent.rows - AROUND - EDGES)
