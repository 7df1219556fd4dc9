"""The questions for the rules of a match: a preset, or a custom size."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.messages.codes import list_peg_symbols
from mastermind_client.screen.forms.fields import draw_colours, make_acceptor
from mastermind_client.screen.toolkit.list_view import Item, add_typing, choice
from mastermind_protocol.rules import (
    DEFAULT,
    MAX_COLOURS,
    MAX_GUESSES,
    MAX_PEGS,
    PRESETS,
    UNIQUE_SIGN,
    Rules,
    find_rules,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mastermind_client.screen.app import App

MIN_COLOURS = 2  # one colour would make only one code


def list_rules_items(app: App, rules: Rules, take: Callable[[Rules], object]) -> list[Item]:
    """Return the questions for the rules, which are `rules` now. `take` receives the chosen rules.

    A custom size has its numbers, and whether colours may repeat.
    """
    own = rules.name not in PRESETS
    word = rules.name if own else _("a size of your own")
    options = [(preset, name, "") for name, preset in PRESETS.items()]
    options.append((rules if own else _make_custom_rules(rules), word, ""))
    colours = draw_colours(rules.palette, app.look, list_peg_symbols(rules))
    preset = replace(choice("rules", _("Rules"), rules, options, take), beside=colours)
    accept = make_acceptor(find_rules, take)
    return [
        add_typing(preset, rules.name, app.prompt, accept),
        *(_list_size_items(app, rules, accept) if own else ()),
    ]


def _list_size_items(app: App, rules: Rules, accept: Callable[[str], str | None]) -> list[Item]:
    """Return the questions for the size. Chosen sizes have codes; others can only be typed."""
    least, most = (MIN_COLOURS, MAX_PEGS)
    if not rules.repeats:
        least, most = max(least, rules.pegs), min(most, rules.colours)
    size = {
        "pegs": str(rules.pegs),
        "colours": str(rules.colours),
        "repeats": "" if rules.repeats else UNIQUE_SIGN,
        "guesses": str(rules.guess_limit),
    }

    def accept_part(name: str, text: str) -> str | None:
        changed = size | {name: text.strip()}
        return accept("{pegs}x{colours}{repeats}/{guesses}".format(**changed))

    def make_item(name: str, label: str, allowed: Sequence[int]) -> Item:
        about = _("{least} to {most}").format(least=allowed[0], most=allowed[-1])
        options = [(str(each), str(each), about) for each in allowed]
        take = partial(accept_part, name)
        return add_typing(
            choice(name, label, size[name], options, take), size[name], app.prompt, take
        )

    repeats = [("", _("yes"), _("a colour may come twice"))]
    if rules.pegs <= rules.colours:
        repeats.append((UNIQUE_SIGN, _("no"), _("no colour twice")))
    return [
        make_item("pegs", _("Pegs"), range(1, most + 1)),
        make_item("colours", _("Colours"), range(least, MAX_COLOURS + 1)),
        choice("repeats", _("Repeats"), size["repeats"], repeats, partial(accept_part, "repeats")),
        make_item("guesses", _("Guesses"), range(1, MAX_GUESSES + 1)),
    ]


def _make_custom_rules(rules: Rules) -> Rules:
    """Return rules of the same size and limit of guesses as `rules`, but no preset.

    Rules without a limit get the default number of guesses.
    """
    return find_rules(f"{rules.space}/{rules.guesses or DEFAULT.guesses}")
