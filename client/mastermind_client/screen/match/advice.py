"""Advice: the best of the next guesses, and what each leaves on average."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import Decimal, ngettext
from mastermind_client.language import gettext as _
from mastermind_client.screen.kit.lines import Extent, Line, crop, text, width
from mastermind_client.screen.look.tiles import draw_small

if TYPE_CHECKING:
    from mastermind_client.screen.look import Look
    from mastermind_client.screen.scene.scene import Scene
    from mastermind_protocol.messages import Advice, Weighed

ADVISED = 3  # guesses shown of an advice


def draw_advice(advice: Advice, scene: Scene, extent: Extent, look: Look) -> list[Line]:
    """Return an advice in place of record and talk."""
    lines = [text(f" {line}", "class:strong") for line in _head(advice)]
    for guess in advice.guesses[:ADVISED]:
        lines.append([])
        lines += _draw_guess(scene, guess, extent.columns, look)
    return [crop(line, extent.columns, look.glyphs.ellipsis) for line in lines]


def draw_advice_line(advice: Advice, scene: Scene, columns: int, look: Look) -> Line:
    """Return an advice in one line: the guess that is in the row, or else the best one."""
    guesses = advice.guesses
    found = next((guess for guess in guesses if guess.code == scene.entry.code), None)
    line = text(_count_left(advice), "class:strong")
    if guess := found or next(iter(guesses), None):
        line += [("", "  "), *_draw_code(scene, guess, look), ("", f" {_tell_left(guess)}")]
    return crop(line, columns, look.glyphs.ellipsis)


def _head(advice: Advice) -> list[str]:
    return [_count_left(advice), _("Best next guesses:")]


def _count_left(advice: Advice) -> str:
    left = advice.left
    return ngettext("{number} code fits.", "{number} codes fit.", left).format(number=left)


def _tell_left(guess: Weighed) -> str:
    return _("{number:.1f} left").format(number=Decimal(guess.size))


def _draw_guess(scene: Scene, guess: Weighed, columns: int, look: Look) -> list[Line]:
    """Return a guess, marked if it is in the row, with what it leaves and whether it may be it."""
    mark = look.glyphs.selected if guess.code == scene.entry.code else " "
    code: Line = [("class:strong", mark), *_draw_code(scene, guess, look)]
    left, may = _tell_left(guess), _("may be the code") if guess.possible else _("cannot be it")
    if width(code) + 1 + width(text(left)) <= columns:
        return [[*code, ("", f" {left}")], text(f" {may}")]
    return [code, text(f" {left}, {may}")]


def _draw_code(scene: Scene, guess: Weighed, look: Look) -> Line:
    rules = scene.match.rules
    return [piece for colour in guess.code for piece in draw_small(rules.palette[colour], look)]
