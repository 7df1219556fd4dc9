"""What a bot is: something that breaks codes from a codebreaker's view, and makes them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import BreakerView
    from mastermind_protocol.rules import Rules
    from mastermind_server.bots.position import BreakerPosition


LARGEST = 1_000_000  # codes, as of 6 pegs and 10 colours: a list of all takes 6 MB and 5 ms
TABLED = 2048  # codes, more than 4 pegs and 6 colours have: a table of all scores takes 10 ms
LIGHT = 4096  # codes, as of 4 pegs and 8 colours: a guess takes some milliseconds, as a thread may


class Bot(ABC):
    """A player that computes its moves. It keeps nothing between them, so anyone may ask it.

    `name` is what players ask for it by, and `about` says in one sentence how it plays; it is
    marked, for clients to translate. `largest` is the largest number of codes (`Rules.codes`) among
    which it can break one; 0 if it only makes codes. Up to `light` of them a
    guess takes no more than a few milliseconds.
    """

    name: str
    about: str
    largest: int = LARGEST
    light: int = LIGHT

    @abstractmethod
    def choose(self, view: BreakerView, random: Random) -> Code:
        """Return the next guess, a code of `view.rules`; `random` is all the chance there is.

        `view.rules` have at most `largest` codes. Raises ContradictionError.
        """

    def make(self, rules: Rules, random: Random) -> Code:
        """Return a secret of any rules, each as likely as any other.

        One `random.randint(0, colours - 1)` a peg is drawn, in order of the pegs. That is part of
        the contract: the seed of a `lab` sitting fixes all its secrets.
        """
        return tuple(random.randint(0, rules.colours - 1) for _ in range(rules.pegs))


class Deterministic(Bot):
    """A bot in whose guesses there is no chance: equal positions get equal ones."""

    @abstractmethod
    def pick(self, position: BreakerPosition) -> int:
        """Return the number of the next guess."""

    def choose(self, view: BreakerView, random: Random) -> Code:
        """Return a guess as `Bot.choose` says; draws nothing."""
        from mastermind_server.bots.position import find_pick

        del random
        return find_pick(self, view)


class ContradictionError(ValueError):
    """No code agrees with every turn of a view: whoever computed the feedback has a bug."""
