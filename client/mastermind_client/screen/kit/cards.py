"""A question as a card over a screen: answers to choose from, each with what it costs.

The first answer is the harmless one: it is selected at first, and Esc gives it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.language import mark as N_
from mastermind_client.screen.kit.frames import MARGIN, draw_framed
from mastermind_client.screen.kit.keys import Key
from mastermind_client.screen.kit.lines import (
    Extent,
    Line,
    lay_at,
    make_clickable,
    pad,
    text,
    width,
    wrap,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.screen.kit.lines import Glyphs

WIDEST = 51  # columns of a card: it fits into a board with tiles of five columns
_GAP = 3  # columns between an answer and what it costs


class CardRoom(NamedTuple):
    """Where a card may lie on a stage: from a column, so wide, and with its end above a row."""

    left: int
    columns: int
    bottom: int


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in a word or two, what it costs, and what it does."""

    label: str
    about: str
    act: Callable[[], object]


class Card:
    """A question with its answers; `end` puts it away, and `when` tells whether it still is one."""

    def __init__(
        self, title: str, *answers: Answer, when: Callable[[], bool] = lambda: True
    ) -> None:
        self.title, self.answers, self.when = title, answers, when
        self.selected = 0
        self._end: Callable[[], None] = lambda: None
        self._labels = max(width(text(answer.label)) for answer in answers) + _GAP

    def begin(self, end: Callable[[], None]) -> Sequence[Key]:
        """Ask: return the keys that answer, of which any calls `end` first."""
        self._end = end
        return (
            Key(("up",), N_("the answer before"), lambda: self._move(-1)),
            Key(
                ("down", "tab"), N_("the next answer"), lambda: self._move(1),
                short=N_("choose"), hinted=("up", "down"),
            ),
            Key(("enter",), N_("give this answer"), self._press, short=N_("do it")),
            Key(
                ("escape",),
                N_("the first answer, which changes nothing"),
                lambda: self._give(self.answers[0]),
                short=self.answers[0].label.lower(),
            ),
        )  # fmt: skip

    def draw(self, glyphs: Glyphs, extent: Extent) -> list[Line]:
        """Return the card, no larger than the extent; first it is given up to be airy."""
        columns = min(WIDEST, extent.columns)
        drawn = [
            self._draw_answer(number, columns - 2 * MARGIN, glyphs)
            for number in range(len(self.answers))
        ]
        airy: list[Line] = [line for answer in drawn for line in ([], *answer)]
        dense = [line for answer in drawn for line in answer]
        body = airy if len(airy) <= extent.rows - 2 else dense
        return draw_framed(body, columns, glyphs, title=text(self.title, "class:heading"))

    def draw_plain(self, glyphs: Glyphs, columns: int) -> list[Line]:
        """Return the question and its answers alone, for a window that has no room for more."""
        lines = wrap(self.title, columns, "class:strong")
        for number, answer in enumerate(self.answers):
            mark = glyphs.selected if number == self.selected else " "
            lines.append(text(f"{mark} {answer.label}", self._style(number)))
        return lines

    def _draw_answer(self, number: int, columns: int, glyphs: Glyphs) -> list[Line]:
        answer, style = self.answers[number], self._style(number)
        mark = glyphs.selected if number == self.selected else " "
        indent = 2 + self._labels
        lines = []
        for row, about in enumerate(wrap(answer.about, columns - indent, style)):
            begun = text(f"{mark} {answer.label}", style or "class:strong") if row == 0 else []
            line = pad([*pad(begun, indent, style), *about], columns, style)
            lines.append(make_clickable(line, lambda: self._give(answer)))
        return lines

    def _style(self, number: int) -> str:
        return "class:selected class:strong" if number == self.selected else ""

    def _move(self, by: int) -> None:
        self.selected = max(0, min(len(self.answers) - 1, self.selected + by))

    def _press(self) -> None:
        self._give(self.answers[self.selected])

    def _give(self, answer: Answer) -> None:
        self._end()
        answer.act()


def lay_card(below: Sequence[Line], card: Card, room: CardRoom, glyphs: Glyphs) -> list[Line]:
    """Return a stage with a card over the lower part of the room that is left for it."""
    drawn = card.draw(glyphs, Extent(room.columns, room.bottom))
    columns = width(drawn[0])
    left = room.left + (room.columns - columns) // 2
    return lay_at(below, drawn, Extent(left, max(0, room.bottom - len(drawn))), columns)
