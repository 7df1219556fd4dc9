"""What a app may ask for: whether something is to be done, and a line that is typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mastermind_client.language import ngettext

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LONGEST_LINE = 200  # characters, where nothing else limits them


@dataclass(frozen=True, slots=True)
class Question:
    """Something that is asked before it is done: Y does it, any other key does not."""

    words: str
    agree: Callable[[], object]


@dataclass(frozen=True, slots=True)
class LinePrompt:
    """A line that is to be typed, of at most `limit` characters, beginning with `text`.

    `accept` is given it without blanks around it, and returns why it cannot be, or nothing.
    `explanation` is shown meanwhile.
    """

    label: str
    accept: Callable[[str], str | None]
    text: str = ""
    limit: int = LONGEST_LINE
    explanation: Sequence[str] = ()

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
