"""What the tables of one server share: the store, the clocks, chance, the bots, and more."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from random import Random, SystemRandom
from typing import TYPE_CHECKING

from mastermind_protocol.events import MATCH_CODE_ALPHABET, MATCH_CODE_LENGTH
from mastermind_server.bans import Bans
from mastermind_server.clock import Clock
from mastermind_server.fanout import Fanout
from mastermind_server.following import Following
from mastermind_server.health.overload import Load, Readiness
from mastermind_server.limits import Limiter
from mastermind_server.tuning import ABANDONED_DAYS

if TYPE_CHECKING:
    from mastermind_server.bots.runner import BotRunner
    from mastermind_server.storage.store import Store

NODE_BYTES = 12  # of chance, in the 16 characters that a node is known by


@dataclass(frozen=True, slots=True)
class Services:
    """The surroundings of a table. `random` is unpredictable, `node` this server's name.

    A match in which nothing happens for `abandon_after` days ends.
    """

    store: Store
    bots: BotRunner
    random: Random = field(default_factory=SystemRandom)
    clock: Clock = field(default_factory=Clock)
    fanout: Fanout = field(default_factory=Fanout)
    following: Following = field(default_factory=Following)
    node: str = field(default_factory=lambda: secrets.token_urlsafe(NODE_BYTES))
    limiter: Limiter = field(default_factory=Limiter)
    readiness: Readiness = field(default_factory=Readiness)
    bans: Bans = field(default_factory=Bans)
    load: Load = field(default_factory=Load)
    abandon_after: int = ABANDONED_DAYS

    def draw_match_code(self) -> str:
        """Return a code for a new match: six characters, some 29 bits."""
        return "".join(self.random.choices(MATCH_CODE_ALPHABET, k=MATCH_CODE_LENGTH))
