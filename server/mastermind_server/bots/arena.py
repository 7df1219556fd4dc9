"""The arena: one bot plays against every secret of some rules, or against random secrets.

The random secrets are uniform, or hidden by another bot. The arena ignores the limit on guesses: a
game ends when the code is broken.

A deterministic bot makes the same guess in equal positions, so its games against all secrets form
one tree. The arena walks this tree, and computes a guess once for all games that share it. Other
bots play one game at a time, and so do all bots against random secrets.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random
from typing import TYPE_CHECKING, Protocol

from mastermind_protocol.code import check_code, format_code
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.feedback import score
from mastermind_protocol.match import BreakerView, Turn
from mastermind_protocol.rules import UNLIMITED_GUESSES
from mastermind_server.bots import check_codebreaker, find_bot
from mastermind_server.bots.bot import MAX_LISTED_CODES, DeterministicBot
from mastermind_server.bots.devious import DeviousBot
from mastermind_server.bots.position import find_position, split_position
from mastermind_server.bots.solver import find_code_by_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mastermind_protocol.code import Code
    from mastermind_protocol.rules import Rules
    from mastermind_server.bots import Bot

    Progress = Callable[[int], object]
    Clock = Callable[[], int]

MAX_LISTED_GUESSES = 9  # in an error message: games without errors are shorter


class Codebreaker(Protocol):
    """What the arena measures: a bot of the server, or another object like one (see `Bot`)."""

    @property
    def name(self) -> str:
        """The name in the results."""

    @property
    def draws(self) -> bool:
        """Whether guesses depend on the argument `random` of `choose`."""

    def choose(self, view: BreakerView, random: Random) -> Code:
        """Return the next guess."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The result of a contest. `is_sample` is true if the secrets were random.

    `histogram` maps the length of a game in guesses to the number of such games. `guess_times` maps
    the processor time of a guess, in microseconds, to the number of such guesses. `cpu_nanoseconds`
    is the processor time of all guesses. `seed` is None if the contest used no random numbers.
    `maker` is the name of the bot that hid the secrets, or None if they were uniform.
    """

    rules: Rules
    bot: str
    is_sample: bool
    seed: int | None
    histogram: Mapping[int, int]
    guess_times: Mapping[int, int] = field(repr=False)
    cpu_nanoseconds: int
    maker: str | None = None

    @property
    def games(self) -> int:
        """The number of games."""
        return sum(self.histogram.values())

    @property
    def total_guesses(self) -> int:
        """The number of guesses in all games."""
        return sum(guesses * games for guesses, games in self.histogram.items())

    @property
    def mean(self) -> float:
        """The mean number of guesses in a game."""
        return self.total_guesses / self.games

    @property
    def worst(self) -> int:
        """The number of guesses in the longest game."""
        return max(self.histogram)

    @property
    def standard_error(self) -> float | None:
        """The standard error of `mean`, or None if the games are no sample or fewer than two."""
        if not self.is_sample or self.games < 2:
            return None
        squares = sum(
            games * (guesses - self.mean) ** 2 for guesses, games in self.histogram.items()
        )
        return math.sqrt(squares / (self.games - 1) / self.games)

    @property
    def seconds(self) -> float:
        """The total processor time, in seconds."""
        return self.cpu_nanoseconds / 1e9

    @property
    def median_ms(self) -> float:
        """The median processor time of a guess, in milliseconds."""
        ascending = sorted(self.guess_times.items())
        passed = accumulate(moves for _, moves in ascending)
        half = self.total_guesses / 2
        return next(
            micros / 1e3
            for (micros, _), moves in zip(ascending, passed, strict=True)
            if moves >= half
        )

    @property
    def longest_ms(self) -> float:
        """The longest processor time of a guess, in milliseconds."""
        return max(self.guess_times) / 1e3


@dataclass(frozen=True, slots=True)
class Contest:
    """A bot and its task: break `sample_size` random secrets, or every secret if that is None.

    `seed` determines the bot's random choices and the random secrets, which are the same for every
    bot. With a `maker`, which needs a `sample_size`, this bot hides the secrets, or chooses them
    anew at each guess.
    """

    bot: Codebreaker
    rules: Rules
    sample_size: int | None
    seed: int
    maker: Bot | None = None

    @property
    def games(self) -> int:
        """The number of games to play."""
        return self.sample_size or self.rules.codes

    def play(self, progress: Progress, clock: Clock = time.thread_time_ns) -> Tally:
        """Play all games and return the result.

        `progress` is called with the number of finished games after each game. `clock` returns the
        thread's processor time in nanoseconds. Raises Refused (`internal`) if the bot fails, makes
        an invalid guess, or does not break a code in `UNLIMITED_GUESSES` guesses.
        """
        games = _Games(self.bot, self.rules, progress, clock)
        is_sample = self.sample_size is not None
        listed = self.rules.codes <= MAX_LISTED_CODES
        if listed and not is_sample and isinstance(self.bot, DeterministicBot):
            games.play_tree(self.bot)
        else:
            random = Random(self.seed)  # noqa: S311 - the seed makes the contest repeatable
            adaptive = self.maker if isinstance(self.maker, DeviousBot) else None
            for secret in self._list_secrets(random):
                games.play_game(secret, random, adaptive)
        return Tally(
            rules=self.rules,
            bot=self.bot.name,
            is_sample=is_sample,
            seed=self.seed if is_sample or self.bot.draws else None,
            histogram=dict(sorted(games.histogram.items())),
            guess_times=games.guess_times,
            cpu_nanoseconds=games.cpu_nanoseconds,
            maker=None if self.maker is None else self.maker.name,
        )

    def _list_secrets(self, random: Random) -> Iterator[Code]:
        """Yield the secrets to play. Some can repeat."""
        if self.maker is not None:
            hidden = [self.maker.hide(self.rules, random) for _ in range(self.games)]
            yield from hidden
            return
        codes, size = self.rules.codes, self.sample_size
        numbers: Sequence[int] = (
            range(codes) if size is None else [random.randrange(codes) for _ in range(size)]
        )
        for number in numbers:
            yield find_code_by_number(self.rules.space, number)


def find_breaker(name: str) -> Bot:
    """Return the bot `name`. Raises Refused if there is none, or if it only makes codes."""
    bot = find_bot(name)
    check_codebreaker(bot)
    return bot


class _Games:
    """Plays the games of one contest and counts guesses and times."""

    def __init__(self, bot: Codebreaker, rules: Rules, progress: Progress, clock: Clock) -> None:
        self._bot, self._rules = bot, rules
        self._progress, self._clock = progress, clock
        self._finished = 0
        self.histogram: Counter[int] = Counter()
        self.guess_times: Counter[int] = Counter()
        self.cpu_nanoseconds = 0

    def play_tree(self, bot: DeterministicBot) -> None:
        """Play against every secret by walking the tree of possible feedback."""
        pending = [find_position(BreakerView(self._rules))]
        while pending:
            position = pending.pop()
            turns = position.turns
            with self._time_guess(turns, games=len(position.candidates)):
                number = bot.choose_code_number(position)
                if not 0 <= number < self._rules.codes:
                    raise IndexError(f"there is no code number {number}")
                parts = split_position(position, number)
            for feedback, left in parts:
                if feedback.black == self._rules.pegs:
                    self._record_game(len(turns) + 1)
                else:
                    pending.append(left)

    def play_game(self, secret: Code, random: Random, adaptive: DeviousBot | None) -> None:
        """Play one game against `secret`, which an adaptive codemaker replaces at each guess."""
        turns: tuple[Turn, ...] = ()
        guess = None
        while guess != secret:
            with self._time_guess(turns):
                view = BreakerView(self._rules, turns)
                guess = check_code(self._bot.choose(view, random), self._rules)
            if adaptive is not None:
                secret = adaptive.rechoose(view, guess)
            turns += (Turn(guess, score(secret, guess)),)
        self._record_game(len(turns))

    @contextmanager
    def _time_guess(self, turns: tuple[Turn, ...], games: int = 1) -> Iterator[None]:
        """Measure the processor time of the block, which computes the guess after `turns`.

        `games` is the number of games with this guess: `guess_times` counts the time for each of
        them. Raises Refused if the block raises any exception, and if `turns` has
        UNLIMITED_GUESSES items.
        """
        if len(turns) == UNLIMITED_GUESSES:
            raise self._make_failure(turns, "the code is not broken yet")
        started = self._clock()
        try:
            yield
        except Exception as error:
            raise self._make_failure(turns, f"{type(error).__name__}: {error}") from error
        took = self._clock() - started
        self.cpu_nanoseconds += took
        self.guess_times[took // 1000] += games

    def _make_failure(self, turns: tuple[Turn, ...], problem: str) -> Refused:
        bot, number = self._bot.name, len(turns) + 1
        if not turns:
            return Refused(Reason.BOT_FAILED, bot=bot, number=number, problem=problem)
        guesses = " ".join(
            format_code(turn.code, self._rules) for turn in turns[:MAX_LISTED_GUESSES]
        )
        guesses += " ..." * (len(turns) > MAX_LISTED_GUESSES)
        return Refused(
            Reason.BOT_FAILED_AFTER, bot=bot, number=number, guesses=guesses, problem=problem
        )

    def _record_game(self, guesses: int) -> None:
        self.histogram[guesses] += 1
        self._finished += 1
        self._progress(self._finished)
