"""The load level of a server, from which on it refuses some requests; moves are never refused."""

from __future__ import annotations

from enum import IntEnum

BUSY_LAG_SECONDS = 0.05  # an idle server on a full machine has 0.005
OVERLOADED_LAG_SECONDS = 0.2  # every player notices this
BUSY_STORE_SECONDS = 0.5  # a hundred times a commit
OVERLOADED_STORE_SECONDS = 2.0  # well below DATABASE_SECONDS, after which moves fail


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

    def update(self, lag: float, wait: float) -> None:
        """Set the level from the lag of the event loop and the wait for the store, in seconds."""
        if lag > OVERLOADED_LAG_SECONDS or wait > OVERLOADED_STORE_SECONDS:
            self.level = Level.OVERLOADED
        elif lag > BUSY_LAG_SECONDS or wait > BUSY_STORE_SECONDS:
            self.level = Level.BUSY
        else:
            self.level = Level.CALM
