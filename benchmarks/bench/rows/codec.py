"""*codec*: reading a guess and writing its event, beside bare msgpack of the same maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from bench.processes import ROOM, run_inside
from bench.rows.row import Measure, Plot, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.processes import Subject

READ, WRITE = "a guess read", "its event written"


class Codec:
    """What checking every field costs, and making frames of structs."""

    name: ClassVar[str] = "codec"
    bare: ClassVar[Sequence[Subject]] = (ROOM,)
    others: ClassVar[bool] = True
    plots: ClassVar[Sequence[Plot]] = ()
    measures: ClassVar[Sequence[Measure]] = (Measure(READ, "us CPU"), Measure(WRITE, "us CPU"))

    async def run(self, subject: Subject, *, quick: bool) -> Run:  # noqa: ARG002 - it is quick
        """Measure in a process of its own."""
        return Run(await run_inside(subject, "bench.inside.codec"))
