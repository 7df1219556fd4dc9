"""The drawing of the helper: title, board, texts beside or below it, and the turn line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec import structs
from prompt_toolkit.utils import get_cwidth

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.messages.codes import format_pegs, label_key_pegs, prefer_letters_in
from mastermind_client.messages.failures import describe_failure
from mastermind_client.messages.solving.sentences import (
    describe_corrections,
    describe_left,
    name_puzzle_rules,
)
from mastermind_client.screen.match.layout import SIDE_GAP, TEXT_INSET
from mastermind_client.screen.match.side import inset_line
from mastermind_client.screen.match.turn_line import TurnText, describe_symbols, spell_number
from mastermind_client.screen.match.view import LONG_TITLE_COLUMNS
from mastermind_client.screen.pages.solving.board import SolvingBoard, draw_draft
from mastermind_client.screen.pages.solving.codes import draw_codes
from mastermind_client.screen.pages.solving.layout import ROWS_BELOW
from mastermind_client.screen.pages.solving.side import (
    draw_below,
    draw_parts,
    list_known_parts,
    make_advice_part,
    make_correction_part,
    wrap_part,
)
from mastermind_client.screen.toolkit.lines import (
    Extent,
    Line,
    crop,
    fit,
    indent,
    side_by_side,
    spread,
    text,
    width,
    wrap,
)
from mastermind_protocol.match import find_excluded_colours

if TYPE_CHECKING:
    from mastermind_client.screen.match.board import RowClicks
    from mastermind_client.screen.match.layout import Layout
    from mastermind_client.screen.pages.solving.codes import CodePage
    from mastermind_client.screen.pages.solving.draft import Draft
    from mastermind_client.screen.theme import Look
    from mastermind_protocol.errors import MastermindError
    from mastermind_protocol.messages import PositionAnalysis
    from mastermind_protocol.requests import Measure

LABEL_COLUMNS = 12  # columns of the label in the turn line, with the blanks around it


@dataclass(frozen=True, slots=True)
class SolvingScene:
    """The helper as a value.

    `analysis` is that of the position in the draft, or None before it is known. `correction` is the
    index of the chosen correction, or None without one, and `corrects` whether Enter takes it.
    `codes` is the open page of codes. `error` is why the bot makes no guess.
    """

    draft: Draft
    by: Measure
    bot: str | None = None
    analysis: PositionAnalysis | None = None
    correction: int | None = None
    corrects: bool = False
    is_slow: bool = False
    is_stopped: bool = False
    error: MastermindError | None = None
    codes: CodePage | None = None
    marks_excluded: bool = True

    @property
    def doubted(self) -> int | None:
        """The index of the turn that the chosen correction changes, or None."""
        if self.correction is None or self.analysis is None:
            return None
        return self.analysis.corrections[self.correction].turn - 1


def draw_solving(scene: SolvingScene, layout: Layout, look: Look, clicks: RowClicks) -> list[Line]:
    """Return the lines of the helper, in the size of the layout's room."""
    columns = layout.columns
    shown = _draw_board(scene, layout, look, clicks)
    if layout.side is not None:
        shown = side_by_side(
            shown, _draw_beside(scene, layout.side, look), layout.board.columns, " " * SIDE_GAP
        )
    else:
        room = Extent(columns - 2 * TEXT_INSET, ROWS_BELOW)
        shown += [inset_line(line, columns) for line in fit(_draw_below(scene, room, look), room)]
    lines: list[Line] = [
        *([] for _row in range(layout.top)),
        draw_solving_title(_list_terms(scene), _describe_left(scene), columns, look),
        *shown,
        draw_label_line(describe_step(scene, look), columns, look),
    ]
    return indent(fit(lines, Extent(columns, layout.room.rows)), layout.left)


def draw_solving_title(terms: list[str], right: str, columns: int, look: Look) -> Line:
    """Return the title line: the terms from the left, and a text at the right end."""
    inner = columns - 2 * TEXT_INSET
    left: Line = (
        [("class:strong", "Mastermind"), ("", "  ")] if columns >= LONG_TITLE_COLUMNS else []
    )
    left += text(f" {look.glyphs.hole} ".join(terms))
    ending = text(right, "class:strong")
    left = crop(left, inner - width(ending) - 1, look.glyphs.ellipsis)
    return inset_line(spread(left, ending, inner), columns)


def draw_label_line(turn: TurnText, columns: int, look: Look) -> Line:
    """Return the line below the board: a label and a sentence, cropped to `columns`."""
    style = "class:turn" if turn.can_act else "class:strong"
    line: Line = [(style, f" {turn.label} "), ("", f" {turn.words}")]
    return crop(line, columns, look.glyphs.ellipsis)


def exceeds_turn_line(words: str, layout: Layout) -> bool:
    """Return whether a sentence does not fit into the turn line beside its label."""
    return get_cwidth(words) > layout.columns - LABEL_COLUMNS


def _list_terms(scene: SolvingScene) -> list[str]:
    terms = [_("helper"), name_puzzle_rules(scene.draft.rules)]
    if scene.bot is not None:
        terms.append(_("{name} guesses").format(name=scene.bot))
    return terms


def _describe_left(scene: SolvingScene) -> str:
    return "" if scene.analysis is None else describe_left(scene.analysis)


def _draw_board(scene: SolvingScene, layout: Layout, look: Look, clicks: RowClicks) -> list[Line]:
    draft = scene.draft
    if scene.codes is not None:
        return draw_codes(scene.codes, draft.rules, layout, look)
    marked = scene.marks_excluded and not draft.locked
    excluded = find_excluded_colours(draft.turns, draft.rules) if marked else ()
    thinks = _describe_thinking(scene, look)
    board = SolvingBoard(draft.rules, layout, look, clicks)
    awaited = scene.analysis is None or scene.analysis.left
    waiting = thinks if awaited and scene.error is None and not scene.is_stopped else ""
    return draw_draft(board, draft, scene.doubted, look.glyphs.cross, excluded, waiting)


def _draw_beside(scene: SolvingScene, side: Extent, look: Look) -> list[Line]:
    analysis, rules = scene.analysis, scene.draft.rules
    columns = side.columns
    if (words := _describe_work(scene, look)) or analysis is None:
        return draw_parts([(1, [wrap_part(words, columns)])] if words else [], side, look)
    if not analysis.left:
        chosen = scene.correction or 0
        return draw_parts(
            [make_correction_part(analysis, chosen, rules, columns, look)], side, look
        )
    parts = list_known_parts(analysis, rules, columns)
    if _advises(scene):
        code = scene.draft.entry.code
        parts.insert(0, make_advice_part(analysis, scene.by, rules, side, look, code))
    return draw_parts(parts, side, look)


def _draw_below(scene: SolvingScene, room: Extent, look: Look) -> list[Line]:
    analysis, rules = scene.analysis, scene.draft.rules
    if (words := _describe_work(scene, look)) or analysis is None:
        return wrap(words, room.columns) if words else []
    if not analysis.left:
        if scene.correction is not None:
            chosen = analysis.corrections[scene.correction :]
            analysis = structs.replace(analysis, corrections=chosen)
        return wrap(describe_corrections(analysis, rules), room.columns, "class:strong")
    return draw_below(analysis, scene.by, rules, room, look, advises=_advises(scene))


def _describe_thinking(scene: SolvingScene, look: Look) -> str:
    told = _("{name} thinks {ellipsis}")
    return told.format(name=scene.bot, ellipsis=look.glyphs.ellipsis)


def _advises(scene: SolvingScene) -> bool:
    """Return whether the best guesses are shown: to a user who guesses."""
    return not scene.draft.locked and not scene.draft.is_solved


def _describe_work(scene: SolvingScene, look: Look) -> str:
    if scene.is_stopped:
        return _("Stopped. F2 searches on.")
    if scene.is_slow:
        return _("Counting {ellipsis} Esc stops it.").format(ellipsis=look.glyphs.ellipsis)
    return ""


def describe_step(scene: SolvingScene, look: Look) -> TurnText:
    """Return the label and the sentence of the turn line: the next step of the user."""
    draft, analysis = scene.draft, scene.analysis
    label = _("Guess {number}").format(number=draft.line + 1)
    if scene.codes is not None:
        return TurnText(_("Codes"), _("Tab or Esc shows the guesses again."))
    if draft.notice:
        return TurnText(label, draft.notice, can_act=True)
    if analysis is not None and not analysis.left and (scene.corrects or not draft.has_pegs):
        return _describe_contradiction(analysis)
    if draft.has_ended:
        code = format_pegs(draft.turns[-1].code, prefer_letters_in(draft.rules))
        words = ngettext(
            "It is {code}, found with {number} guess.",
            "It is {code}, found with {number} guesses.",
            len(draft.turns),
        )
        return TurnText(_("Solved"), words.format(code=code, number=len(draft.turns)))
    if draft.is_waiting:
        if scene.is_stopped:
            return TurnText(label, _("Stopped. F2 searches on."))
        if scene.error is not None:
            return TurnText(label, describe_failure(scene.error))
        return TurnText(label, _describe_thinking(scene, look))
    return TurnText(label, _describe_entry(scene), can_act=True)


def _describe_contradiction(analysis: PositionAnalysis) -> TurnText:
    label = _("No code fits")
    if not analysis.corrections:
        return TurnText(label, _("u takes back, e edits."), can_act=True)
    more = len(analysis.corrections) - 1
    if not more:
        return TurnText(label, _("Enter takes the change."), can_act=True)
    words = ngettext(
        "Enter takes the change, Tab shows {number} more.",
        "Enter takes the change, Tab shows {number} more.",
        more,
    )
    return TurnText(label, words.format(number=more), can_act=True)


def _describe_entry(scene: SolvingScene) -> str:
    draft, analysis = scene.draft, scene.analysis
    black, white = label_key_pegs(draft.rules)
    missing = draft.entry.pegs.count(None)
    if draft.is_answering:
        if draft.digits:
            return _("And how many {white}?").format(white=white)
        if draft.replaced is not None and not draft.locked:
            return _("Digits change the answer, Left the guess.")
        if scene.bot is not None:
            told = _("Your answer as two digits: {black}, {white}.")
            return told.format(black=black, white=white)
        return _("Now the answer as two digits: {black}, {white}.").format(black=black, white=white)
    if missing == draft.rules.pegs:
        if analysis is not None and analysis.left == 1 and not analysis.estimated:
            return _("Only one code is left: F3 takes it.")
        return _("Type a guess, then its answer as two digits.")
    if missing:
        template = ngettext(
            "{number} more peg: {symbols}.", "{number} more pegs: {symbols}.", missing
        )
        symbols = describe_symbols(draft.rules, many=missing > 1)
        words = template.format(number=spell_number(missing), symbols=symbols)
        return words[:1].upper() + words[1:]
    return _("Enter, then the answer as two digits.")
