"""The drawing of the end of a round or match, in the side column or below the guesses.

The drawing has the result, the score or a chart, and the text that the copy key copies, with the
feedback of each guess as characters. If the rows do not suffice, this text is dropped first, then
the chart.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mastermind_client.figures import Record
from mastermind_client.messages.codes import (
    Marks,
    format_game,
    format_marks,
    format_round_score,
    format_round_title,
)
from mastermind_client.messages.endings import (
    compare_with_record,
    describe_match_end,
    format_headline,
)
from mastermind_client.messages.players import find_name
from mastermind_client.messages.ratings import describe_rating_change
from mastermind_client.messages.rounds import (
    describe_last_round,
    describe_next_round,
    describe_stakes,
    format_round_heading,
)
from mastermind_client.messages.statistics import format_record_heading
from mastermind_client.screen.chart import draw_chart
from mastermind_client.screen.match.layout import TEXT_INSET
from mastermind_client.screen.match.notes import draw_talk
from mastermind_client.screen.motion.animation import has_won
from mastermind_client.screen.motion.confetti import RESTING_CONFETTI_ROWS, draw_confetti
from mastermind_client.screen.theme.lettering import DIGIT_ROWS, draw_digits
from mastermind_client.screen.toolkit.frames import draw_rule
from mastermind_client.screen.toolkit.lines import (
    Extent,
    Line,
    centre,
    crop,
    fit,
    fit_parts,
    indent,
    join_items,
    stack,
    text,
    width,
    wrap,
)
from mastermind_protocol.match import list_tries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.screen.scene.scene import Scene
    from mastermind_client.screen.theme import Look

LEAST_TALK_ROWS = 4  # rows below the text of the end that are enough for the talk
SCORE_GAP = 3  # between the large digits of two players, on either side of the colon


def draw_ending(scene: Scene, extent: Extent, look: Look) -> list[Line]:
    """Return the end of a round or match for the side column.

    If at least LEAST_TALK_ROWS are left, the newest chat lines and actions are in the last rows.
    After a win, confetti falls over the text.
    """
    draw = _draw_round_end if scene.between_rounds else _draw_match_end
    lines = draw(scene, extent, look)
    room = extent.rows - len(lines) - 1
    if room >= LEAST_TALK_ROWS:
        said = Extent(extent.columns - 2 * TEXT_INSET, room)
        talk = indent(draw_talk(_omit_told_notes(scene), said, look), TEXT_INSET)
        lines += [*([] for _row in range(extent.rows - len(lines) - len(talk))), *talk]
    if not has_won(scene.match, scene.me):
        return fit(lines, extent)
    colours = scene.match.rules.palette[: scene.match.rules.colours]
    return draw_confetti(
        lines, extent, look, colours, scene.match_code, scene.moment.fallen_seconds
    )


def _omit_told_notes(scene: Scene) -> Scene:
    """Return the scene without the notes that the end of a match has in its text."""
    told = describe_match_end(scene.match, scene.me)
    return replace(scene, notes=[note for note in scene.notes if note.text != told])


def draw_ending_below(scene: Scene, extent: Extent, look: Look) -> list[Line]:
    """Return the end of a round or match for the rows below the guesses."""
    draw = _draw_round_end_below if scene.between_rounds else _draw_match_end_below
    return draw(scene, extent, look)


def _stack_blocks(rows: int, *blocks: Sequence[Line]) -> list[Line]:
    """Return the blocks one below another, with a blank row between them if there is room.

    Empty blocks after the first are dropped.
    """
    first, *others = blocks
    return stack([first, *(block for block in others if block)], rows, 1)


# Between two rounds.


def _draw_round_end(scene: Scene, extent: Extent, look: Look) -> list[Line]:
    match, me, columns = scene.match, scene.me, extent.columns
    inner = columns - 2 * TEXT_INSET
    head = indent(wrap(format_round_heading(match), inner, "class:strong"), TEXT_INSET)
    happened = indent(wrap(describe_last_round(match, me), inner), TEXT_INSET)
    coming = indent(wrap(describe_next_round(match, me), inner, "class:strong"), TEXT_INSET)
    stakes = indent(wrap(describe_stakes(match, me), inner), TEXT_INSET)
    rule = draw_rule(columns, look.glyphs)
    score, names = _draw_score(scene, columns, look)
    plain = _draw_plain_score(scene, columns)
    head, happened, above, score, below, coming, stakes = fit_parts(
        extent.rows,
        [
            (6, [head, head[: extent.rows]]), (5, [happened]), (1, [[rule]]),
            (3, [[*score, [], names], [*score, names], [plain]]),
            (1, [[rule]]), (4, [coming]), (2, [stakes]),
        ],
    )  # fmt: skip
    return _stack_blocks(extent.rows, head, happened, above, score, below, [*coming, *stakes])


def _summarise_end(scene: Scene) -> str:
    """Return the result of the last round in one line."""
    match = scene.match
    return f"{format_round_heading(match)}. {describe_last_round(match, scene.me)}".replace(
        "\n", " "
    )


def _draw_round_end_below(scene: Scene, extent: Extent, _look: Look) -> list[Line]:
    match, me, columns = scene.match, scene.me, extent.columns
    happened = _centre(_summarise_end(scene), columns, "class:strong")
    coming = _centre(f"{describe_next_round(match, me)} {describe_stakes(match, me)}", columns)
    score = [_draw_plain_score(scene, columns)]
    happened, score, coming = fit_parts(
        extent.rows, [(1, [happened]), (2, [score]), (3, [coming, coming[: extent.rows]])]
    )
    return _stack_blocks(extent.rows, [], happened, score, coming)


def _draw_score(scene: Scene, columns: int, look: Look) -> tuple[list[Line], Line]:
    """Return the points of both players in large digits, and the line with their names.

    The larger number is bold.
    """
    points, names = zip(*_list_points(scene), strict=True)
    styles = ["class:strong" if mine >= max(points) else "class:dim" for mine in points]
    left, right = (
        draw_digits(str(mine), look, style) for mine, style in zip(points, styles, strict=True)
    )
    colon = draw_digits(":", look)
    gap = ("", " " * SCORE_GAP)
    colon_at = columns // 2
    score: list[Line] = []
    for row in range(DIGIT_ROWS):
        before = colon_at - SCORE_GAP - width(left[row])
        score.append([("", " " * before), *left[row], gap, *colon[row], gap, *right[row]])
    middles = (
        colon_at - SCORE_GAP - (width(left[0]) + 1) // 2,
        colon_at + 1 + SCORE_GAP + width(right[0]) // 2,
    )
    return score, _draw_names(names, middles, columns, look)


def _draw_names(names: Sequence[str], middles: tuple[int, int], columns: int, look: Look) -> Line:
    """Return a line with two names. If there is room, they are centred at the columns `middles`."""
    room = columns // 2 - TEXT_INSET
    left, right = (crop(text(name), room, look.glyphs.ellipsis) for name in names)
    first = min(max(TEXT_INSET, middles[0] - width(left) // 2), TEXT_INSET + room - width(left))
    second = max(columns // 2 + 1, middles[1] - width(right) // 2)
    second = min(second, columns - TEXT_INSET - width(right))
    return [("", " " * first), *left, ("", " " * (second - first - width(left))), *right]


def _draw_plain_score(scene: Scene, columns: int) -> Line:
    (left, name), (right, other) = _list_points(scene)
    style = ("class:dim", "class:strong")
    line: Line = [
        ("", f"{name} "), (style[left >= right], str(left)), ("class:strong", " : "),
        (style[right >= left], str(right)), ("", f" {other}"),
    ]  # fmt: skip
    return centre([line], columns)[0]


def _list_points(scene: Scene) -> list[tuple[int, str]]:
    """Return the points and the name of both players. The last round's codemaker is first."""
    match = scene.match
    last = match.played[-1]
    ids = (last.maker, last.breaker)
    return [(match.points_of(player), find_name(match, player, mark_bot=False)) for player in ids]


# The result.


def _draw_match_end(scene: Scene, extent: Extent, look: Look) -> list[Line]:
    columns = extent.columns
    head, middle = _draw_result_texts(scene, columns)
    if _has_score(scene):
        score, names = _draw_score(scene, columns, look)
        middle = [*score, [], names]
    rule = draw_rule(columns, look.glyphs)
    bars, share = (
        _draw_record_chart(scene, columns, look),
        draw_result_to_copy(scene, columns, look),
    )
    bars = [rule, *bars] if bars else []
    share = [rule, *share] if share else []
    blank: list[Line] = [[] for _row in range(RESTING_CONFETTI_ROWS + 1)]
    above, head, middle, bars, share = fit_parts(
        extent.rows,
        [
            (1, [blank, blank[:1]]), (5, [head, head[: extent.rows]]), (4, [middle]),
            (3, [bars]), (2, [share]),
        ],
    )  # fmt: skip
    room = extent.rows - len(above)
    return [*above, *_stack_blocks(room, head, middle, [*bars, *share])]


def _draw_match_end_below(scene: Scene, extent: Extent, look: Look) -> list[Line]:
    columns = extent.columns
    head, middle = _draw_result_texts(scene, columns)
    score = [_draw_plain_score(scene, columns)] if _has_score(scene) else []
    bars, share = (
        _draw_record_chart(scene, columns, look),
        draw_result_to_copy(scene, columns, look),
    )
    head, score, middle, bars, share = fit_parts(
        extent.rows,
        [
            (5, [head, head[: extent.rows]]), (4, [score]), (3, [middle]), (2, [bars]),
            (1, [share]),
        ],
    )  # fmt: skip
    return _stack_blocks(extent.rows, [], [*head, *score, *middle], bars, share)


def _draw_result_texts(scene: Scene, columns: int) -> tuple[list[Line], list[Line]]:
    """Return the lines about the result of the match, and those that compare it with our record."""
    match, me = scene.match, scene.me
    record = scene.record or Record()
    head = _centre(format_headline(match, me, record), columns, "class:strong")
    head += _centre(describe_match_end(match, me), columns) + _centre(scene.wins, columns)
    head += _centre(describe_rating_change(match, me), columns)
    return head, _centre(compare_with_record(match, me, record), columns)


def _has_score(scene: Scene) -> bool:
    """Return whether the match was decided by points."""
    match = scene.match
    return match.opened.rounds > 1 and match.outcome is not None and bool(match.played)


def _draw_record_chart(scene: Scene, columns: int, look: Look) -> list[Line]:
    """Return the chart of the player's record, in which this match is marked.

    Return no lines without earlier games.
    """
    match = scene.match
    tries = list_tries(match.played, scene.me)
    if scene.record is None or not scene.record.games or not tries:
        return []
    record = scene.record.add(tries)
    heading = text(format_record_heading(record, match.rules.name), "")
    chart = draw_chart(record, columns, look, marked=tries[-1])
    return [
        *indent([crop(heading, columns - 2 * TEXT_INSET, look.glyphs.ellipsis)], TEXT_INSET),
        *chart,
    ]


def draw_result_to_copy(scene: Scene, columns: int, look: Look) -> list[Line]:
    """Return the text that the copy key copies: the game, and the marks of each guess."""
    match, inner = scene.match, columns - 2 * TEXT_INSET
    glyphs = look.glyphs
    marks = Marks(glyphs.black, glyphs.white, glyphs.hole, glyphs.hole)
    rounds = [played for played in match.played if played.turns]
    lines: list[Line] = []
    if match.opened.rounds == 1:
        heads = [format_round_title(match, played, marks) for played in rounds]
    else:
        heads = [format_round_score(match, played) for played in rounds]
        lines = wrap(format_game(match.rules), inner) if rounds else []
    for head, played in zip(heads, rounds, strict=True):
        rows = [format_marks(turn.feedback, match.rules, marks) for turn in played.turns]
        lines += wrap(head, inner) + [text(line) for line in join_items(rows, inner, " ")]
    return indent(lines, TEXT_INSET)


def _centre(words: str, columns: int, style: str = "") -> list[Line]:
    """Return a text as lines centred in `columns`, with at least two words in the last line."""
    if not words:
        return []
    inner = columns - 2 * TEXT_INSET
    lines = wrap(words, inner, style)
    for narrower in range(inner - 1, 0, -1):
        if len(lines) == 1 or " " in lines[-1][0][1]:
            break
        tried = wrap(words, narrower, style)
        if len(tried) > len(lines):
            break
        lines = tried
    return [line for each in lines for line in centre([each], columns)]
