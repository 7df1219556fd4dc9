"""The mean guesses of the server's bots, and those that their codes cost, by the arena.

docs/BOTS.md has more decimals, and the errors of the sampled means.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mastermind_protocol.rules import Rules

SIZES = ("4x6", "4x7", "4x8", "4x10", "5x6", "5x8", "6x9", "4x10u")
"""The measured spaces of codes."""

USUAL_GUESSES: Mapping[str, tuple[float | None, ...]] = MappingProxyType(
    {
        "forgetful": (7.3, 7.8, 8.5, 9.7, 8.0, 9.3, 10.9, 8.6),
        "random": (4.6, 5.1, 5.4, 6.2, 5.0, 5.9, 6.7, 5.5),
        "knuth": (4.5, 4.8, 5.2, 5.8, 4.9, 5.6, 6.4, 5.4),
        "entropy": (4.4, 4.7, 5.1, 5.6, 4.8, 5.5, 6.3, 5.2),
        "expected-size": (4.4, 4.8, 5.1, 5.6, 4.8, 5.5, 6.3, 5.3),
        "most-parts": (4.4, 4.7, 5.1, 5.8, 4.8, 5.5, 6.4, 5.3),
        "optimal-5": (4.3, None, None, None, None, None, None, None),
        "optimal": (4.3, 4.7, 5.0, 5.6, 4.7, 5.5, 6.3, 5.2),
    }
)
"""The mean of each bot, for each of SIZES, over the secrets that are drawn by chance."""

HIDING_SIZES = ("4x6", "4x8", "5x8")
"""The spaces of the measured ways of hiding."""

HIDING_GUESSES: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {
        "forgetful": (3.9, 4.7, 5.2),
        "random": (4.3, 5.0, 5.5),
        **dict.fromkeys(("knuth", "expected-size"), (4.3, 5.1, 5.3)),
        **dict.fromkeys(("entropy", "most-parts"), (4.4, 4.9, 5.5)),
        **dict.fromkeys(("optimal-5", "optimal"), (4.5, 5.2, 5.6)),
        "devious": (5.0, 6.0, 7.0),
    }
)
"""The mean guesses of `optimal` for the codes of each bot, for each of HIDING_SIZES."""


def find_usual_guesses(bot: str | None, rules: Rules) -> float | None:
    """Return the mean number of guesses of the server's bot with this name; None if not known."""
    return _find_mean(USUAL_GUESSES.get(bot or "", ()), SIZES, rules)


def find_hiding_guesses(bot: str, rules: Rules) -> float | None:
    """Return the mean guesses of `optimal` for the codes that a bot hides; None if not known."""
    return _find_mean(HIDING_GUESSES.get(bot, ()), HIDING_SIZES, rules)


def _find_mean(
    means: tuple[float | None, ...], sizes: tuple[str, ...], rules: Rules
) -> float | None:
    return dict(zip(sizes, means, strict=False)).get(str(rules.space))
