"""The objects that the parts of one server share."""

from __future__ import annotations

import secrets
from collections import Counter
from dataclasses import dataclass, field
from random import Random, SystemRandom
from typing import TYPE_CHECKING

from mastermind_protocol.events import MATCH_CODE_ALPHABET, MATCH_CODE_LENGTH, RESERVED_MATCH_CODE
from mastermind_server.bans import Bans
from mastermind_server.broadcast import BroadcastScheduler
from mastermind_server.clock import Clock
from mastermind_server.limits import Limiter
from mastermind_server.monitoring.overload import Load, Readiness
from mastermind_server.storage.records import ABANDONED_DAYS
from mastermind_server.timekeeping.pauses import Pauses

if TYPE_CHECKING:
    from mastermind_server.bots.runner import BotRunner
    from mastermind_server.storage.store import Store

NODE_BYTES = 12  # random bytes in the id of a node, which has 16 characters


@dataclass(frozen=True, slots=True)
class Services:
    """The shared objects. `random` is cryptographically secure. `node` is the id of this node.

    A match ends after `abandon_days` days without a move. `tries` counts the tries at codes of days
    that have "begun" or "ended" at this node, by rules and these words.
    """

    store: Store
    bots: BotRunner
    random: Random = field(default_factory=SystemRandom)
    clock: Clock = field(default_factory=Clock)
    broadcasts: BroadcastScheduler = field(default_factory=BroadcastScheduler)
    node: str = field(default_factory=lambda: secrets.token_urlsafe(NODE_BYTES))
    limiter: Limiter = field(default_factory=Limiter)
    readiness: Readiness = field(default_factory=Readiness)
    bans: Bans = field(default_factory=Bans)
    load: Load = field(default_factory=Load)
    tries: Counter[tuple[str, str]] = field(default_factory=Counter)
    pauses: Pauses = field(init=False)
    abandon_days: int = ABANDONED_DAYS

    def __post_init__(self) -> None:
        object.__setattr__(self, "pauses", Pauses(self.clock))

    def draw_match_code(self) -> str:
        """Return a random code for a new match: six characters, about 29 bits."""
        drawn = RESERVED_MATCH_CODE
        while drawn == RESERVED_MATCH_CODE:
            drawn = "".join(self.random.choices(MATCH_CODE_ALPHABET, k=MATCH_CODE_LENGTH))
        return drawn
