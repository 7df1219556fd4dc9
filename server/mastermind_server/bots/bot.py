"""What a bot is: something that breaks codes from a codebreaker's view, and makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import msgspec

from mastermind_protocol.match import Turn
from mastermind_protocol.rules import Rules

if TYPE_CHECKING:
    from random import Random

    from mastermind_protocol.code import Code


class BreakerView(msgspec.Struct, frozen=True):
    """All that a codebreaker sees of its round: the rules, and its guesses with their feedback."""

    rules: Rules
    turns: tuple[Turn, ...]


class Bot(Protocol):
    """A player that computes its moves. It keeps nothing between them, so any thread may ask.

    `name` is what players ask for it by; `largest` is the largest number of codes (`Rules.codes`)
    among which it can break one. It can make a code of any rules.
    """

    name: str
    largest: int

    def choose(self, view: BreakerView, random: Random) -> Code:
        """Return the next guess, a code of `view.rules`; `random` is all the chance there is.

        `view.rules` have at most `largest` codes. Raises ContradictionError.
        """
        ...

    def make(self, rules: Rules, random: Random) -> Code:
        """Return a secret of these rules."""
        ...


class RandomMaker:
    """The codemaker's half of a bot: every code is as likely as any other."""

    def make(self, rules: Rules, random: Random) -> Code:
        """Return one `random.randint(0, colours - 1)` a peg, drawn in order of the pegs.

        The draws are part of the contract: the seed of a `lab` sitting fixes all its secrets.
        """
        return tuple(random.randint(0, rules.colours - 1) for _ in range(rules.pegs))


class ContradictionError(ValueError):
    """No code agrees with every turn of a view: whoever computed the feedback has a bug."""
