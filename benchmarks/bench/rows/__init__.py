"""The rows of `make bench`, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.rows.codec import Codec
from bench.rows.growth import Growth
from bench.rows.memory import Memory
from bench.rows.move import Move
from bench.rows.nodes import Nodes
from bench.rows.reconnecting import Reconnecting
from bench.rows.starting import Starting
from bench.rows.store import Store
from bench.rows.watching import Watching

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bench.rows.row import Row

_ALL: tuple[Row, ...] = (
    *(Move(), Growth(), Memory(), Watching(), Reconnecting(), Starting()),
    *(Store(), Codec(), Nodes()),
)
ROWS: Mapping[str, Row] = {row.name: row for row in _ALL}
