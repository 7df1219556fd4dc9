"""The bots that sit in either seat, by name.

Importing this package does not import NumPy: see `solver`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_server.bots.bot import Bot, BreakerView, ContradictionError
from mastermind_server.bots.consistent import Consistent
from mastermind_server.bots.minimax import Minimax

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mastermind_protocol.rules import Rules

__all__ = ["BOTS", "Bot", "BreakerView", "ContradictionError", "check_breakable", "find_bot"]

_ALL: tuple[Bot, ...] = (Consistent(), Minimax())

BOTS: Mapping[str, Bot] = MappingProxyType({bot.name: bot for bot in _ALL})


def find_bot(name: str) -> Bot:
    """Return the bot of this name; raises Refused (`unknown_bot`), naming those there are."""
    bot = BOTS.get(name)
    if bot is None:
        raise Refused(
            ErrorCode.UNKNOWN_BOT, f"{name[:40]!r} is no bot here: use {' or '.join(BOTS)}"
        )
    return bot


def check_breakable(bot: Bot, rules: Rules) -> None:
    """Raise Refused (`rules_too_large`) if the bot cannot be codebreaker under these rules."""
    if rules.codes > bot.largest:
        raise Refused(
            ErrorCode.RULES_TOO_LARGE,
            f"{rules} has {rules.codes} codes, and {bot.name} breaks at most {bot.largest}",
            limit=bot.largest,
        )
