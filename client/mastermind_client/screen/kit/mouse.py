"""What a terminal is asked to report of the mouse, and what is such a report.

A terminal that reports every movement keeps us busy and a line, over SSH, full; and it would be a
key that takes a notice off the screen. prompt_toolkit takes some other sequences for reports, such
as the colours of a text that was pasted unmarked, and fails at them: that would end a match.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.key_binding.bindings.mouse import load_mouse_bindings, typical_mouse_events
from prompt_toolkit.keys import Keys
from prompt_toolkit.output.vt100 import Vt100_Output

if TYPE_CHECKING:
    from typing import TextIO

    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone
    from prompt_toolkit.key_binding.key_processor import KeyPressEvent
    from prompt_toolkit.output import Output

_CLICKS = "\x1b[?1000h"  # of the buttons and the wheel, which is two buttons
_NUMBERS = "\x1b[?1015h\x1b[?1006h"  # that may be more than 223: urxvt's way, or xterm's if known
_REPORT = re.compile(r"\x1b\[<?\d+;\d+;\d+[Mm]")  # the button, the column and the row
_OLD_REPORT = re.compile(r"\x1b\[M(.)..", re.DOTALL)


class TerminalOutput(Vt100_Output):
    """Writes to a terminal that reports clicks and the wheel, when the mouse is taken."""

    def enable_mouse_support(self) -> None:
        """Ask for clicks and the wheel; the base class takes all of it back."""
        self.write_raw(_CLICKS + _NUMBERS)


def open_output(stream: TextIO, term: str | None) -> Output | None:
    """Return the terminal behind a stream, or None to leave it to prompt_toolkit."""
    return None if sys.platform == "win32" else TerminalOutput.from_pty(stream, term=term)


def is_report(data: str) -> bool:
    """Tell whether a sequence reports what became of a button or the wheel, and where."""
    if _REPORT.fullmatch(data):
        return True
    letters = _OLD_REPORT.fullmatch(data)
    return letters is not None and ord(letters[1]) in typical_mouse_events


def bind_mouse() -> KeyBindings:
    """Return prompt_toolkit's own binding of the mouse, for reports alone."""
    (known,) = load_mouse_bindings().get_bindings_for_keys((Keys.Vt100MouseEvent,))
    bindings = KeyBindings()

    @bindings.add(Keys.Vt100MouseEvent)
    def take(event: KeyPressEvent) -> NotImplementedOrNone:
        return known.handler(event) if is_report(event.data) else NotImplemented

    return bindings
