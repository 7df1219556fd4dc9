"""The key table: one list says what the keys of a screen do, binds them and explains them.

Nothing else binds a key, so that the help cannot be wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from prompt_toolkit.filters import Condition, has_selection
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.keys import Keys

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from prompt_toolkit.key_binding.key_processor import KeyPressEvent

    from mastermind_client.screen.kit.lines import Glyphs

NAMES = {
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
"""What is printed on the keys; others are called what they are."""


def _always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Key:
    """Keys that do one thing, by prompt_toolkit's names, while `when` holds.

    `does` says what, `short` in a word for the line of hints at the bottom; both are marked for
    translation and translated when shown. Without a `short` a key is in the help only. `hinted` are
    the keys that the hint names, if it stands for others too: ``up`` and ``down`` make ``↑↓``. What
    comes `first` is done even if another binding, or a longer one, has the key too.
    """

    keys: tuple[str, ...]
    does: str
    act: Callable[[], None]
    short: str = ""
    when: Callable[[], bool] = _always
    first: bool = False
    hinted: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What a person has to press: the names of the keys."""
        return " ".join(name_key(key) for key in self.keys)


@dataclass(frozen=True, slots=True)
class Typing:
    """Every key that types a character, while `when` holds; `take` is given the character.

    `paste` is given what is pasted at once. `label` names the keys in words.
    """

    label: str
    does: str
    take: Callable[[str], None]
    paste: Callable[[str], None]
    when: Callable[[], bool] = _always
    short: str = ""


Binding: TypeAlias = Key | Typing


def name_key(key: str) -> str:
    """Return what is printed on a key: ``c-l`` is Ctrl-L, ``f1`` is F1."""
    if key in NAMES:
        return _(NAMES[key])
    if key.startswith("c-"):
        return f"Ctrl-{key[2:].upper()}"
    return key.upper() if len(key) > 1 else key


def bind(table: Iterable[Binding]) -> KeyBindings:
    """Return the table as key bindings."""
    bindings = KeyBindings()
    for entry in table:
        _add(bindings, entry)
    return bindings


def bind_chords(typing: Callable[[], bool]) -> KeyBindings:
    """Return bindings that let Alt with another key be no Esc, while a line is typed.

    What Alt does to a line is bound by prompt_toolkit; what it does not know does nothing. What is
    pasted takes the place of what is selected, as what is typed does.
    """

    def paste(event: KeyPressEvent) -> None:
        event.current_buffer.cut_selection()
        event.current_buffer.insert_text(event.data)

    bindings = KeyBindings()

    def type_over(event: KeyPressEvent) -> None:
        if event.data.isprintable():
            paste(event)
        else:  # what it does, it does to the text as it stands
            event.current_buffer.exit_selection()
            event.key_processor.feed(event.key_sequence[0], first=True)

    bindings.add(Keys.BracketedPaste, filter=Condition(typing))(paste)
    bindings.add(Keys.Any, filter=Condition(typing) & has_selection)(type_over)
    for cut in ("c-u", "c-k", "c-w"):
        bindings.add(cut, filter=Condition(typing) & has_selection)(
            lambda event: event.current_buffer.cut_selection()
        )
    bindings.add(Keys.Escape, Keys.Any, filter=Condition(typing))(lambda _event: None)
    return bindings


def describe_keys(table: Sequence[Binding]) -> list[tuple[str, str]]:
    """Return names and meanings of the keys that work now, in the table's order."""
    return [
        (_(entry.label) if isinstance(entry, Typing) else entry.label, _(entry.does))
        for entry in table
        if entry.when()
    ]


def hint_keys(
    table: Sequence[Binding], glyphs: Glyphs
) -> list[tuple[str, str, Callable[[], None] | None]]:
    """Return names, short meanings and what they do, for the line of hints, of those that have one.

    Typing does nothing by itself. Arrows are signs.
    """
    arrows = {"left": glyphs.left, "right": glyphs.right, "up": glyphs.up, "down": glyphs.down}

    def name(key: Key) -> str:
        return "".join(arrows.get(each) or name_key(each) for each in key.hinted or key.keys[:1])

    return [
        (_(entry.label), _(entry.short), None)
        if isinstance(entry, Typing)
        else (name(entry), _(entry.short), entry.act)
        for entry in table
        if entry.short and entry.when()
    ]


def _add(bindings: KeyBindings, entry: Binding) -> None:
    condition = Condition(entry.when)
    if isinstance(entry, Key):

        def act(_event: KeyPressEvent) -> None:
            entry.act()

        for key in entry.keys:
            bindings.add(key if key != "space" else " ", filter=condition, eager=entry.first)(act)
        return

    def take(event: KeyPressEvent) -> None:
        if event.data.isprintable():
            entry.take(event.data)

    bindings.add(Keys.Any, filter=condition)(take)
    bindings.add(Keys.BracketedPaste, filter=condition)(lambda event: entry.paste(event.data))


def sort_keys(
    keys: Iterable[Binding], everywhere: Sequence[Binding]
) -> tuple[list[Binding], list[Binding]]:
    """Return the keys that not every screen has, and those that work everywhere or lead out."""
    own: list[Binding] = []
    ways_out: list[Binding] = []
    for key in keys:
        leads_out = isinstance(key, Key) and "escape" in key.keys
        (ways_out if leads_out or key in everywhere else own).append(key)
    return own, ways_out
