"""The texts beside or below the board of the helper: the best guesses, places and colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from prompt_toolkit.utils import get_cwidth

from mastermind_client.language import gettext as _
from mastermind_client.messages.analysis import MEASURE_NAMES
from mastermind_client.messages.failures import write_sentence
from mastermind_client.messages.solving.sentences import (
    describe_colours,
    describe_correction,
    describe_corrections,
    describe_effect,
    describe_estimate,
    describe_places,
)
from mastermind_client.screen.match.layout import TEXT_INSET
from mastermind_client.screen.match.notes import draw_guess_measures
from mastermind_client.screen.match.rows import draw_small_code
from mastermind_client.screen.toolkit.frames import draw_rule
from mastermind_client.screen.toolkit.lines import (
    Extent,
    Line,
    crop,
    fit_parts,
    indent,
    join_items,
    text,
    width,
    wrap,
)

if TYPE_CHECKING:
    from mastermind_client.screen.theme import Look
    from mastermind_protocol.code import Code
    from mastermind_protocol.messages import Correction, PositionAnalysis
    from mastermind_protocol.requests import Measure
    from mastermind_protocol.rules import Rules

Part: TypeAlias = tuple[int, Sequence[Sequence[Line]]]
"""A part of the side column: its priority and its versions, the largest first."""

_GUESSES, _PLACES, _COLOURS = 3, 2, 1  # priorities: the larger one is drawn first
_PLACES_ROWS = 2  # above the rows of the places: a rule and the heading
_BETWEEN = "  "  # between short texts in one line
_MOST_CORRECTIONS = 8  # shown at once: the user takes one of the first


def draw_parts(parts: Sequence[Part], side: Extent, look: Look) -> list[Line]:
    """Return the parts that fit into the side column, with rules between them.

    The caller indents the parts.
    """
    rule = draw_rule(side.columns, look.glyphs)
    lines: list[Line] = []
    for part in filter(None, fit_parts(side.rows + 1, parts, gap=1)):
        lines += [rule] if lines else []
        lines += part
    return [crop(line, side.columns, look.glyphs.ellipsis) for line in lines]


def wrap_part(words: str, columns: int, style: str = "") -> list[Line]:
    """Return a text in the lines of a side column of this width."""
    return indent(wrap(words, columns - 2 * TEXT_INSET, style), TEXT_INSET)


def make_advice_part(
    analysis: PositionAnalysis, by: Measure, rules: Rules, side: Extent, look: Look,
    entered: Code | None,
) -> Part:  # fmt: skip
    """Return the best next guesses below a heading with the measure.

    They leave room for the places. The mark of the `entered` guess is in the indent.
    """
    ranking = _("by {measure}").format(measure=_(MEASURE_NAMES[by]))
    lines = indent(
        [text(_("Best next guesses"), "class:heading"), text(ranking, "class:dim")], TEXT_INSET
    )
    versions: list[list[Line]] = []
    for guess in analysis.guesses:
        effect = describe_effect(guess, by, estimated=analysis.estimated)
        marked = guess.code == entered
        lines += draw_guess_measures(guess, effect, rules, side.columns, look, marked=marked)
        versions.insert(0, [*lines])
    room = side.rows - (rules.pegs + _PLACES_ROWS)
    return _GUESSES, [each for each in versions if len(each) <= room] or versions[-1:]


def list_known_parts(analysis: PositionAnalysis, rules: Rules, columns: int) -> list[Part]:
    """Return the parts about places and colours."""
    if analysis.estimated:
        return [(_PLACES, [wrap_part(describe_estimate(rules), columns)])]
    columns -= 2 * TEXT_INSET
    if not analysis.places:
        return []
    places = [text(_("Places"), "class:heading")]
    for number, colours in enumerate(describe_places(analysis, rules), start=1):
        room = columns - len(f"{number}{_BETWEEN}")
        shown = colours if len(colours) <= room else colours.replace(" ", "")
        style = "class:strong" if len(shown) == 1 else ""
        places.append([("", f"{number}{_BETWEEN}"), (style, shown)])
    told = describe_colours(analysis, rules) if analysis.left > 1 else []
    colours_lines = [text(line) for line in told]
    versions = [
        indent(colours_lines[:rows], TEXT_INSET) for rows in range(len(colours_lines), 0, -1)
    ]
    return [(_PLACES, [indent(places, TEXT_INSET)]), (_COLOURS, versions)]


def make_correction_part(
    analysis: PositionAnalysis, chosen: int, rules: Rules, columns: int, look: Look
) -> Part:
    """Return the corrections below the heading that no code fits. `chosen` is an index."""
    if not analysis.corrections:
        return _GUESSES, [wrap_part(describe_corrections(analysis, rules), columns, "class:strong")]
    columns -= 2 * TEXT_INSET
    number = min(_MOST_CORRECTIONS, len(analysis.corrections))
    versions = [
        _draw_corrections(analysis.corrections, chosen, shown, rules, columns, look)
        for shown in range(number, 0, -1)
    ]
    return _GUESSES, [indent(version, TEXT_INSET) for version in versions]


def _draw_corrections(
    corrections: Sequence[Correction], chosen: int, shown: int, rules: Rules, columns: int,
    look: Look,
) -> list[Line]:  # fmt: skip
    """Return a number of corrections in sentences. The `chosen` one is among them."""
    lines = wrap(_("No code fits."), columns, "class:strong")
    first = max(0, chosen + 1 - shown)
    for index, correction in enumerate(corrections[first : first + shown], start=first):
        sentence = write_sentence(describe_correction(correction, rules))
        mark, style = (look.glyphs.selected, "class:strong") if index == chosen else (" ", "")
        told = wrap(sentence, columns - 2, style)
        lines += [[], *([("class:strong", f"{mark} "), *line] for line in told[:1])]
        lines += indent(told[1:], 2)
    return lines


def draw_below(
    analysis: PositionAnalysis, by: Measure, rules: Rules, extent: Extent, look: Look, *,
    advises: bool,
) -> list[Line]:  # fmt: skip
    """Return the texts below a board: the best guesses if it `advises`, places, and colours.

    The guesses have a heading if the columns have room for it.
    """
    columns, rows = extent
    if analysis.estimated:
        known = wrap(describe_estimate(rules), columns)
    else:
        letters = [place.replace(" ", "") for place in describe_places(analysis, rules)]
        places = [f"{number}:{each}" for number, each in enumerate(letters, start=1)]
        known = [text(line) for line in join_items(places, columns, _BETWEEN)]
        told = describe_colours(analysis, rules) if analysis.left > 1 else []
        colours = join_items(told, columns, _BETWEEN)
        known += [text(line) for line in colours[:1]]
    lines: list[Line] = []
    if advises:
        for guess in analysis.guesses[: max(1, rows - len(known))]:
            code = draw_small_code(guess.code, rules, look)
            effect = describe_effect(guess, by, estimated=analysis.estimated)
            chances = (
                (_("may be the code"), _("may be it"))
                if guess.possible
                else (_("cannot be the code"), _("cannot be it"))
            )
            effects = [f" {effect}, {chance}" for chance in chances]
            room = columns - width(code)
            shown = next((words for words in effects if get_cwidth(words) <= room), effects[-1])
            lines.append([*code, ("", shown)])
        heading = _("Best:") + " "
        indented = indent(lines, get_cwidth(heading))
        if lines and max(map(width, indented)) <= columns:
            lines = [[("class:heading", heading), *lines[0]], *indented[1:]]
    return [crop(line, columns, look.glyphs.ellipsis) for line in [*lines, *known]]
