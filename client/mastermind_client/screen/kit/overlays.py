"""What lies over a screen: a line being typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mastermind_client.language import ngettext
from mastermind_client.screen.kit.lines import Line, join_items, text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LONGEST_LINE = 200  # characters of a typed line, unless its prompt has a lower limit
_BETWEEN = 3  # columns between two explanations of a typed line


@dataclass(frozen=True, slots=True)
class LinePrompt:
    """A line that is to be typed, of at most `limit` characters, beginning with `text`.

    What is typed takes the place of the text, unless that was `begun` by typing already.
    `accept` is given it without blanks around it, and returns why it cannot be, or nothing;
    `decline` is done when it is given up. `explanation` is shown meanwhile.
    """

    label: str
    accept: Callable[[str], str | None]
    text: str = ""
    limit: int = LONGEST_LINE
    explanation: Sequence[str] = ()
    decline: Callable[[], None] = lambda: None
    begun: bool = False

    def explain(self, columns: int) -> list[Line]:
        """Return the explanation in few rows, where it lies over what is looked at."""
        return [text(line) for line in join_items(self.explanation, columns, " " * _BETWEEN)]

    def take(self, words: str) -> str | None:
        """Give the line that was typed; returns why it cannot be, or nothing."""
        line = "".join(letter if letter.isprintable() else " " for letter in words).strip()
        if len(line) <= self.limit:
            return self.accept(line)
        return ngettext(
            "That has {length} characters, and {limit} is the most.",
            "That has {length} characters, and {limit} are the most.",
            self.limit,
        ).format(length=len(line), limit=self.limit)
