"""What a terminal reports of the mouse, if it is such a report.

prompt_toolkit takes some other sequences for reports, such as the colours of a text that was pasted
unmarked, and fails at them: that would be the end of a match.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.key_binding.bindings.mouse import load_mouse_bindings, typical_mouse_events
from prompt_toolkit.keys import Keys

if TYPE_CHECKING:
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone
    from prompt_toolkit.key_binding.key_processor import KeyPressEvent

_NUMBERS = re.compile(r"\x1b\[<?\d+;\d+;\d+[Mm]")  # the button, the column and the row
_LETTERS = re.compile(r"\x1b\[M(.)..", re.DOTALL)


def is_report(data: str) -> bool:
    """Tell whether a sequence reports what became of a button or the wheel, and where."""
    if _NUMBERS.fullmatch(data):
        return True
    letters = _LETTERS.fullmatch(data)
    return letters is not None and ord(letters[1]) in typical_mouse_events


def bind_mouse() -> KeyBindings:
    """Return prompt_toolkit's own binding of the mouse, for reports alone."""
    (known,) = load_mouse_bindings().get_bindings_for_keys((Keys.Vt100MouseEvent,))
    bindings = KeyBindings()

    @bindings.add(Keys.Vt100MouseEvent)
    def take(event: KeyPressEvent) -> NotImplementedOrNone:
        return known.handler(event) if is_report(event.data) else NotImplemented

    return bindings
