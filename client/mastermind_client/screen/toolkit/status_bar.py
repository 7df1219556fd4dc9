"""The last rows of every screen: notices and key hints. Also the background tasks of an app."""

from __future__ import annotations

import asyncio
from itertools import filterfalse
from typing import TYPE_CHECKING

from prompt_toolkit.utils import get_cwidth

from mastermind_client.language import gettext as _
from mastermind_client.screen.toolkit.keys import leads_out, list_key_hints
from mastermind_client.screen.toolkit.lines import (
    Extent,
    Line,
    centre,
    crop,
    make_clickable,
    pad,
    text,
    width,
    wrap,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from mastermind_client.clock import TimerClock
    from mastermind_client.screen.toolkit.keys import Binding
    from mastermind_client.screen.toolkit.lines import Glyphs

NOTICE_SECONDS = 4.0  # twice the reading time of a short sentence
IMPORTANT_SECONDS = 60.0  # of a notice that concerns all players: they may be thinking
LETTERS_PER_SECOND = 8  # half the reading speed, for longer sentences


class Notice:
    """The current notice of the app. `changed` is called when it changes."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self.text = ""
        self._is_error = False
        self._timer: asyncio.TimerHandle | None = None

    @property
    def style(self) -> str:
        """The style class of the notice."""
        return "class:error" if self._is_error else "class:notice"

    def show(self, text: str, clock: TimerClock, *, important: bool = False) -> None:
        """Show a notice as long as reading it takes, and longer if it is `important`.

        Keys do not remove it.
        """
        self._set(text)
        least = IMPORTANT_SECONDS if important else NOTICE_SECONDS
        seconds = max(least, len(text) / LETTERS_PER_SECOND)
        self._timer = clock.call_later(seconds, self.clear)

    def show_error(self, text: str) -> None:
        """Show an error until `clear_error`."""
        self._set(text, is_error=True)

    def clear_error(self) -> None:
        """Remove the notice if it is an error."""
        if self._is_error:
            self.clear()

    def clear(self) -> None:
        """Remove the notice."""
        self._set("")

    def _set(self, text: str, *, is_error: bool = False) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self.text, self._is_error, self._timer = text, is_error, None
        self._changed()


FULL_TEXT_COLUMNS = 30  # in fewer columns the message has only the needed size
SMALL_WINDOW_TEXT_COLUMNS = 42  # most columns of the message that the window is too small
HINT_GAP = "  "  # between the hints of two keys
MAX_NOTICE_ROWS = 6  # rows of the longest notice in the smallest window


def draw_notice(words: str, style: str, columns: int, glyphs: Glyphs) -> list[Line]:
    """Return a notice in as many rows as it needs, at most MAX_NOTICE_ROWS."""
    rows = wrap(words, columns, style)
    if len(rows) > MAX_NOTICE_ROWS:
        last = [*rows[MAX_NOTICE_ROWS - 1], (style, " "), *rows[MAX_NOTICE_ROWS]]
        rows[MAX_NOTICE_ROWS - 1 :] = [crop(last, columns, glyphs.ellipsis)]
    return rows


def draw_hints(
    active: Sequence[Binding],
    everywhere: Sequence[Binding],
    columns: int,
    glyphs: Glyphs,
) -> Line:
    """Return the hints of the `active` keys, which can be clicked.

    The screen's own keys are at the left. The key that leaves the screen and the keys that work
    `everywhere` have their places at the right, also while some of them are not active. Without
    room, the last of the own keys are dropped.
    """
    of_screen = [key for key in active if key not in everywhere]
    right = _draw_keys(list(filter(leads_out, of_screen)), columns, glyphs)
    for key in everywhere:
        if hint := _draw_keys([key], columns, glyphs):
            blank = [("", " " * width(hint))]
            right += [("", HINT_GAP), *(hint if key in active else blank)]
    own = list(filterfalse(leads_out, of_screen))
    left = _draw_keys(own, columns - width(right) - len(HINT_GAP), glyphs)
    return crop([*pad(left, columns - width(right)), *right], columns)


def draw_too_small(window: Extent, needed: Extent, asked: Sequence[Line] = ()) -> list[Line]:
    """Return the size of the window and the needed size, with the open question `asked` below."""
    sizes = [
        (_("this window"), f"{window.columns} x {window.rows}"),
        (_("needed"), f"{needed.columns} x {needed.rows}"),
    ]
    label, size = (max(get_cwidth(each) for each in column) for column in zip(*sizes, strict=True))
    comfort = _(
        "Nothing is lost. Make the window larger, or the letters smaller (often Ctrl and -)."
    )
    lines: list[Line] = [
        text(_("A little more room, please"), "class:strong"),
        [],
        *([*pad(text(name), label + 3), *pad(text(value), size)] for name, value in sizes),
        [],
        *wrap(comfort, min(SMALL_WINDOW_TEXT_COLUMNS, window.columns)),
    ]
    room = Extent(FULL_TEXT_COLUMNS, len(lines) + (1 + len(asked) if asked else 0))
    if window.columns < room.columns or window.rows < room.rows:
        template = _("{columns} x {rows} needed")
        lines = [text(template.format(columns=needed.columns, rows=needed.rows))]
    below = [[], *asked] if asked else []
    above = max(0, (window.rows - len(lines) - len(below) + 1) // 2)
    middle = [
        part for line in lines for part in centre([crop(line, window.columns)], window.columns)
    ]
    return [*([] for _row in range(above)), *middle, *below]


def _draw_keys(table: Sequence[Binding], columns: int, glyphs: Glyphs) -> Line:
    """Return the hints of the first keys that fit into `columns`."""
    line: Line = []
    for label, does, act in list_key_hints(table, glyphs):
        hint: Line = [("class:key", HINT_GAP + label if line else label), ("", f" {does}")]
        if width(line) + width(hint) <= columns:
            line += hint if act is None else make_clickable(hint, act)
    return line


class BackgroundTasks:
    """The running tasks of one app.

    `report` shows an expected error to the user and returns True. It returns False for a bug,
    which is then passed to `fail`. `changed` is called when a task starts or ends.
    """

    def __init__(
        self,
        report: Callable[[Exception], bool],
        fail: Callable[[BaseException], None],
        changed: Callable[[], None],
    ) -> None:
        self._report, self._fail, self._changed = report, fail, changed
        self._labels: dict[asyncio.Task[None], str] = {}
        self._kept: set[asyncio.Task[None]] = set()

    @property
    def busy(self) -> bool:
        """Whether a task is running."""
        return bool(self._labels)

    @property
    def label(self) -> str:
        """The first label of the running tasks that have one, otherwise an empty text."""
        return next((label for label in self._labels.values() if label), "")

    def spawn(
        self, work: Coroutine[object, object, None], label: str = "", *, keep: bool = False
    ) -> asyncio.Task[None]:
        """Start a task and return it. The caller can cancel the task.

        `label` describes the work to the user. If `keep`, `close` waits for the task.
        """
        task = asyncio.create_task(self._guard(work))
        self._labels[task] = label
        if keep:
            self._kept.add(task)
        task.add_done_callback(self._end)
        task.add_done_callback(lambda _task: work.close())  # the task may never have started
        self._changed()
        return task

    async def close(self, seconds: float) -> None:
        """Cancel all tasks. Tasks with `keep` are cancelled only after `seconds`."""
        for task in self._labels.keys() - self._kept:
            task.cancel()
        if self._kept:
            await asyncio.wait(set(self._kept), timeout=seconds)
        for task in self._labels:
            task.cancel()
        await asyncio.gather(*self._labels, return_exceptions=True)

    async def _guard(self, work: Coroutine[object, object, None]) -> None:
        try:
            await work
        except Exception as error:
            if not self._report(error):
                raise

    def _end(self, task: asyncio.Task[None]) -> None:
        self._labels.pop(task, None)
        self._kept.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fail(error)
        self._changed()
