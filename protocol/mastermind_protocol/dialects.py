"""The dialects of the protocol: what a client understands, by the subprotocol of its handshake.

New fields and kinds of messages need no new dialect, because clients ignore unknown ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.messages import OLD_SUBPROTOCOLS, SUBPROTOCOL

if TYPE_CHECKING:
    from mastermind_protocol.match import Match


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a client with the subprotocol `name` understands.

    `clocks`: the events of clocks and ratings. `challenges`: the messages about challenges, and
    the lobbies that they open. `contests`: entries of contests, whose code is proven later.
    `unique_colours`: rules whose codes have no colour twice.
    """

    name: str
    clocks: bool
    challenges: bool
    contests: bool
    unique_colours: bool

    def find_refusal(self, match: Match) -> Refused | None:
        """Return why a client of this dialect cannot follow or play `match`, or None if it can."""
        if match.clock is not None and not self.clocks:
            return Refused(Reason.NEEDS_V2, field="match", clock=match.clock.name)
        if match.is_entry and not self.contests:
            return Refused(Reason.NEEDS_V3, field="match")
        if not match.rules.repeats and not self.unique_colours:
            return Refused(Reason.REPEATS_NEED_V3, field="match", rules=match.rules.name)
        return None


DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect(SUBPROTOCOL, clocks=True, challenges=True, contests=True, unique_colours=True),
        Dialect(
            OLD_SUBPROTOCOLS[0], clocks=True, challenges=True, contests=False, unique_colours=False
        ),
        Dialect(
            OLD_SUBPROTOCOLS[1],
            clocks=False,
            challenges=False,
            contests=False,
            unique_colours=False,
        ),
    )
}
"""All dialects by name, the newest first. Clients offer them, and servers select in this order."""

NEWEST_DIALECT = DIALECTS[SUBPROTOCOL]
