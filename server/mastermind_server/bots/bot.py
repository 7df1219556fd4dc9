"""The base classes of bots. A bot breaks codes from a codebreaker's view, and makes codes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from mastermind_protocol.rules import MAX_COLOURS, MAX_PEGS, MAX_WEIGHED_CODES
from mastermind_server.bots.hiding import BY_CHANCE, Hiding, draw_code

if TYPE_CHECKING:
    from random import Random

    from mastermind_protocol.code import Code
    from mastermind_protocol.match import BreakerView
    from mastermind_protocol.rules import Rules
    from mastermind_server.bots.position import BreakerPosition


MAX_LISTED_CODES = MAX_WEIGHED_CODES  # codes; listing all takes 5 ms. Of more, a sample is searched
MAX_CODES = MAX_COLOURS**MAX_PEGS  # codes: those of the largest rules
MAX_CODES_IN_SCORE_TABLE = (
    2048  # codes, more than the 1296 of 4 pegs and 6 colours: a table of scores takes 10 ms
)
MAX_CODES_IN_THREAD = (
    5040  # codes: 4 of 10 digits without repeats; a thread computes a guess in milliseconds
)


class Bot(ABC):
    """The base class of bots. A bot has no state, so matches and threads can share it.

    Players select a bot by `name`. `about` describes its play, in English; clients translate it.
    `max_codes` is the number of codes of the largest rules (`Rules.codes`), or 0 for a bot that
    only makes codes. Up to `max_codes_in_thread` codes, a move takes a
    few milliseconds, and a thread computes it instead of a process. `hiding` is the bot's way of
    hiding codes. `draws` is whether guesses depend on the argument `random`.
    """

    name: str
    about: str
    max_codes: int = MAX_CODES
    max_codes_in_thread: int = MAX_CODES_IN_THREAD
    hiding: Hiding = BY_CHANCE
    draws: bool = True

    @abstractmethod
    def choose(self, view: BreakerView, random: Random) -> Code:
        """Return the next guess, a code of `view.rules`. All random choices use `random`.

        Raises ContradictionError if no code agrees with all feedback.
        """

    def hide(self, rules: Rules, random: Random) -> Code:
        """Return the bot's secret, for rules of any size. All random choices use `random`."""
        return self.hiding.hide(rules, random)

    def make_secret(self, rules: Rules, random: Random) -> Code:
        """Return the next secret of a player's seed. It is the same for all bots: `draw_code`."""
        return draw_code(rules, random)


class DeterministicBot(Bot):
    """A bot that uses no random numbers: its guess depends only on the position."""

    draws = False

    @abstractmethod
    def choose_code_number(self, position: BreakerPosition) -> int:
        """Return the code to guess next, as its index among all codes in numeric order."""

    def choose(self, view: BreakerView, random: Random) -> Code:
        """Return the next guess. Does not use `random`."""
        from mastermind_server.bots.position import find_guess

        del random
        return find_guess(self, view)


class ContradictionError(ValueError):
    """No code agrees with all feedback of a view or position, so some feedback is wrong."""
