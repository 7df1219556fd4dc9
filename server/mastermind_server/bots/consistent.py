"""The bot `random`: any guess that may be the secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_server.bots.bot import BreakerView, RandomMaker

if TYPE_CHECKING:
    from random import Random

    from mastermind_protocol.code import Code

LARGEST = 1_000_000  # 6 pegs, 10 colours: a few milliseconds for each turn so far, a few MB


class Consistent(RandomMaker):
    """Guesses at random among the codes that agree with all feedback, each as likely as another."""

    name = "random"
    largest = LARGEST

    def choose(self, view: BreakerView, random: Random) -> Code:
        """Return a guess as `Bot.choose` says; takes one draw."""
        from mastermind_server.bots import solver

        pegs, colours = view.rules.pegs, view.rules.colours
        candidates = solver.find_consistent(pegs, colours, view.turns).nonzero()[0]
        number = candidates[random.randrange(len(candidates))]
        return tuple(solver.all_codes(pegs, colours)[number].tolist())
