"""The names that players type for actions, and the wording of prompts for each preset."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from mastermind_client.keyboard import read_keys
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.messages.codes import find_colour, read_code
from mastermind_protocol.errors import InvalidCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mastermind_client.actions import Action
    from mastermind_protocol.requests import Measure
    from mastermind_protocol.rules import Rules


HELP_WIDTH = 18  # columns for the names of most actions
NO_OTHER_WORDS: Mapping[str, str] = MappingProxyType({})


def find_action(
    line: str, actions: Iterable[Action], words: Mapping[str, str] = NO_OTHER_WORDS
) -> tuple[Action, str, str] | None:
    """Return the action that a line names, the typed name or letter, and the argument, or None.

    `words` maps names of actions to words that can be typed instead. A line with an argument can
    name only an action that takes an argument.
    """
    name, _blank, argument = line.strip().partition(" ")
    name, argument = read_keys(name), argument.strip()
    for action in actions:
        called = name and name in (action.letter, action.name, words.get(action.name))
        if called and (action.takes or not argument):
            return action, name, argument
    return None


def is_code(line: str, argument: str, rules: Rules) -> bool:
    """Return whether `line` is a code of the rules, although it names an action with `argument`.

    A line without an argument must be a valid code. In a line with an argument, all symbols must be
    colours, and all letters or all digits. Its number of pegs can be wrong. But if only the
    argument is a valid code, the line is an action: with four pegs, `g rgby` is the action `g`.
    """
    if not argument:
        return _is_valid_code(line, rules)
    typed = {symbol for symbol in line if symbol.isalnum()}
    one_way = len({symbol.isdigit() for symbol in typed}) == 1
    colours = one_way and all(find_colour(symbol, rules) is not None for symbol in typed)
    return colours and (_is_valid_code(line, rules) or not _is_valid_code(argument, rules))


def _is_valid_code(line: str, rules: Rules) -> bool:
    try:
        read_code(line, rules)
    except InvalidCode:
        return False
    return True


def write_help_hint() -> str:
    """Return the hint that says how to list the actions."""
    return _("Type ? for what can be typed.")


def write_help(actions: Iterable[Action], words: Mapping[str, str] = NO_OTHER_WORDS) -> list[str]:
    """Return a line of help for each action: its name and letter, and its effect.

    `words` maps names of actions to words that are printed instead.
    """
    lines = []
    for action in actions:
        names = ", ".join(filter(None, (action.letter, words.get(action.name, action.name))))
        typed = f"{names} {_(action.takes)}" if action.takes else names
        lines.append(f"  {typed:<{HELP_WIDTH}} {_(action.sentence)}")
    return lines


@dataclass(frozen=True, slots=True)
class Style:
    """The texts of the dialogue under a preset of rules, and what the dialogue asks and prints.

    `asks_name`, `asks_seat` and `asks_mode` are whether an interactive player is asked for options
    that the command line omits. If `whole_board`, all guesses are printed after each guess. If
    `peg_by_peg`, each peg has a prompt. `words` maps names of actions to the preset's words. The
    question `again` and the text `goodbye` are marked for translation. `measure` is the default
    ranking of advice.
    """

    asks_name: bool = False
    asks_seat: bool = False
    asks_mode: bool = False
    whole_board: bool = False
    peg_by_peg: bool = False
    words: Mapping[str, str] = field(default_factory=dict)
    again: str = N_("Play again? (Y/N)")
    goodbye: str = N_("Good-bye!")
    measure: Measure = "bits"


DEFAULT_STYLE = Style()
PRESET_STYLES: Mapping[str, Style] = MappingProxyType(
    {
        "classic": Style(asks_name=True, asks_seat=True),
        "thirteen": Style(
            whole_board=True,
            words={"resign": "surrender"},
            again=N_("Continue? [Y/N]"),
            goodbye=N_("Goodbye!"),
        ),
        "mini": Style(asks_mode=True, measure="size"),
        "lab": Style(
            peg_by_peg=True,
            again=N_("Would you like to play again? (Y/N)"),
            goodbye=N_("Thank you for playing. Good-bye!"),
        ),
    }
)


def find_style(rules: Rules) -> Style:
    """Return the style of the dialogue under these rules."""
    return PRESET_STYLES.get(rules.name, DEFAULT_STYLE)
