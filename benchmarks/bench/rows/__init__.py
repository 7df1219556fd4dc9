"""The rows of `make bench`, by name."""

from __future__ import annotations

from bench.rows.clocks import RUNNING_CLOCKS
from bench.rows.day import DAY
from bench.rows.leaderboard import LEADERBOARD
from bench.rows.meeting import MEETING
from bench.rows.memory import MEMORY
from bench.rows.move import MOVE
from bench.rows.nodes import NODES
from bench.rows.pages import PAGES
from bench.rows.reconnecting import RECONNECTING, STALLING, STARTING
from bench.rows.watching import WATCHING

ROWS = {
    row.name: row
    for row in (
        MOVE, MEMORY, WATCHING, PAGES, RECONNECTING, STALLING, STARTING, NODES, MEETING,
        RUNNING_CLOCKS, LEADERBOARD, DAY,
    )
}  # fmt: skip
