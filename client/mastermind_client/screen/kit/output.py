"""The terminal as it is written to: prompt_toolkit's, but that the mouse's ways are not asked for.

A terminal that reports every movement of the mouse keeps us busy and a line, over SSH, full; and
it would be a key that takes a notice off the screen.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from prompt_toolkit.output.vt100 import Vt100_Output

if TYPE_CHECKING:
    from prompt_toolkit.output import Output

_CLICKS = "\x1b[?1000h"  # of the buttons and the wheel, which is two buttons
_NUMBERS = "\x1b[?1015h\x1b[?1006h"  # that may be more than 223: urxvt's way, or xterm's if known


class TerminalOutput(Vt100_Output):
    """Writes to a terminal that reports clicks and the wheel, when the mouse is taken."""

    def enable_mouse_support(self) -> None:
        """Ask for clicks and the wheel; the base class takes all of it back."""
        self.write_raw(_CLICKS + _NUMBERS)


def open_output() -> Output | None:
    """Return the terminal that this process has, or None to leave it to prompt_toolkit."""
    if sys.platform == "win32":
        return None
    return TerminalOutput.from_pty(sys.stdout, term=os.environ.get("TERM"))
