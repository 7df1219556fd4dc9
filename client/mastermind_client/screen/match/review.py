"""A review on the match screen: its layout, and the parts that only reviews have.

A column of the board has the verdicts on the guesses, another one the codes left after each. A card
describes the selected guess. It is right of the board on a wide stage, otherwise below the board.
The last line has the results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.messages.analysis import describe_verdict
from mastermind_client.messages.codes import format_count, round_estimate
from mastermind_client.messages.endings import describe_outcome
from mastermind_client.messages.judging import WEAK_WORTH, Luck
from mastermind_client.messages.rounds import describe_rounds
from mastermind_client.screen.match.layout import (
    FRAME_ROWS,
    HorizontalLayout,
    Layout,
    VerticalLayout,
    measure_longest_answer,
)
from mastermind_client.screen.scene.viewpoint import list_rounds
from mastermind_client.screen.theme.tiles import FLAT, MID, NARROW, TALL, WIDE, TileShape
from mastermind_client.screen.toolkit.lines import (
    Extent,
    Line,
    crop,
    draw_title,
    pad,
    spread,
    text,
    width,
)
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.messages.judging import JudgedGuess
    from mastermind_client.screen.scene.scene import Scene
    from mastermind_client.screen.theme import Look
    from mastermind_protocol.rules import Rules

VERDICT_COLUMNS = 12  # columns of a verdict and of the bar below it
PART_GAP = 2  # columns between two parts of a row
CARD_GAP = 3  # columns between the board and a card at its right
SIDE_CARD_STAGE_COLUMNS = 90  # columns of a stage with the card at the right of the board
LEAST_CARD_COLUMNS = 28  # columns of a card at the right
WIDE_CARD_COLUMNS = 70  # least columns of a card below the board that has WIDE_CARD_LINES
WIDE_CARD_LINES, NARROW_CARD_LINES = 4, 3  # lines of text in a card below the board
OUTER_ROWS = 2  # rows above and below board and card: the title, and the results
BEFORE_PEGS_COLUMNS = 6  # columns of a board before its pegs
RIGHT_EDGE_COLUMNS = 2  # columns of the board's right edge


def plan_review(scene: Scene, room: Extent) -> Layout:
    """Return the layout of a review. The open history takes the place of board and card."""
    guesses = len(scene.turns)
    if scene.lines_back is not None:
        return choose_review_layout(scene.match.rules, guesses, room, card=False)
    return choose_review_layout(scene.match.rules, guesses, room, _measure_codes_left(scene.judged))


def choose_review_layout(
    rules: Rules, guesses: int, room: Extent, codes_columns: int = 0, *, card: bool = True
) -> Layout:
    """Return the layout for a round with a number of guesses.

    `codes_columns` is the width of the column "codes left". If it is 0, no guess was judged, so
    there is no column for verdicts either. `card` is whether the layout has a card.
    """
    beside = card and room.columns >= SIDE_CARD_STAGE_COLUMNS
    below = card and not beside
    horizontal, has_codes = _choose_horizontal(
        rules, room.columns - (CARD_GAP + LEAST_CARD_COLUMNS if beside else 0), codes_columns
    )
    columns = horizontal.columns if beside else room.columns
    used = (
        horizontal.before + horizontal.pegs_columns + horizontal.between + horizontal.answer_columns
    )
    horizontal = horizontal._replace(after=columns - used)
    lines = WIDE_CARD_LINES if room.columns >= WIDE_CARD_COLUMNS else NARROW_CARD_LINES
    rows = room.rows - OUTER_ROWS - (lines + FRAME_ROWS if below else 0)
    vertical = _choose_vertical(guesses, rows)
    return Layout(
        room,
        horizontal,
        vertical,
        left=0,
        side=Extent(room.columns - columns - CARD_GAP, rows) if beside else None,
        tile=TileShape(horizontal.tile, vertical.height),
        code=TileShape(horizontal.tile, vertical.code),
        below=Extent(room.columns, lines + FRAME_ROWS) if below else None,
        verdict_columns=horizontal.after - PART_GAP - RIGHT_EDGE_COLUMNS if codes_columns else 0,
        has_codes_left=has_codes,
    )


def _choose_horizontal(
    rules: Rules, room: int, codes_columns: int
) -> tuple[HorizontalLayout, bool]:
    """Return the widest layout that fits, and whether it has the column "codes left"."""
    tried = []
    for tile, gap, words, has_codes in (
        (WIDE, 1, True, True),
        (WIDE, 1, False, True),
        (NARROW, 1, False, True),
        (NARROW, 0, False, True),
        (NARROW, 0, False, False),
    ):
        after = RIGHT_EDGE_COLUMNS + bool(codes_columns) * (
            PART_GAP + VERDICT_COLUMNS + has_codes * (1 + codes_columns)
        )
        answer = rules.pegs + (
            PART_GAP + measure_longest_answer(rules, notation=False) if words else 0
        )
        horizontal = HorizontalLayout(
            rules.pegs, tile, gap, 0, BEFORE_PEGS_COLUMNS, PART_GAP, answer, after
        )
        tried.append((horizontal, has_codes and codes_columns > 0))
    return next((each for each in tried if each[0].columns <= room), tried[-1])


def _choose_vertical(guesses: int, rows: int) -> VerticalLayout:
    room = rows - FRAME_ROWS - 1  # the rule below the code
    for height in (TALL, MID):
        left = room - height - guesses * height
        if left >= 0:
            blank = min(1, left) if height == MID else 0
            return VerticalLayout(height, height, blank, room - height - blank)
    code = MID if room - MID >= guesses else FLAT
    blank = 1 if room - code > guesses else 0
    return VerticalLayout(FLAT, code, blank, max(1, room - code - blank))


def _measure_codes_left(judged: Sequence[JudgedGuess]) -> int:
    if not judged:
        return 0
    words = [_("codes left"), *(_(luck.value) for luck in Luck if luck is not Luck.EVEN)]
    return max(
        width(text(label)) for label in (*words, *(write_codes_left(each, ">") for each in judged))
    )


def write_codes_left(guess: JudgedGuess, arrow: str) -> str:
    """Return the number of candidates before and after a guess: ``96 → 18``."""
    review = guess.review
    numbers = review.before, review.after
    if review.estimated:
        numbers = round_estimate(review.before), round_estimate(review.after)
    written = f" {arrow} ".join(map(format_count, numbers))
    return _("about {number}").format(number=written) if review.estimated else written


def name_verdict(scene: Scene, look: Look) -> str:
    """Return the verdict on the round, or the reason why there is none."""
    played = scene.round
    if played is None:
        return _("No round was played.")
    if scene.judged:
        return describe_verdict(scene.judged, scene.match, played, scene.me)
    if not played.turns:
        return _("No guess was made in this round.")
    if isinstance(scene.review, str):
        return _("No review possible")
    return _("The bots are reviewing this round {ellipsis}").format(ellipsis=look.glyphs.ellipsis)


def draw_headings(layout: Layout) -> Line:
    """Return the label of the code, and the headings above the verdicts and the codes left."""
    label = text(_("the code"))
    if not layout.verdict_columns:
        return label
    if width(label) > layout.horizontal.answer_columns:
        label = []
    heads = text(_("how well"), "class:dim"), text(_("codes left"), "class:dim")
    return _join_row(label, *heads, layout)


def draw_verdict(guess: JudgedGuess, answer: Line, layout: Layout, look: Look) -> list[Line]:
    """Return the answer and the verdict in one row, with a bar below if tiles are not FLAT."""
    word = text(_(guess.verdict.value), "class:strong")
    lines = [_join_row(answer, word, text(write_codes_left(guess, look.glyphs.right)), layout)]
    if layout.tile.rows > FLAT:
        luck = text(_(guess.luck.value), "class:dim") if guess.luck is not Luck.EVEN else []
        lines.append(_join_row([], _draw_bar(guess.worth, look), luck, layout))
    return lines


def _draw_bar(worth: float, look: Look) -> Line:
    """Return a bar for the worth of a guess. It is empty up to WEAK_WORTH, and full at 1."""
    done = max(0, round(VERDICT_COLUMNS * (worth - WEAK_WORTH) / (1 - WEAK_WORTH)))
    return [
        ("", look.glyphs.bold_floor * done),
        ("class:dim", look.glyphs.floor * (VERDICT_COLUMNS - done)),
    ]


def _join_row(answer: Line, verdict: Line, codes_left: Line, layout: Layout) -> Line:
    """Return one row with three cells. The codes left are dropped if their column is missing."""
    columns = layout.verdict_columns
    cells = (
        spread(verdict, codes_left, columns) if layout.has_codes_left else crop(verdict, columns)
    )
    return [*pad(answer, layout.horizontal.answer_columns), ("", " " * PART_GAP), *cells]


def draw_review_title(scene: Scene, columns: int, look: Look) -> Line:
    """Return a line with the rules, the players, the round, and the selected guess's number."""
    match, played = scene.match, scene.round
    heading, rules, people, number, right = _("Review"), str(match.rules), "", "", ""
    if played is not None:
        first = list_rounds(match)[0]
        names = {player.id: sanitise(player.name) for player in match.players}
        if first.maker in names and first.breaker in names:
            template = _("{name} and {other}")
            people = template.format(name=names[first.maker], other=names[first.breaker])
        if match.opened.rounds > 1:
            template = _("round {round} of {rounds}")
            number = template.format(
                round=scene.displayed_position.round + 1, rounds=match.opened.rounds
            )
        right = _("guess {number} of {guesses}").format(
            number=scene.displayed_position.turns, guesses=len(played.turns)
        )
    for parts in ((rules, people, number), (rules, number), (rules,)):
        terms = f" {look.glyphs.hole} ".join(filter(None, parts))
        if width(text(f" {heading}  {terms}  {right}")) <= columns:
            break
    return draw_title([heading, terms], right, columns, 1)


def draw_results(scene: Scene, columns: int, look: Look) -> Line:
    """Return the results of all rounds and of the match in a line.

    If they do not fit, only the displayed round and the match remain, or only the match.
    """
    match, me, number = scene.match, scene.me, scene.displayed_position.round
    rounds, result = describe_rounds(match, me), describe_outcome(match, me)
    shown = rounds[number : number + 1]
    for parts in ([*rounds, result], [*shown, result], [result]):
        line = text("  " + "  ".join(part for part in parts if part))
        if width(line) <= columns:
            return line
    return crop(line, columns, look.glyphs.ellipsis)
