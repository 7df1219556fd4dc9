"""Which row of a list is selected, and which rows of it are seen: for forms and tables alike."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Selection:
    """One of `count` rows, and a view of `rows` of them from `top` on that always holds it.

    Nothing that is done to it can make it point at no row, unless there is none.
    """

    count: int = 0
    index: int = 0
    top: int = 0
    rows: int = 1

    def resize(self, count: int) -> None:
        """Set the number of rows."""
        self.count = count
        self._keep(self.index)

    def select(self, index: int) -> bool:
        """Select a row, or the nearest there is; tell whether that is another one."""
        before = self.index
        self._keep(index)
        return self.index != before

    def move(self, step: int) -> bool:
        """Go so many rows down, or up if negative, as far as there are any; tell whether."""
        return self.select(self.index + step)

    def page(self, direction: int) -> bool:
        """Go as many rows down, or up, as are seen at once; tell whether there were any."""
        return self.move(direction * max(1, self.rows - 1))

    def see(self, rows: int) -> range:
        """Return which rows are seen where there is room for so many: the selected one is."""
        self.rows = max(1, rows)
        lowest = max(0, min(self.index, self.count - self.rows))
        self.top = min(max(self.top, self.index - self.rows + 1, 0), lowest)
        return range(self.top, min(self.count, self.top + self.rows))

    def _keep(self, index: int) -> None:
        self.index = max(0, min(index, self.count - 1))
