"""The keys that fill a row of pegs, for every screen with such a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.language import mark as N_
from mastermind_client.screen.scene.entry import Entry
from mastermind_client.screen.toolkit.keys import Key

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_client.screen.toolkit.keys import Binding
    from mastermind_protocol.rules import Rules


def make_row_keys(
    edit: Callable[[Callable[[Entry], Entry]], None],
    when: Callable[[], bool],
    find_rules: Callable[[], Rules] | None = None,
) -> tuple[Binding, ...]:
    """Return the keys that change single pegs of the row, active while `when` returns True.

    `edit` receives a function that changes the entry. With `find_rules`, which returns the present
    rules, Up and Down choose the colour of a peg.
    """

    def bind(change: Callable[[Entry], Entry]) -> Callable[[], None]:
        return lambda: edit(change)

    cycling: tuple[Binding, ...] = ()
    if find_rules is not None:

        def bind_cycle(step: int) -> Callable[[], None]:
            return bind(lambda entry: entry.cycle(step, find_rules()))

        cycling = (
            Key(("up",), N_("the next colour for this peg"), bind_cycle(1), when=when),
            Key(("down",), N_("the colour before for this peg"), bind_cycle(-1), when=when),
        )
    return (
        Key(("left",), N_("one place to the left"), bind(Entry.left), when=when),
        Key(("right",), N_("one place to the right"), bind(Entry.right), when=when),
        *cycling,
        Key(("space",), N_("take the peg out"), bind(Entry.remove), when=when),
        Key(("backspace",), N_("remove the previous peg"), bind(Entry.backspace), when=when),
        Key(
            ("*",), N_("fill the free places with the colour before them"), bind(Entry.fill_rest),
            when=when,
        ),
    )  # fmt: skip
