"""Overlays cover a screen and receive its keys: a question, a line prompt, or `TooSmall`.

The app has one stack of overlays. The help is the fourth kind of overlay, in its own module.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from mastermind_client.language import mark as N_
from mastermind_client.language import ngettext
from mastermind_client.screen.toolkit.frames import FRAME_MARGIN, draw_framed
from mastermind_client.screen.toolkit.keys import Key
from mastermind_client.screen.toolkit.lines import (
    Extent,
    Line,
    indent,
    join_items,
    lay_at,
    make_clickable,
    pad,
    text,
    width,
    wrap,
)
from mastermind_client.screen.toolkit.status_bar import draw_too_small

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.screen.toolkit.lines import Glyphs
    from mastermind_client.screen.toolkit.terminal import Terminal

MAX_CARD_COLUMNS = 51  # columns of a card: it fits into a board with tiles of five columns
MAX_LINE_CHARACTERS = 200  # characters of a typed line, unless its prompt has a lower limit
_ANSWER_GAP = 3  # columns between an answer and its explanation
_EXPLANATION_GAP = 3  # columns between two explanations of a typed line
_IGNORE_OTHER_KEYS = Key(("<any>",), "", lambda: None, first=True)


class CardRoom(NamedTuple):
    """The area for a card: its first column, its width, and the row below it."""

    left: int
    columns: int
    bottom: int


class OverlayAreas(NamedTuple):
    """The areas of a window for overlays.

    The help covers the `stage`, and a question is in the area `card`. The line prompt is in the row
    `row`, from the column `left`, and is `columns` wide. Its explanation is drawn above the row
    `above`, unless the screen itself draws it (`screen_explains`).
    """

    stage: Extent
    card: CardRoom = CardRoom(0, 0, 0)
    row: int = 0
    left: int = 0
    columns: int = 0
    above: int = 0
    screen_explains: bool = True


class Overlay:
    """A part that is drawn over a screen. The overlay with the highest `rank` receives the keys.

    `keys` are the overlay's own keys. `shared` is a slice of the keys that all screens have, and
    these keys work too. The app sets `close`, which closes the overlay.
    """

    rank: ClassVar[int] = 0
    shared: ClassVar[slice] = slice(0)
    keys: Sequence[Key] = ()
    close: Callable[[], None]

    def draw_over(self, lines: list[Line], room: OverlayAreas, glyphs: Glyphs) -> list[Line]:
        """Return the lines of the window with this overlay drawn over them."""
        raise NotImplementedError

    def is_obsolete(self) -> bool:
        """Return whether the overlay has no purpose any more. The app then closes it."""
        return False

    def on_close(self) -> None:
        """Release the overlay's resources."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a question: its label, an explanation of its consequence, and its callback."""

    label: str
    about: str
    act: Callable[[], object]


class Card(Overlay):
    """A question with its answers. The card closes when `when` returns False.

    The first answer must change nothing: it is selected at first, and Esc chooses it.
    """

    rank = 2
    shared = slice(-1, None)

    def __init__(
        self, title: str, *answers: Answer, when: Callable[[], bool] = lambda: True
    ) -> None:
        self.title, self.answers, self._when = title, answers, when
        self.selected = 0
        self._label_columns = max(width(text(answer.label)) for answer in answers) + _ANSWER_GAP
        self.keys = (
            Key(("enter",), N_("give this answer"), self._press, short=N_("do it")),
            Key(("up",), N_("the answer before"), lambda: self._move(-1)),
            Key(
                ("down", "tab"), N_("the next answer"), lambda: self._move(1),
                short=N_("choose"), hinted=("up", "down"),
            ),
            Key(
                ("escape",),
                N_("the first answer, which changes nothing"),
                lambda: self._give(self.answers[0]),
                short=self.answers[0].label.lower(),
            ),
            Key(("<any>",), "", lambda: None),
        )  # fmt: skip

    def is_obsolete(self) -> bool:
        """Return whether the question is no longer valid."""
        return not self._when()

    def draw_over(self, lines: list[Line], room: OverlayAreas, glyphs: Glyphs) -> list[Line]:
        """Return the lines with the card at the bottom of its area."""
        left, columns, bottom = room.card
        drawn = self.draw(glyphs, Extent(columns, bottom))
        wide = width(drawn[0])
        corner = Extent(left + (columns - wide) // 2, max(0, bottom - len(drawn)))
        return lay_at(lines, drawn, corner, wide)

    def draw(self, glyphs: Glyphs, extent: Extent) -> list[Line]:
        """Return the lines of the card. It has blank lines between the answers if they fit."""
        columns = min(MAX_CARD_COLUMNS, extent.columns)
        drawn = [
            self._draw_answer(number, columns - 2 * FRAME_MARGIN, glyphs)
            for number in range(len(self.answers))
        ]
        airy: list[Line] = [line for answer in drawn for line in ([], *answer)]
        dense = [line for answer in drawn for line in answer]
        body = airy if len(airy) <= extent.rows - 2 else dense
        return draw_framed(body, columns, glyphs, title=text(self.title, "class:heading"))

    def draw_plain(self, glyphs: Glyphs, columns: int) -> list[Line]:
        """Return the question and the labels of its answers, for a too small window."""
        lines = wrap(self.title, columns, "class:strong")
        for number, answer in enumerate(self.answers):
            mark = glyphs.selected if number == self.selected else " "
            lines.append(text(f"{mark} {answer.label}", self._style(number)))
        return lines

    def _draw_answer(self, number: int, columns: int, glyphs: Glyphs) -> list[Line]:
        answer, style = self.answers[number], self._style(number)
        mark = glyphs.selected if number == self.selected else " "
        indent = 2 + self._label_columns
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
        self.close()
        answer.act()


@dataclass(eq=False)
class LinePrompt(Overlay):
    """A prompt for a line of at most `limit` characters.

    The initial `text` is selected, so typing replaces it. If the user has typed the text (`begun`),
    typing continues it. `accept` receives the line without blanks at its ends, and returns None or
    the reason why the line is invalid. `decline` is called if the user cancels. The `explanation`
    is displayed above the line.
    """

    rank = 3

    label: str
    accept: Callable[[str], str | None]
    text: str = ""
    limit: int = MAX_LINE_CHARACTERS
    explanation: Sequence[str] = ()
    decline: Callable[[], None] = lambda: None
    begun: bool = False

    def begin(
        self, terminal: Terminal, show_reason: Callable[[str], None], end: Callable[[], None]
    ) -> None:
        """Open the prompt on the terminal.

        `show_reason` displays why a line is invalid, and `end` ends the client.
        """

        def accept() -> None:
            if reason := self.submit(terminal.read_line()):
                show_reason(reason)
            else:
                self.close()

        def decline() -> None:
            self.close()
            self.decline()

        self._terminal = terminal
        self.keys = (
            Key(("enter",), N_("give this line"), accept, short=N_("done")),
            Key(("escape", "c-c"), N_("cancel typing"), decline, short=N_("cancel")),
            Key(("f10", "c-q"), N_("end the program"), end),
        )
        terminal.begin_line(self.label, self.text, begun=self.begun)

    def submit(self, words: str) -> str | None:
        """Pass the typed line to `accept`, and return the reason why it is invalid, or None."""
        line = _tidy(words)
        return self._describe_excess(line) or self.accept(line)

    def _describe_excess(self, line: str) -> str:
        """Return that the line is too long, or ""."""
        if len(line) <= self.limit:
            return ""
        return ngettext(
            "That has {length} characters, and {limit} is the most.",
            "That has {length} characters, and {limit} are the most.",
            self.limit,
        ).format(length=len(line), limit=self.limit)

    def draw_over(self, lines: list[Line], room: OverlayAreas, glyphs: Glyphs) -> list[Line]:  # noqa: ARG002
        """Return the lines with an empty row for the typed line, and the explanation above it."""
        self._terminal.place_line(room.row, room.left, room.columns)
        shown = [] if room.screen_explains else self.explain(room.columns)
        lines[room.row] = []
        lines[max(0, room.above - len(shown)) : room.above] = indent(shown, room.left)
        return lines

    def explain(self, columns: int) -> list[Line]:
        """Return the explanation, or that the typed line is too long, in lines of `columns`."""
        if excess := self._describe_excess(_tidy(self._terminal.read_line())):
            return wrap(excess, columns, "class:error")
        return [
            text(line) for line in join_items(self.explanation, columns, " " * _EXPLANATION_GAP)
        ]

    def on_close(self) -> None:
        """Close the line on the terminal."""
        self._terminal.end_line()


def _tidy(words: str) -> str:
    """Return a line without control characters, and without blanks at its ends."""
    return "".join(letter if letter.isprintable() else " " for letter in words).strip()


class TooSmall(Overlay):
    """Covers a window that is smaller than `needed`.

    Only `keys` work. `card` is the open question, or None. If the window is large enough for the
    question's answers, the question's keys work too.
    """

    rank = 4

    def __init__(self, needed: Extent, keys: Sequence[Key], card: Card | None) -> None:
        self._needed, self._card = needed, card
        self._own = tuple(replace(key, first=True) for key in keys)

    def is_obsolete(self) -> bool:
        """Return True. Each drawing adds the overlay again while the window is too small."""
        return True

    def draw_over(self, lines: list[Line], room: OverlayAreas, glyphs: Glyphs) -> list[Line]:  # noqa: ARG002
        """Return the message with the needed size, and the open question below the message."""
        window, card = room.stage, self._card
        asked = [] if card is None else card.draw_plain(glyphs, window.columns)
        drawn = draw_too_small(window, self._needed, asked)
        answerable = card is not None and len(drawn) <= window.rows
        taken = card.keys if card is not None and answerable else (_IGNORE_OTHER_KEYS,)
        self.keys = (*self._own, *taken)
        return drawn
