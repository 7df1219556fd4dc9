"""The end of a round and of a match: a page in the side column, or below the guesses.

It says first what happened, then how it stands or compares, and then what is next or what may be
shown to others. Where rows are short the blank ones go first, then what is to be shown to others,
then the bars.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.screen.chart import draw_chart
from mastermind_client.screen.kit.frames import draw_rule
from mastermind_client.screen.kit.lines import (
    Extent,
    Line,
    crop,
    fit,
    join_items,
    text,
    width,
    wrap,
)
from mastermind_client.screen.look.digits import ROWS as DIGIT_ROWS
from mastermind_client.screen.look.digits import draw_digits
from mastermind_client.screen.match.talk import draw_talk
from mastermind_client.screen.motion.confetti import RESTING_ROWS, scatter
from mastermind_client.screen.motion.motion import has_won
from mastermind_client.statistics import Record
from mastermind_client.words.players import find_call
from mastermind_client.words.results import compare, describe_end, write_headline
from mastermind_client.words.rounds import head_round, tell_next, tell_round, tell_stakes
from mastermind_client.words.share import Marks, draw_marks, name_game, score_round
from mastermind_client.words.share import head_round as head_share
from mastermind_client.words.statistics import head_record
from mastermind_protocol.match import count_tries

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mastermind_client.screen.look import Look
    from mastermind_client.screen.scene.scene import Scene

LEAST_TALK = 4  # rows that have to be left below a page for the talk
INSET = 1  # columns that are left free on either side of words
SCORE_COLUMNS = 3  # between the large digits of two players, on either side of the colon


def draw_ending(scene: Scene, extent: Extent, look: Look) -> list[Line]:
    """Return the page that takes the side column at the end of a round or of the match.

    Where it leaves room the talk goes on below it.
    """
    draw = _draw_between if scene.between_rounds else _draw_result
    lines = draw(scene, extent, look)
    room = extent.rows - len(lines) - 1
    if room >= LEAST_TALK:
        talk = _inset(draw_talk(scene, Extent(extent.columns - 2 * INSET, room), look))
        lines += [*([] for _row in range(extent.rows - len(lines) - len(talk))), *talk]
    if not has_won(scene.match, scene.me):
        return fit(lines, extent)
    colours = scene.match.rules.palette[: scene.match.rules.colours]
    return scatter(lines, extent, look, colours, scene.code, scene.moment.fallen)


def draw_ending_below(scene: Scene, extent: Extent, look: Look) -> list[Line]:
    """Return the page as it stands below the guesses, in the board's frame."""
    draw = _draw_between_below if scene.between_rounds else _draw_result_below
    return draw(scene, extent, look)


def _choose(rows: int, *layouts: Sequence[Line]) -> list[Line]:
    """Return the first layout that fits into so many rows, or what fits of the last one."""
    fitting = (layout for layout in layouts if len(layout) <= rows)
    return list(next(fitting, layouts[-1][:rows]))


# Between two rounds.


def _draw_between(scene: Scene, extent: Extent, look: Look) -> list[Line]:
    match, me, columns = scene.match, scene.me, extent.columns
    inner = columns - 2 * INSET
    head = _inset(wrap(head_round(match), inner, "class:strong"))
    happened = _inset(wrap(tell_round(match, me), inner))
    coming = _inset(wrap(tell_next(match, me), inner, "class:strong"))
    stakes = _inset(wrap(tell_stakes(match, me), inner))
    rule = draw_rule(columns, look.glyphs)
    score, names = _draw_score(scene, columns, look)
    plain = _draw_plain_score(scene, columns)
    return _choose(
        extent.rows,
        [*head, [], *happened, [], rule, [], *score, [], names, [], rule, [], *coming, *stakes],
        [*head, *happened, rule, *score, names, rule, *coming, *stakes],
        [*head, *happened, rule, plain, rule, *coming, *stakes],
        [*head, *happened, plain, *coming],
    )


def _tell_end(scene: Scene) -> str:
    """Say in one line how the last round ended."""
    match = scene.match
    return f"{head_round(match)}. {tell_round(match, scene.me)}".replace("\n", " ")


def _draw_between_below(scene: Scene, extent: Extent, _look: Look) -> list[Line]:
    match, me, columns = scene.match, scene.me, extent.columns
    happened = _centre(_tell_end(scene), columns, "class:strong")
    coming = _centre(f"{tell_next(match, me)} {tell_stakes(match, me)}", columns)
    score = _draw_plain_score(scene, columns)
    return _choose(
        extent.rows,
        [[], *happened, [], score, [], *coming],
        [[], *happened, score, [], *coming],
        [*happened, score, *coming],
        [score, *coming],
        coming,
    )


def _draw_score(scene: Scene, columns: int, look: Look) -> tuple[list[Line], Line]:
    """Return the points in large digits, whoever has more bold, and the names below them."""
    points, names = zip(*_list_points(scene), strict=True)
    styles = ["class:strong" if mine >= max(points) else "class:dim" for mine in points]
    left, right = (
        draw_digits(str(mine), look, style) for mine, style in zip(points, styles, strict=True)
    )
    colon = draw_digits(":", look)
    gap = ("", " " * SCORE_COLUMNS)
    colon_at = columns // 2
    score: list[Line] = []
    for row in range(DIGIT_ROWS):
        before = colon_at - SCORE_COLUMNS - width(left[row])
        score.append([("", " " * before), *left[row], gap, *colon[row], gap, *right[row]])
    middles = (
        colon_at - SCORE_COLUMNS - (width(left[0]) + 1) // 2,
        colon_at + 1 + SCORE_COLUMNS + width(right[0]) // 2,
    )
    return score, _draw_names(names, middles, columns, look)


def _draw_names(names: Sequence[str], middles: tuple[int, int], columns: int, look: Look) -> Line:
    """Return two names, each with its middle in a column as far as there is room."""
    room = columns // 2 - INSET
    left, right = (crop(text(name), room, look.glyphs.ellipsis) for name in names)
    first = min(max(INSET, middles[0] - width(left) // 2), INSET + room - width(left))
    second = max(columns // 2 + 1, middles[1] - width(right) // 2)
    second = min(second, columns - INSET - width(right))
    return [("", " " * first), *left, ("", " " * (second - first - width(left))), *right]


def _draw_plain_score(scene: Scene, columns: int) -> Line:
    (left, name), (right, other) = _list_points(scene)
    style = ("class:dim", "class:strong")
    line: Line = [
        ("", f"{name} "), (style[left >= right], str(left)), ("class:strong", " : "),
        (style[right >= left], str(right)), ("", f" {other}"),
    ]  # fmt: skip
    return _centre_line(line, columns)


def _list_points(scene: Scene) -> list[tuple[int, str]]:
    """Return points and name of both players, whoever hid the last code first."""
    match = scene.match
    last = match.played[-1]
    ids = (last.maker, last.breaker)
    return [(match.points_of(player), find_call(match, player)) for player in ids]


# The result.


def _draw_result(scene: Scene, extent: Extent, look: Look) -> list[Line]:
    columns = extent.columns
    head, middle = _draw_words(scene, columns)
    if _has_score(scene):
        score, names = _draw_score(scene, columns, look)
        middle = [*score, [], names]
    rule = draw_rule(columns, look.glyphs)
    bars, share = _draw_bars(scene, columns, look), _draw_share(scene, columns, look)
    bars = [rule, *bars] if bars else []
    share = [rule, *share] if share else []
    above: list[Line] = [[] for _row in range(RESTING_ROWS + 1)]
    parted = [[], *middle] if middle else []
    close, told = [*head, *middle], [*head, *parted]
    return _choose(
        extent.rows,
        [*above, *told, [], *bars, *share],
        [*above, *told, *bars, *share],
        [*above, *close, *bars, *share],
        [[], *told, *bars, *share],
        [*close, *bars, *share],
        [*above, *told, *bars],
        [*close, *bars],
        [*above, *told],
        close,
        head,
    )


def _draw_result_below(scene: Scene, extent: Extent, look: Look) -> list[Line]:
    columns = extent.columns
    head, middle = _draw_words(scene, columns)
    score = [_draw_plain_score(scene, columns)] if _has_score(scene) else []
    bars, share = _draw_bars(scene, columns, look), _draw_share(scene, columns, look)
    words = [*head, *score, *middle]
    return _choose(
        extent.rows,
        [[], *words, [], *bars, *([[]] if bars else []), *share],
        [*words, *bars, *share],
        [[], *words, [], *bars],
        [*words, *bars],
        [[], *words, [], *share],
        [*words, *share],
        [[], *words],
        words,
        [*head, *score],
        head,
    )


def _draw_words(scene: Scene, columns: int) -> tuple[list[Line], list[Line]]:
    """Return the headline with what happened, and the sentence that compares, if there is one."""
    match, me = scene.match, scene.me
    record = scene.record or Record()
    head = _centre(write_headline(match, me, record), columns, "class:strong")
    head += _centre(describe_end(match, me), columns)
    return head, _centre(compare(match, me, record), columns)


def _has_score(scene: Scene) -> bool:
    """Tell whether points decided the match, or would have."""
    match = scene.match
    return match.opened.rounds > 1 and match.outcome is not None and bool(match.played)


def _draw_bars(scene: Scene, columns: int, look: Look) -> list[Line]:
    """Return how many of our games took so many guesses, this one marked; nothing of the first."""
    match = scene.match
    tries = count_tries(match.played, scene.me)
    if scene.record is None or not scene.record.games or not tries:
        return []
    record = scene.record.add(tries)
    heading = text(head_record(record, match.rules.name), "")
    chart = draw_chart(record, columns, look, marked=tries[-1])
    return [*_inset([crop(heading, columns - 2 * INSET, look.glyphs.ellipsis)]), *chart]


def _draw_share(scene: Scene, columns: int, look: Look) -> list[Line]:
    """Return what can be copied for others: what the game was, and the marks of each guess."""
    match, inner = scene.match, columns - 2 * INSET
    glyphs = look.glyphs
    marks = Marks(glyphs.black, glyphs.white, glyphs.hole, glyphs.hole)
    rounds = [played for played in match.played if played.turns]
    if match.opened.rounds == 1:
        heads = [head_share(match, played, marks) for played in rounds]
        lines = []
    else:
        heads = [score_round(match, played) for played in rounds]
        lines = [name_game(match.rules)] if rounds else []
    for head, played in zip(heads, rounds, strict=True):
        rows = [draw_marks(turn.feedback, match.rules, marks) for turn in played.turns]
        lines += [head, *join_items(rows, inner, " ")]
    return _inset(crop(text(line), inner, glyphs.ellipsis) for line in lines)


def _inset(lines: Iterable[Line]) -> list[Line]:
    return [[("", " " * INSET), *line] if line else [] for line in lines]


def _centre(words: str, columns: int, style: str = "") -> list[Line]:
    """Return words in the middle of so many columns; no word is alone in the last line."""
    if not words:
        return []
    inner = columns - 2 * INSET
    lines = wrap(words, inner, style)
    for narrower in range(inner - 1, 0, -1):
        if len(lines) == 1 or " " in lines[-1][0][1]:
            break
        tried = wrap(words, narrower, style)
        if len(tried) > len(lines):
            break
        lines = tried
    return [_centre_line(line, columns) for line in lines]


def _centre_line(line: Line, columns: int) -> Line:
    """Return a line in the middle of so many columns."""
    return [("", " " * max(0, (columns - width(line)) // 2)), *line]
