"""The arena: one bot against every secret of some rules, or against some that are drawn.

How many guesses the rules allow is left aside: a game goes on until the code is broken.

A bot in which there is no chance guesses the same wherever it has seen the same. Its games against
all secrets are one tree, which is walked once: each guess is computed once for all the games in
which it is made. Any other bot, and any bot against drawn secrets, plays game after game.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random
from typing import TYPE_CHECKING

from mastermind_protocol.code import check_code, format_code
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.feedback import score
from mastermind_protocol.match import BreakerView, Turn
from mastermind_protocol.rules import UNLIMITED_GUESSES
from mastermind_server.bots import check_breakable, find_bot
from mastermind_server.bots.bot import Deterministic
from mastermind_server.bots.position import find_position, split
from mastermind_server.bots.solver import find_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mastermind_protocol.rules import Rules
    from mastermind_server.bots import Bot

    Progress = Callable[[int], object]
    Clock = Callable[[], int]

SHOWN = 9  # guesses that an error repeats: more than an honest game takes


@dataclass(frozen=True, slots=True)
class Tally:
    """What came of a contest.

    `histogram` tells in how many games how many guesses were made, `moves` in how many
    microseconds how many of all those guesses were found, `cpu_nanoseconds` the processor
    time that all of it took. `seed` is None if there was no chance in it.
    """

    rules: Rules
    bot: str
    drawn: bool
    seed: int | None
    histogram: Mapping[int, int]
    moves: Mapping[int, int] = field(repr=False)
    cpu_nanoseconds: int

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(self.histogram.values())

    @property
    def total(self) -> int:
        """The number of guesses in all games."""
        return sum(guesses * games for guesses, games in self.histogram.items())

    @property
    def mean(self) -> float:
        """The guesses a game."""
        return self.total / self.games

    @property
    def worst(self) -> int:
        """The guesses of the longest game."""
        return max(self.histogram)

    @property
    def error(self) -> float | None:
        """The standard error of the mean, if the secrets were drawn, and more than one."""
        if not self.drawn or self.games < 2:
            return None
        squares = sum(
            games * (guesses - self.mean) ** 2 for guesses, games in self.histogram.items()
        )
        return math.sqrt(squares / (self.games - 1) / self.games)

    @property
    def seconds(self) -> float:
        """The processor time of all thinking."""
        return self.cpu_nanoseconds / 1e9

    @property
    def median(self) -> float:
        """The milliseconds in which half of all guesses were found."""
        ascending = sorted(self.moves.items())
        passed = accumulate(moves for _, moves in ascending)
        half = self.total / 2
        return next(
            micros / 1e3
            for (micros, _), moves in zip(ascending, passed, strict=True)
            if moves >= half
        )

    @property
    def longest(self) -> float:
        """The milliseconds that the longest guess took."""
        return max(self.moves) / 1e3


@dataclass(frozen=True, slots=True)
class Contest:
    """A bot and what it is to break: so many drawn secrets, or every one if `drawn` is None.

    The seed fixes the secrets, which are the same for every bot, and all chance of the bot's.
    """

    bot: Bot
    rules: Rules
    drawn: int | None
    seed: int

    @property
    def games(self) -> int:
        """The number of games to play."""
        return self.drawn or self.rules.codes

    def play(self, progress: Progress, clock: Clock = time.thread_time_ns) -> Tally:
        """Play it; `progress` hears how many games are over, and `clock` tells nanoseconds.

        Raises Refused (`internal`) if the bot fails, guesses what is no code of the rules, or does
        not get anywhere.
        """
        book = _Book(self.bot, self.rules, progress, clock)
        seed = None
        if self.drawn is None and isinstance(self.bot, Deterministic):
            book.walk(self.bot)
        else:
            seed = self.seed
            random = Random(seed)  # noqa: S311 - to be repeated at will
            for number in self._number_secrets(random):
                book.play(number, random)
        return Tally(
            rules=self.rules,
            bot=self.bot.name,
            drawn=self.drawn is not None,
            seed=seed,
            histogram=dict(sorted(book.histogram.items())),
            moves=book.moves,
            cpu_nanoseconds=book.cpu_nanoseconds,
        )

    def _number_secrets(self, random: Random) -> Sequence[int]:
        """Return the numbers of the secrets; those that are drawn may repeat."""
        if self.drawn is None:
            return range(self.rules.codes)
        return [random.randrange(self.rules.codes) for _ in range(self.drawn)]


def enter(name: str, rules: Rules, drawn: int | None, seed: int) -> Contest:
    """Return the contest of the bot of this name, or raise Refused if it cannot enter it."""
    bot = find_bot(name)
    check_breakable(bot, rules)
    return Contest(bot, rules, drawn, seed)


class _Book:
    """Plays the games of one contest and keeps count."""

    def __init__(self, bot: Bot, rules: Rules, progress: Progress, clock: Clock) -> None:
        self._bot, self._rules = bot, rules
        self._progress, self._clock = progress, clock
        self._over = 0
        self.histogram: Counter[int] = Counter()
        self.moves: Counter[int] = Counter()
        self.cpu_nanoseconds = 0

    def walk(self, bot: Deterministic) -> None:
        """Play every secret, by walking the tree of all that this bot can be answered."""
        waiting = [find_position(BreakerView(self._rules))]
        while waiting:
            position = waiting.pop()
            turns = position.turns
            with self._timed(turns, games=len(position.candidates)):
                number = bot.pick(position)
                if not 0 <= number < self._rules.codes:
                    raise IndexError(f"there is no code number {number}")
                parts = split(position, number)
            for feedback, left in parts:
                if feedback.black == self._rules.pegs:
                    self._end(len(turns) + 1)
                else:
                    waiting.append(left)

    def play(self, number: int, random: Random) -> None:
        """Play the game whose secret has this number."""
        secret = find_code(self._rules.pegs, self._rules.colours, number)
        turns: tuple[Turn, ...] = ()
        guess = None
        while guess != secret:
            with self._timed(turns):
                view = BreakerView(self._rules, turns)
                guess = check_code(self._bot.choose(view, random), self._rules)
            turns += (Turn(guess, score(secret, guess)),)
        self._end(len(turns))

    @contextmanager
    def _timed(self, turns: tuple[Turn, ...], games: int = 1) -> Iterator[None]:
        """Time the search for the next guess, which is made in so many games."""
        if len(turns) == UNLIMITED_GUESSES:
            raise self._failed(turns, "the code is not broken yet")
        began = self._clock()
        try:
            yield
        except Exception as error:
            raise self._failed(turns, f"{type(error).__name__}: {error}") from error
        took = self._clock() - began
        self.cpu_nanoseconds += took
        self.moves[took // 1000] += games

    def _failed(self, turns: tuple[Turn, ...], why: str) -> Refused:
        bot, number = self._bot.name, len(turns) + 1
        if not turns:
            return Refused(Reason.BOT_FAILED, bot=bot, number=number, problem=why)
        guesses = " ".join(format_code(turn.code, self._rules) for turn in turns[:SHOWN])
        guesses += " ..." * (len(turns) > SHOWN)
        return Refused(
            Reason.BOT_FAILED_AFTER, bot=bot, number=number, guesses=guesses, problem=why
        )

    def _end(self, guesses: int) -> None:
        self.histogram[guesses] += 1
        self._over += 1
        self._progress(self._over)
