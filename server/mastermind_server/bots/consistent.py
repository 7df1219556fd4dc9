"""The bots that guess at random among what may be the secret: `random` and `forgetful`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.match import BreakerView
from mastermind_protocol.text import gettext_noop as N_
from mastermind_server.bots.bot import LARGEST, Bot

if TYPE_CHECKING:
    from random import Random

    from mastermind_protocol.code import Code

FORGOTTEN = 0.55  # of all answers: see Forgetful


class Consistent(Bot):
    """Guesses at random among the codes that agree with all feedback, each as likely as another."""

    name = "random"
    about = N_("Plays any code that agrees with every answer so far, each as likely as another.")
    light = LARGEST  # codes: the longest list is gone through in milliseconds

    def choose(self, view: BreakerView, random: Random) -> Code:
        """Return a guess as `Bot.choose` says; takes one draw."""
        from mastermind_server.bots import solver
        from mastermind_server.bots.position import find_position

        position = find_position(view)
        number = position.candidates[random.randrange(len(position.candidates))]
        return solver.find_code(position.pegs, position.colours, number)


class Forgetful(Consistent):
    """Guesses at random among the codes that agree with what it remembers of the feedback.

    Before each guess it forgets each answer so far, for that guess, with probability `FORGOTTEN`.
    At 4 pegs and 6 colours it needs 7.15 guesses on average, and more than 12 in one game of 250.
    """

    name = "forgetful"
    about = N_(
        "Forgets half of the answers before each guess, other ones every time: it takes some seven "
        "guesses for four pegs and six colours, as a beginner does."
    )

    def choose(self, view: BreakerView, random: Random) -> Code:
        """Return a guess as `Bot.choose` says; takes a draw for each turn, and one more."""
        remembered = tuple(turn for turn in view.turns if random.random() >= FORGOTTEN)
        return super().choose(BreakerView(view.rules, remembered), random)
