"""Tables of keys, and mouse input. A screen's table binds its keys and explains them in the help.

No other code binds keys, so the help is complete. Only clicks and the wheel of the mouse are
enabled. Reports of every movement would load this process and an SSH connection, and would remove a
displayed error, as each key does.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from prompt_toolkit.filters import Condition, has_selection
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.keys import Keys
from prompt_toolkit.output.vt100 import Vt100_Output

from mastermind_client.keyboard import list_characters
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TextIO

    from prompt_toolkit.key_binding.key_processor import KeyPressEvent
    from prompt_toolkit.output import Output

    from mastermind_client.screen.toolkit.lines import Glyphs

KEY_NAMES = {
    "left": N_("Left"),
    "right": N_("Right"),
    "up": N_("Up"),
    "down": N_("Down"),
    "home": N_("Home"),
    "end": N_("End"),
    "pageup": N_("PageUp"),
    "pagedown": N_("PageDown"),
    "enter": N_("Enter"),
    "escape": N_("Esc"),
    "tab": N_("Tab"),
    "space": N_("Space"),
    "backspace": N_("Backspace"),
    "delete": N_("Del"),
}
"""The labels of keys by prompt_toolkit's names; other keys are labelled with their names."""


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Key:
    """Alternative keys that each call `act` while `when` returns True.

    `alternatives` are names in prompt_toolkit. The key of a character also works in capitals and in
    other keyboard layouts (`list_characters`). `does` explains the key in the help, and `short` in
    the key hints. Both are marked for translation. A key without `short` has no hint. The
    hint names the first alternative, or the keys in `hinted`, which may belong to several bindings:
    ``up`` and ``down`` become ``↑↓``. If `first`, this binding overrides the other bindings of its
    keys, and of longer sequences that begin with them.
    """

    alternatives: tuple[str, ...]
    does: str
    act: Callable[[], None]
    short: str = ""
    when: Callable[[], bool] = _always
    first: bool = False
    hinted: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The displayed names of the keys."""
        return " ".join(map(name_key, self.alternatives))


@dataclass(frozen=True, slots=True)
class Typing:
    """All keys that type a character, active while `when` returns True.

    `take` receives each typed character, and `paste` pasted text, with line feeds between lines.
    `label` names the keys in the help. `does` explains them in the help, and `short` in the key
    hints.
    """

    label: str
    does: str
    take: Callable[[str], None]
    paste: Callable[[str], None]
    when: Callable[[], bool] = _always
    short: str = ""


Binding: TypeAlias = Key | Typing


def name_key(key: str) -> str:
    """Return the displayed name of a key: ``c-l`` is Ctrl-L, ``f1`` is F1."""
    if key in KEY_NAMES:
        return _(KEY_NAMES[key])
    if key.startswith("c-"):
        return f"Ctrl-{key[2:].upper()}"
    return key.upper() if len(key) > 1 else key


def bind(table: Iterable[Binding]) -> KeyBindings:
    """Return the keys of a table as prompt_toolkit's key bindings."""
    bindings = KeyBindings()
    for binding in table:
        _add_binding(bindings, binding)
    return bindings


def bind_line_keys(typing: Callable[[], bool]) -> KeyBindings:
    """Return the key bindings for editing a line, active while `typing` returns True.

    Typed and pasted text replaces the selected text. Alt with another key is not treated as Esc.
    This and other keys do nothing unless prompt_toolkit binds them.
    """

    def insert(event: KeyPressEvent, text: str) -> None:
        event.current_buffer.cut_selection()
        event.current_buffer.insert_text(text)

    def paste(event: KeyPressEvent) -> None:
        insert(event, " ".join(event.data.splitlines()))

    bindings = KeyBindings()

    def type_over(event: KeyPressEvent) -> None:
        if event.data.isprintable():
            insert(event, event.data * event.arg)
        elif event.current_buffer.selection_state:  # a control key keeps the selected text
            event.current_buffer.exit_selection()
            event.key_processor.feed(event.key_sequence[0], first=True)

    bindings.add(Keys.BracketedPaste, filter=Condition(typing))(paste)
    bindings.add(Keys.Any, filter=Condition(typing))(type_over)
    for cut in ("c-u", "c-k", "c-w"):
        bindings.add(cut, filter=Condition(typing) & has_selection)(
            lambda event: event.current_buffer.cut_selection()
        )
    bindings.add(Keys.Escape, Keys.Any, filter=Condition(typing))(lambda _event: None)
    return bindings


def describe_keys(table: Sequence[Binding]) -> list[tuple[str, str]]:
    """Return the names and explanations of the active keys that have one, in their order."""
    return [
        (_(binding.label) if isinstance(binding, Typing) else binding.label, _(binding.does))
        for binding in table
        if binding.does and binding.when()
    ]


def list_key_hints(
    table: Sequence[Binding], glyphs: Glyphs
) -> list[tuple[str, str, Callable[[], None] | None]]:
    """Return the names, short explanations and callbacks of the active keys with a hint.

    The callback of a `Typing` is None. Arrow keys are drawn as arrows.
    """
    arrows = {"left": glyphs.left, "right": glyphs.right, "up": glyphs.up, "down": glyphs.down}
    short = arrows | {"pagedown": _("PgDn")}

    def name(key: Key) -> str:
        return "".join(
            short.get(each) or name_key(each) for each in key.hinted or key.alternatives[:1]
        )

    return [
        (_(binding.label), _(binding.short), None)
        if isinstance(binding, Typing)
        else (name(binding), _(binding.short), binding.act)
        for binding in table
        if binding.short and binding.when()
    ]


def _add_binding(bindings: KeyBindings, binding: Binding) -> None:
    condition = Condition(binding.when)
    if isinstance(binding, Key):

        def act(_event: KeyPressEvent) -> None:
            binding.act()

        for key in binding.alternatives:
            for typed in list_characters(key if key != "space" else " "):
                bindings.add(typed, filter=condition, eager=binding.first)(act)
        return

    def take(event: KeyPressEvent) -> None:
        if event.data.isprintable():
            binding.take(event.data)

    def paste(event: KeyPressEvent) -> None:
        # Terminals send a pasted line feed as a carriage return, as if Enter were pressed.
        binding.paste(event.data.replace("\r\n", "\n").replace("\r", "\n"))

    bindings.add(Keys.Any, filter=condition)(take)
    bindings.add(Keys.BracketedPaste, filter=condition)(paste)


def leads_out(binding: Binding) -> bool:
    """Return whether a key leaves the screen, or closes what is open on it."""
    return isinstance(binding, Key) and "escape" in binding.alternatives


_REPORT_CLICKS = "\x1b[?1000h"  # report buttons; the wheel is reported as two buttons
_REPORT_FAR_COLUMNS = (
    "\x1b[?1015h\x1b[?1006h"  # coordinates above 223, in the format of urxvt, or of xterm
)


class MouseOutput(Vt100_Output):
    """The output to a terminal, with mouse support for clicks and the wheel only."""

    def enable_mouse_support(self) -> None:
        """Enable reports of clicks and the wheel.

        The inherited `disable_mouse_support` disables them.
        """
        self.write_raw(_REPORT_CLICKS + _REPORT_FAR_COLUMNS)


def open_output(stream: TextIO, term: str | None) -> Output | None:
    """Return the output for a stream, or None to use prompt_toolkit's default."""
    return None if sys.platform == "win32" else MouseOutput.from_pty(stream, term=term)
