"""When moves are due in an open loop: at a rate, whatever becomes of those before."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Schedule:
    """So many moves a second for so many seconds, evenly; times count from its beginning."""

    rate: float
    seconds: float

    def __post_init__(self) -> None:
        if self.rate <= 0 or self.seconds <= 0:
            raise ValueError(f"a schedule of {self.rate} moves/s in {self.seconds} s has no moves")

    @property
    def moves(self) -> int:
        """How many there are."""
        return max(1, round(self.rate * self.seconds))

    def due(self, number: int) -> float:
        """Return when a move is due; the first has number 0."""
        return number / self.rate

    def count_due(self, elapsed: float) -> int:
        """Return how many are due by then."""
        if elapsed < 0:
            return 0
        return min(self.moves, int(elapsed * self.rate + 1e-9) + 1)
