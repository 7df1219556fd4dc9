"""The load level of a server, from which on it refuses some requests; moves are never refused."""

from __future__ import annotations

from enum import IntEnum

from mastermind_server import tuning


class Level(IntEnum):
    """The requests that are refused; each level includes the one before it.

    Moves, and requests that bring a player back to a match, are served at each level, as long as
    the queue of the store has room.
    """

    CALM = 0  # none
    BUSY = 1  # requests that no match waits for: new matches, lists, reviews, advice
    OVERLOADED = 2  # joining and following matches, new players, chat


class Load:
    """The present load level."""

    __slots__ = ("level",)

    def __init__(self) -> None:
        self.level = Level.CALM

    def feel(self, lag: float, wait: float) -> None:
        """Set the level from the lag of the event loop and the wait for the store, in seconds."""
        if lag > tuning.OVERLOADED_LAG_SECONDS or wait > tuning.OVERLOADED_STORE_SECONDS:
            self.level = Level.OVERLOADED
        elif lag > tuning.BUSY_LAG_SECONDS or wait > tuning.BUSY_STORE_SECONDS:
            self.level = Level.BUSY
        else:
            self.level = Level.CALM
