"""The introduction for a new player: how to play, and hints.

How to play is a page of its own, and the second page of the help where there are rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.messages.codes import describe_feedback, list_peg_symbols
from mastermind_client.messages.rules import (
    build_how_to_play,
    describe_rules,
    find_screen_hint,
    is_played_out,
)
from mastermind_client.screen.theme.tiles import FLAT, MID, NARROW, TALL, WIDE, TileShape, draw_tile
from mastermind_client.screen.toolkit.frames import FRAME_MARGIN, draw_framed
from mastermind_client.screen.toolkit.lines import Extent, Line, pad, text, width, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_client.config.settings import Settings
    from mastermind_client.messages.rules import Example, HowToPlay
    from mastermind_client.screen.theme import Look
    from mastermind_client.screen.toolkit.help import Help
    from mastermind_client.screen.toolkit.keys import Binding
    from mastermind_client.screen.toolkit.lines import Fragment
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Match
    from mastermind_protocol.rules import Rules

HOW_TO_PLAY_COLUMNS = 68  # a sentence is read at a glance
_LABEL_GAPS = 4  # columns before and behind a label, in front of the tiles
_ANSWER_GAP = "   "  # between the tiles and the answer
_ANSWER_INDENT = "   "  # in front of the answers, where there is room


def draw_how_to_play(rules: Rules, look: Look, extent: Extent) -> list[Line]:
    """Return the explanation of the game by these rules, with the largest tiles that fit.

    If no tiles fit, the blank rows are dropped and the sentences form one paragraph. The result can
    still have more rows than the extent.
    """
    told, columns = build_how_to_play(rules), min(extent.columns, HOW_TO_PLAY_COLUMNS)
    for rows in (TALL, MID, FLAT):
        lines = _draw_how_to_play(told, rows, look, columns, roomy=True)
        if len(lines) <= extent.rows:
            return lines
    return _draw_how_to_play(told, FLAT, look, columns, roomy=False)


def draw_help(
    help_: Help, keys: Sequence[Binding], rules: Rules | None, look: Look, extent: Extent
) -> list[Line]:
    """Return the open page of the help: how to play by `rules`, or the keys.

    If `rules` is None, the help has only the page of the keys.
    """
    if rules is None:
        return help_.draw_keys(keys, (), look.glyphs, extent)
    if not help_.lesson:
        return help_.draw_keys(keys, describe_rules(rules), look.glyphs, extent)
    inner = Extent(extent.columns - 2 * FRAME_MARGIN, extent.rows - 2)
    return help_.draw_lesson(draw_how_to_play(rules, look, inner), look.glyphs, extent)


def _draw_how_to_play(
    told: HowToPlay, tile_rows: int, look: Look, columns: int, *, roomy: bool
) -> list[Line]:
    gap: list[Line] = [[]] if roomy else []
    before, signs = _ANSWER_INDENT if roomy else " ", (look.glyphs.black, look.glyphs.white)
    answers: list[Line] = []
    for sign, answer in zip(signs, told.answers, strict=True):
        first, *others = wrap(answer, columns - len(before) - 3)
        answers.append([("", before), ("class:strong", sign), ("", "  "), *first])
        answers += [[("", " " * (len(before) + 3)), *line] for line in others]
    example = _draw_example(told.example, tile_rows, look, columns, gap)
    if not roomy:
        after = [" ".join((told.riddle, *told.end))]
        return [
            *_draw_sentences([" ".join(told.task)], columns),
            *answers,
            *_draw_sentences(after, columns),
            *example,
        ]
    return [
        *(*_draw_sentences(told.task, columns), []),
        *(*answers, []),
        *(*_draw_sentences([told.riddle], columns), []),
        *(*example, []),
        *_draw_sentences(told.end, columns),
    ]


def _draw_sentences(sentences: Sequence[str], columns: int) -> list[Line]:
    return [line for sentence in sentences for line in wrap(sentence, columns)]


def _draw_example(
    example: Example, tile_rows: int, look: Look, columns: int, gap: Sequence[Line]
) -> list[Line]:
    rules, feedback, inner = example.rules, example.feedback, columns - 2 * FRAME_MARGIN
    keys = look.draw_key_pegs(feedback, rules.pegs)
    answer: Line = [*keys, ("", f"  {describe_feedback(feedback, rules)}")]
    labels = _("the code"), _("a guess")
    before = max(width(text(label)) for label in labels) + _LABEL_GAPS
    spare = inner - before - len(_ANSWER_GAP) - width(answer)
    shape = TileShape(WIDE if rules.pegs * (WIDE + 1) - 1 <= spare else NARROW, tile_rows)
    earned = [("class:strong", look.glyphs.black), ("class:strong", look.glyphs.white)]
    earned += [("class:dim", look.glyphs.hole)] * (rules.pegs - len(earned))
    marks: Line = [("", " " * before)]
    for style, sign in earned:
        marks.append((style, f"{sign.center(shape.columns)} "))
    body = [
        *_draw_code(labels[0], before, example.secret, rules, shape, look),
        *gap,
        *_draw_code(labels[1], before, example.guess, rules, shape, look, answer),
        marks,
        *([("", " "), *line] for line in wrap(example.explain(), inner - 1)),
    ]
    return draw_framed(body, columns, look.glyphs, title=text(_("For example")))


def _draw_code(
    label: str,
    before: int,
    code: Code,
    rules: Rules,
    shape: TileShape,
    look: Look,
    answer: Sequence[Fragment] = (),
) -> list[Line]:
    """Return a code in tiles, with a label at the left and the answer at the right.

    The label takes `before` columns.
    """
    symbols = list_peg_symbols(rules)
    tiles = [
        draw_tile(rules.palette[colour], shape, look, letter=symbols[colour]) for colour in code
    ]
    lettered = 1 if shape.rows == TALL else 0
    lines = []
    for row in range(shape.rows):
        line = pad(text(f" {label}" if row == lettered else ""), before)
        for tile in tiles:
            line += [*tile[row], ("", " ")]
        if row == lettered and answer:
            line += [("", _ANSWER_GAP[1:]), *answer]
        lines.append(line)
    return lines


def find_hint(settings: Settings, match: Match, me: str, *, full: bool) -> str:
    """Return the hint for a first game in this state of the match, or an empty string.

    `full` is whether the user has filled the row.
    """
    if settings.introduction == "none":
        return ""
    return find_screen_hint(match, me, full=full)


def ends_hints(settings: Settings, match: Match, me: str) -> bool:
    """Return whether the hints are on, and end because the match was played to its end."""
    return settings.introduction != "none" and is_played_out(match, me)
