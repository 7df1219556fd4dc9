"""The bots for either seat, by name.

Importing this package does not import NumPy (see `solver`), but limits NumPy to one thread.
"""

from __future__ import annotations

import os
from types import MappingProxyType
from typing import TYPE_CHECKING

from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.messages import KnownBot
from mastermind_server.bots.bot import Bot, ContradictionError
from mastermind_server.bots.consistent import ConsistentBot, ForgetfulBot
from mastermind_server.bots.devious import DeviousBot
from mastermind_server.bots.greedy import ENTROPY, EXPECTED_SIZE, KNUTH, MOST_PARTS
from mastermind_server.bots.optimal import OPTIMAL, OPTIMAL_5

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ALIASES",
    "BOTS",
    "Bot",
    "ContradictionError",
    "check_codebreaker",
    "describe_bots",
    "find_bot",
]

# The solver's matrix products are small: a second BLAS thread slows them down and takes a core from
# other matches. NumPy reads these variables once, at its import.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

_ALL: tuple[Bot, ...] = (
    ForgetfulBot(),
    ConsistentBot(),
    KNUTH,
    ENTROPY,
    EXPECTED_SIZE,
    MOST_PARTS,
    OPTIMAL_5,
    OPTIMAL,
    DeviousBot(),
)

BOTS: Mapping[str, Bot] = MappingProxyType({bot.name: bot for bot in _ALL})
"""The bots by name.

The weakest at 4 pegs and 6 colours is first, and the bot that only makes codes is last.
"""

ALIASES: Mapping[str, str] = MappingProxyType(
    {"easy": "forgetful", "medium": "random", "hard": "optimal"}
)


def find_bot(name: str, field: str | None = None) -> Bot:
    """Return the bot of this name or alias. Raises Refused (`unknown_bot`).

    The error names `field` as the invalid field of the request.
    """
    bot = BOTS.get(ALIASES.get(name, name))
    if bot is None:
        *names, last = (*BOTS, *ALIASES)
        known = ", ".join(names)
        raise Refused(Reason.UNKNOWN_BOT, field=field, name=name[:40], known=known, last=last)
    return bot


def check_codebreaker(bot: Bot, field: str | None = None) -> None:
    """Raise Refused (`invalid_seats`) if `bot` only makes codes.

    The error names `field` as the invalid field of the request.
    """
    if bot.max_codes == 0:
        raise Refused(Reason.ONLY_A_MAKER, field=field, bot=bot.name)


def describe_bots() -> tuple[KnownBot, ...]:
    """Return the descriptions of the bots that clients receive, the weakest first."""
    return tuple(
        KnownBot(
            name=bot.name,
            about=bot.about,
            largest=bot.max_codes,
            aliases=tuple(alias for alias, name in ALIASES.items() if name == bot.name),
            hides=bot.hiding.about,
        )
        for bot in BOTS.values()
    )
