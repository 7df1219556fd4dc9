"""Rows of the tables `days` and `tries`: the code of a day, and a player's try at it.

Times are in milliseconds since 1970, by the clock of the database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from mastermind_protocol.code import Code


class DayRow(NamedTuple):
    """The code of the day number `day` for the rules with this name, drawn at `drawn`.

    `code` has a byte for each peg. The addresses of tries are hashed with `key`, which is None once
    the code is revealed: the hashes then tell nothing. `epoch` is that of the store when the code
    was drawn. The code was revealed at `revealed`, or the day was withdrawn at `withdrawn`; both
    are None while the day is open.
    """

    day: int
    rules: str
    code: bytes
    nonce: bytes
    commitment: bytes
    key: bytes | None
    epoch: str
    drawn: int
    revealed: int | None = None
    withdrawn: int | None = None

    @property
    def secret(self) -> Code:
        """The code as a tuple of colours."""
        return tuple(self.code)

    @property
    def state(self) -> Literal["open", "closed", "withdrawn"]:
        """The state of the day: only an open day has tries, and a code that no player may see."""
        if self.withdrawn is not None:
            return "withdrawn"
        return "open" if self.revealed is None else "closed"
