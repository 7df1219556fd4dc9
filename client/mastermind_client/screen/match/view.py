"""The drawing of a match for players, spectators and reviews.

From the top it has the title, the board with the side column if it fits, and the turn line. A
review has a card instead of the side column, and the results in the last line.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.messages.days.sentences import list_day_terms
from mastermind_client.messages.failures import write_sentence
from mastermind_client.messages.players import format_name
from mastermind_client.messages.ratings import describe_prospects
from mastermind_client.messages.rounds import describe_fraud
from mastermind_client.screen.match import board
from mastermind_client.screen.match.layout import SIDE_GAP, TEXT_INSET, Layout, choose_layout
from mastermind_client.screen.match.notes import (
    count_scrollable_lines,
    draw_advice_line,
    draw_history,
    draw_last_line,
    name_history,
)
from mastermind_client.screen.match.review import (
    CARD_GAP,
    draw_results,
    draw_review_title,
    plan_review,
)
from mastermind_client.screen.match.review_card import draw_review_card
from mastermind_client.screen.match.side import draw_plates, draw_side, inset_line
from mastermind_client.screen.match.turn_line import draw_turn_line
from mastermind_client.screen.theme.tiles import FLAT
from mastermind_client.screen.toolkit.lines import (
    Extent,
    Line,
    crop,
    fit,
    indent,
    join_items,
    side_by_side,
    spread,
    text,
    width,
)
from mastermind_protocol.days import find_contest_day

if TYPE_CHECKING:
    from mastermind_client.screen.match.board import RowClicks
    from mastermind_client.screen.scene.scene import Scene
    from mastermind_client.screen.theme import Look

LONG_TITLE_COLUMNS = 76  # columns of a title with the word "Mastermind"


def plan_layout(scene: Scene, room: Extent) -> Layout:
    """Return the layout of a match or review in `room`, the stage above the key hints."""
    if scene.reviewing:
        return plan_review(scene, room)
    layout = choose_layout(scene.match.rules, room, scene.needed_guesses)
    if scene.shows_ending and layout.side is None:  # the text of the end is below the guesses
        return replace(layout, tile=layout.tile._replace(rows=FLAT))
    return layout


def draw_match(scene: Scene, layout: Layout, look: Look, clicks: RowClicks) -> list[Line]:
    """Return the lines of a match or review, in the size of the layout's room."""
    columns = layout.columns
    shown = _draw_board(scene, layout, look, clicks)
    if scene.reviewing:
        return _enclose_review(scene, shown, layout, look)
    if layout.side is not None:
        column = draw_side(scene, layout.side, look, large=layout.has_large_plates)
        shown = side_by_side(shown, column, layout.board.columns, " " * SIDE_GAP)
    lines = [_warn_of_fraud(scene, columns, look) or draw_title(scene, columns, look)]
    if layout.side is None:
        lines.append(draw_plates(scene, columns, look))
    lines += shown
    if layout.side is None:
        lines.append(inset_line(_draw_talk_line(scene, columns - TEXT_INSET, look), columns))
    lines.append(draw_turn_line(scene, columns, look))
    lines = [*([] for _row in range(layout.top)), *lines]
    return indent(fit(lines, Extent(columns, layout.room.rows)), layout.left)


def _enclose_review(scene: Scene, shown: list[Line], layout: Layout, look: Look) -> list[Line]:
    """Return the lines of a review: title, board, card of the selected guess, and results.

    `shown` are the lines of the board.
    """
    if layout.side is not None:
        card = draw_review_card(scene, layout.side, look, beside_board=True)
        shown = side_by_side(shown, card, layout.board.columns, " " * CARD_GAP)
    elif layout.below is not None:
        shown = [*shown, *draw_review_card(scene, layout.below, look, beside_board=False)]
    columns = layout.room.columns
    head = _warn_of_fraud(scene, columns, look) or draw_review_title(scene, columns, look)
    return [head, *shown, draw_results(scene, columns, look)]


def count_scrollable_guesses(scene: Scene, layout: Layout) -> int:
    """Return the number of guesses above the visible rows when the board is scrolled down fully.

    A board that the user has not scrolled shows the same rows. Before the first round, return 0.
    """
    return board.find_default_top(scene, layout) if scene.round is not None else 0


def count_lines_back(scene: Scene, layout: Layout) -> int:
    """Return the number of lines that the history can be scrolled back."""
    return count_scrollable_lines(scene.visible_notes, _measure_history(layout))


def _draw_board(scene: Scene, layout: Layout, look: Look, clicks: RowClicks) -> list[Line]:
    """Return the lines of the board, or of the history if it is open."""
    if scene.lines_back is None:
        return board.draw_board(scene, layout, look, clicks)
    lines = draw_history(scene.visible_notes, scene.lines_back or 0, _measure_history(layout))
    return board.draw_in_frame(name_history(muted=scene.muted), lines, layout, look)


def _measure_history(layout: Layout) -> Extent:
    return Extent(layout.horizontal.inner_columns, layout.board.rows - 2)


def draw_title(scene: Scene, columns: int, look: Look) -> Line:
    """Return a line with the game, the code of the match, and the number of spectators."""
    inner = columns - 2 * TEXT_INSET
    right: Line = [("class:strong", scene.match_code)] if not scene.match.is_entry else []
    if scene.spectators is not None:
        number = scene.spectators
        watching = ngettext("{number} watching", "{number} watching", number).format(number=number)
        right.append(("", f" {look.glyphs.hole} {watching}"))
    left: Line = (
        [("class:strong", "Mastermind"), ("", "  ")] if columns >= LONG_TITLE_COLUMNS else []
    )
    room = inner - width(right) - 1
    dot = f" {look.glyphs.hole} "
    left += text(join_items(_list_terms(scene), room - width(left), dot)[0])
    left = crop(left, room, look.glyphs.ellipsis)
    return inset_line(spread(left, right, inner), columns)


def _warn_of_fraud(scene: Scene, columns: int, look: Look) -> Line:
    """Return a banner if the revealed code is not the committed one, otherwise an empty line."""
    if scene.round is None or not (scene.is_over and scene.moment.is_revealed):
        return []
    warning = describe_fraud(scene.round, scene.match.rules)
    if not warning:
        return []
    banner = text(f" {look.glyphs.cross} {write_sentence(warning)} ", "class:banner")
    return inset_line(crop(banner, columns - 2 * TEXT_INSET, look.glyphs.ellipsis), columns)


def _list_terms(scene: Scene) -> list[str]:
    """Return the rules, the kind of match, and the displayed round."""
    match = scene.match
    if (day := find_contest_day(match.opened.contest)) is not None:
        return list_day_terms(day, match.rules.name, day)
    parts = [str(match.rules)]
    if match.opened.rated:
        parts.append(_("not rated") if match.unrated else _("rated"))
    if match.opened.rounds > 1:
        template = _("round {number} of {rounds}")
        parts.append(
            template.format(number=scene.displayed_position.round + 1, rounds=match.opened.rounds)
        )
    elif all(player.is_bot for player in match.players):
        parts.append(_("two bots"))
    else:
        bots = [player for player in match.players if player.is_bot]
        parts += [_("against {name}").format(name=format_name(bot)) for bot in bots]
    if match.rules.guesses is None:
        parts.append(_("no limit"))
    return parts


def _draw_talk_line(scene: Scene, columns: int, look: Look) -> Line:
    if scene.advice is not None:
        return draw_advice_line(scene.advice, scene, columns, look)
    if said := draw_last_line(scene, columns, look):
        return said
    prospects = text(describe_prospects(scene.match, scene.ratings, scene.me))
    return crop(prospects, columns, look.glyphs.ellipsis)
