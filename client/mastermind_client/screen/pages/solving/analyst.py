"""The analysis of the present position in the background."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client import solver
from mastermind_client.messages.solving.notation import Position
from mastermind_protocol.errors import MastermindError

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from mastermind_client.screen.app import App
    from mastermind_protocol.code import Code
    from mastermind_protocol.match import Turn
    from mastermind_protocol.messages import PositionAnalysis
    from mastermind_protocol.requests import Measure
    from mastermind_protocol.rules import Rules

SLOW_SECONDS = 0.3  # of computing: then the user reads that the program works
SHOWN_GUESSES = 5  # the best next guesses of an analysis


class Analyst:
    """Computes one position at a time. A new position replaces the present one.

    `analysis` is that of the present position, or None. `choice` is the guess of a bot, or None.
    `error` is why the bot makes no guess, or None. `is_slow` is whether the work has taken
    SLOW_SECONDS, and `is_stopped` whether the user has stopped it. `on_found` is called when
    the analysis or the choice is there.
    """

    def __init__(self, app: App, on_found: Callable[[], None]) -> None:
        self.analysis: PositionAnalysis | None = None
        self.choice: Code | None = None
        self.error: MastermindError | None = None
        self.is_slow = self.is_stopped = False
        self._app, self._on_found = app, on_found
        self._position: tuple[Rules, tuple[Turn, ...], str | None] | None = None
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, rules: Rules, turns: tuple[Turn, ...], by: Measure, bot: str | None) -> None:
        """Analyse a position, and with `bot` choose its next guess.

        If the position is the same as before, its last analysis remains until then.
        """
        self.close()
        if self._position != (rules, turns, bot):
            self.analysis = self.choice = self.error = None
        self._position, self.is_stopped = (rules, turns, bot), False
        self._timer = self._app.clock.call_later(SLOW_SECONDS, self._become_slow)
        self._task = self._app.spawn(self._work(rules, turns, by, bot))
        self._task.add_done_callback(self._end)

    def stop(self) -> None:
        """Stop the work, because the user does not want to wait."""
        self.is_stopped = True
        self.close()

    def close(self) -> None:
        """End the work on a position."""
        self.is_slow = False
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()

    async def _work(
        self, rules: Rules, turns: tuple[Turn, ...], by: Measure, bot: str | None
    ) -> None:
        self.analysis = await solver.analyse(rules, turns, by, SHOWN_GUESSES)
        self._on_found()
        solved = Position(rules, turns).is_solved
        if bot is None or solved or not self.analysis.left or self.choice is not None:
            return
        try:
            self.choice = await solver.choose_guess(bot, rules, turns)
        except MastermindError as error:
            self.error = error
        self._on_found()

    def _become_slow(self) -> None:
        self.is_slow = True
        self._app.redraw()

    def _end(self, task: asyncio.Task[None]) -> None:
        """End the notice of slow work, unless a newer task is in work."""
        if task is self._task and self._timer is not None:
            self._timer.cancel()
            self.is_slow = False
