"""Rows of the tables `days` and `tries`: the code of a day, and a player's try at it.

Times are in milliseconds since 1970, by the clock of the database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from mastermind_server.storage.rows import WriteRejected

if TYPE_CHECKING:
    from mastermind_protocol.code import Code


class DayRow(NamedTuple):
    """The code of the day number `day` for the rules with this name, drawn at `drawn`.

    `code` has a byte for each peg. The addresses of tries are hashed with `key`, which is None once
    the code is revealed: the hashes then tell nothing. `epoch` is that of the store that has all
    tries, see `contests.withdrawals`. The code was revealed at `revealed`, or the day was withdrawn
    at `withdrawn`; both are None while the day is open.
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


class NewTry(NamedTuple):
    """A new try of a player. `address` is the keyed hash of a public address, or None.

    `counted` is whether the try can have a place, unless an earlier one has the same address.
    """

    day: int
    rules: str
    player: str
    counted: bool
    address: bytes | None


class TryEnd(NamedTuple):
    """The result of a try that ended in time, at `ended`. `how` is a `RoundEnd`.

    `guesses` is their number, or one more than the limit if the code was not broken. `milliseconds`
    is the time from the first guess to the last. `luck` is the number of guesses lost by bad luck
    (see `bots.analysis.advice`), or None if the luck is not computed for the rules.
    """

    day: int
    rules: str
    player: str
    ended: int
    how: str
    guesses: int
    milliseconds: int
    luck: float | None


class TryTaken(WriteRejected):
    """A try cannot begin: the player has one for the day and the rules already."""


class DayNotOpen(WriteRejected):
    """A try can neither begin nor end: the day was withdrawn, or its code was revealed."""

    def __init__(self, *, withdrawn: bool) -> None:
        super().__init__(withdrawn)
        self.withdrawn = withdrawn
