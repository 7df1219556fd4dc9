"""What the presets' line games look like: data, as the presets themselves are."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from mastermind_client.language import mark as N_

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mastermind_protocol.requests import Measure
    from mastermind_protocol.rules import Rules


@dataclass(frozen=True, slots=True)
class Style:
    """How a line game is led.

    `asks_*` are questions put to a person who has not settled them on the command line.
    `peg_by_peg` asks for one peg a prompt. `words` are the game's own words for actions by their
    names. `again` and `goodbye` are translated where they are shown.
    `measure` ranks advice that is asked for without naming one.
    """

    asks_name: bool = False
    asks_seat: bool = False
    asks_way: bool = False
    whole_board: bool = False
    peg_by_peg: bool = False
    words: Mapping[str, str] = field(default_factory=dict)
    again: str = N_("Play again? (Y/N)")
    goodbye: str = N_("Good-bye!")
    measure: Measure = "bits"


PLAIN = Style()
STYLES: Mapping[str, Style] = MappingProxyType(
    {
        "classic": Style(asks_name=True, asks_seat=True),
        "thirteen": Style(
            whole_board=True,
            words={"resign": "surrender"},
            again=N_("Continue? [Y/N]"),
            goodbye=N_("Goodbye!"),
        ),
        "mini": Style(asks_way=True, measure="size"),
        "lab": Style(
            peg_by_peg=True,
            again=N_("Would you like to play again? (Y/N)"),
            goodbye=N_("Thank you for playing. Good-bye!"),
        ),
    }
)


def find_style(rules: Rules) -> Style:
    """Return how a line game of these rules is led."""
    return STYLES.get(rules.name, PLAIN)
