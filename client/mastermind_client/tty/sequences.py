r"""Keys from a terminal's input. An escape sequence that is no key is discarded whole.

A terminal also sends reports: replies to queries, changes of focus, and mouse reports of several
formats. Alt with a key is an Esc before it. prompt_toolkit knows a few of these sequences, and
takes each character of the others as a key. `SequenceParser` recognises all of them by the grammar
of ECMA-48:

    CSI   Esc [ parameters final      keys, focus, replies; Esc [ M and three characters: the mouse
    SS3   Esc O parameters final      keys
    text  Esc ] P X ^ or _, a text, and BEL or Esc \        replies: OSC, DCS, SOS, PM, APC
    Alt   Esc and any other character

A control character within a sequence breaks it off and is a key, so Ctrl-C works at any time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from prompt_toolkit.input.ansi_escape_sequences import ANSI_SEQUENCES
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.input.vt100_parser import Vt100Parser
from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.key_binding.bindings.mouse import typical_mouse_events
from prompt_toolkit.keys import Keys

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from prompt_toolkit.application import Application

    from mastermind_client.clock import TimerClock

UNFINISHED_SECONDS = 1.0  # without input, then the end of a paste or of a sequence is lost
LONGEST_KEY = 64  # characters kept of an unfinished sequence, besides the last: no key has more
_ESCAPE = "\x1b"
_MAX_ESCAPES = 2  # Esc before the sequence of a key is Alt with this key
_ALT_CHARACTER = 2  # the length of Alt with a character
_BEGIN_PASTE, _END_PASTE = "\x1b[200~", "\x1b[201~"
_BEGINNING = re.compile(  # the longest beginning of a sequence
    r"\x1b{1,2}(?:"
    r"\[(?:\[[^\0-\x1f]?|M[^\0-\x1f]{0,3}|[ -?]*[@-~]?)"  # Linux has the function keys Esc [ [ A
    r"|O[ -?]*[@-~]?"
    r"|[]PX^_][^\0-\x1f]*(?:\x07|\x1b\\|\x1b\Z)?"
    r"|[^\x1b]"
    r")?",
    re.DOTALL,
)
_COMPLETE = re.compile(
    r"\x1b+(?:"
    r"\[(?:\[.|M...|(?!M|\[)[ -?]*[@-~])"
    r"|O[ -?]*[@-~]"
    r"|[]PX^_].*(?:\x07|\x1b\\)"
    r"|[^\x1b[O\]PX^_]"
    r")",
    re.DOTALL,
)
_MOUSE_REPORT = re.compile(r"\x1b\[<?[0-9]{1,4};[0-9]{1,4};[0-9]{1,4}[Mm]")  # button, column, row
_OLD_MOUSE_REPORT = re.compile(r"\x1b\[M(.)..", re.DOTALL)


def is_mouse_report(sequence: str) -> bool:
    """Return whether a sequence is a valid report of a mouse button or the wheel.

    prompt_toolkit also takes other sequences for reports, for example a colour, and fails.
    """
    if _MOUSE_REPORT.fullmatch(sequence):
        return True
    letters = _OLD_MOUSE_REPORT.fullmatch(sequence)
    return letters is not None and ord(letters[1]) in typical_mouse_events


def discard_unbound_sequences(
    application: Application[Any], clock: TimerClock, passes_alt: Callable[[], bool]
) -> None:
    """Make the application's input discard escape sequences that are no key.

    Alt with a key is discarded unless `passes_alt` returns True. If the end of a paste is lost, the
    paste ends after `UNFINISHED_SECONDS` without input.
    """
    source = application.input
    if not isinstance(source, Vt100Input):  # prompt_toolkit's input without a terminal
        return

    def process_late_keys() -> None:
        if application.context is not None and application.is_running:
            application.key_processor.feed_multiple(source.flush_keys())
            application.context.copy().run(application.key_processor.process_keys)

    source.vt100_parser = SequenceParser(
        source.vt100_parser.feed_key_callback, clock, passes_alt, process_late_keys
    )


class SequenceParser(Vt100Parser):
    """Passes keys, valid mouse reports and pasted texts to `feed_key_callback`.

    `on_late_keys` is called when the time for the end of a paste is over.
    """

    def __init__(
        self,
        feed_key_callback: Callable[[KeyPress], None],
        clock: TimerClock,
        passes_alt: Callable[[], bool],
        on_late_keys: Callable[[], None],
    ) -> None:
        super().__init__(feed_key_callback)
        self._clock, self._passes_alt, self._on_late_keys = clock, passes_alt, on_late_keys
        self._unfinished = ""  # of a sequence, or of the end of a paste
        self._is_pasting = False
        self._pasted: list[str] = []  # the pieces of an unfinished paste
        self._timer: asyncio.TimerHandle | None = None

    def feed(self, data: str) -> None:
        """Parse input. It may begin and end anywhere in a sequence."""
        rest, self._unfinished = self._unfinished + data, ""
        while rest:
            rest = self._parse_paste(rest) if self._is_pasting else self._parse_keys(rest)
        self._set_timer()

    def flush(self) -> None:
        """End a sequence that can be a key as it is: Esc, or Alt with a character such as [."""
        if self._is_pasting:
            return
        if not self._unfinished.strip(_ESCAPE):
            for _escape in self._unfinished:
                self._press_escape()
        elif len(self._unfinished) == _ALT_CHARACTER:
            self._pass_if_key(self._unfinished)
        else:
            return
        self._unfinished = ""
        self._set_timer()

    def _parse_keys(self, text: str) -> str:
        """Pass the keys before the first escape sequence and that sequence; return the rest."""
        typed, escape, rest = text.partition(_ESCAPE)
        if typed:
            super().feed(typed)
        rest = escape + rest
        while rest.startswith(_ESCAPE * (_MAX_ESCAPES + 1)):
            self._press_escape()
            rest = rest[1:]
        found = _BEGINNING.match(rest)
        if found is None:
            return rest
        sequence = found[0]
        if _COMPLETE.fullmatch(sequence):
            self._pass_if_key(sequence)
        elif sequence == rest:
            self._unfinished = sequence[:LONGEST_KEY] + sequence[LONGEST_KEY:][-1:]
        return rest[len(sequence) :]

    def _pass_if_key(self, sequence: str) -> None:
        after_escape = sequence[1:]
        if after_escape.startswith(_ESCAPE) and after_escape not in ANSI_SEQUENCES:
            self._press_escape()  # Alt cannot change a report
            sequence, after_escape = after_escape, after_escape[1:]
        if sequence == _BEGIN_PASTE:
            self._is_pasting = True
            return
        key = ANSI_SEQUENCES.get(sequence)
        if isinstance(key, Keys) or is_mouse_report(sequence):
            super().feed(sequence)
            return
        is_alt = key is not None or after_escape in ANSI_SEQUENCES or len(after_escape) == 1
        if is_alt and self._passes_alt():
            super().feed(sequence)
            super().flush()

    def _press_escape(self) -> None:
        super().feed(_ESCAPE)
        super().flush()

    def _parse_paste(self, text: str) -> str:
        """Add to the paste, or pass it if this is its end; return the rest."""
        pasted, end, rest = text.partition(_END_PASTE)
        if end:
            self._pasted.append(pasted)
            self._end_paste()
            return rest
        kept = len(_END_PASTE) - 1  # may begin the end
        self._pasted.append(text[:-kept])
        self._unfinished = text[-kept:]
        return ""

    def _end_paste(self) -> None:
        pasted = "".join(self._pasted)
        self._is_pasting = False
        self._pasted.clear()
        self.feed_key_callback(KeyPress(Keys.BracketedPaste, pasted))

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._is_pasting or len(self._unfinished) > _ALT_CHARACTER:  # `flush` ends shorter ones
            self._timer = self._clock.call_later(UNFINISHED_SECONDS, self._give_up)

    def _give_up(self) -> None:
        unfinished, self._unfinished, self._timer = self._unfinished, "", None
        if self._is_pasting:
            self._pasted.append(unfinished)
            self._end_paste()
            self._on_late_keys()
