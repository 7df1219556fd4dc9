"""The bots that guess at random among the possible secrets: `random` and `forgetful`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.match import BreakerView
from mastermind_protocol.text import gettext_noop as N_
from mastermind_server.bots.bot import MAX_LISTED_CODES, Bot
from mastermind_server.bots.hiding import OPEN

if TYPE_CHECKING:
    from random import Random

    from mastermind_protocol.code import Code

FORGET_PROBABILITY = 0.55  # that ForgetfulBot ignores an answer


class ConsistentBot(Bot):
    """Guesses uniformly at random among the candidates: the codes that agree with all feedback."""

    name = "random"
    about = N_("Plays any code that agrees with every answer so far, each as likely as another.")
    max_codes_in_thread = MAX_LISTED_CODES  # codes: filtering the longest list takes milliseconds

    def choose(self, view: BreakerView, random: Random) -> Code:
        """Return the next guess. Draws one random number."""
        from mastermind_server.bots import solver
        from mastermind_server.bots.position import find_position

        position = find_position(view)
        number = position.candidates[random.randrange(len(position.candidates))]
        return solver.find_code_by_number(position.space, number)


class ForgetfulBot(ConsistentBot):
    """Guesses at random among the codes that agree with a random part of the feedback.

    Before each guess, the bot ignores each earlier turn with probability `FORGET_PROBABILITY`. At 4
    pegs and 6 colours it needs 7.15 guesses on average, and more than 12 in 0.4 % of its games.
    """

    name = "forgetful"
    hiding = OPEN
    about = N_("Forgets each answer more often than not, anew at every guess, as beginners do.")

    def choose(self, view: BreakerView, random: Random) -> Code:
        """Return the next guess. Draws a random number for each of `view.turns`, then one more."""
        remembered = tuple(turn for turn in view.turns if random.random() >= FORGET_PROBABILITY)
        return super().choose(BreakerView(view.rules, remembered), random)
