"""To a match, by the requests to a session that open it or find it, and away from it in time."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from mastermind_client.config.options import ANYONE, FRIEND
from mastermind_client.net.failures import ServerUnreachable
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import Seat
from mastermind_protocol.messages import ME, OPEN

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mastermind_client.config.options import PlayOptions
    from mastermind_client.net.mirror import Mirror
    from mastermind_client.net.session import Session
    from mastermind_protocol.code import Code

_LOG = logging.getLogger(__name__)
LEAVE_SECONDS = 2.0  # for saying good-bye to the server: nobody waits longer for a prompt
MAKER_BOT = "random"  # sets the secret where two bots play: all that keep a code set it alike


async def sit_down(session: Session, options: PlayOptions) -> Mirror:
    """Open the match that was asked for, or find it, and take a seat. Raises Refused."""
    rules, seat = options.rules.name, options.seat
    if options.versus == ANYONE:
        return await session.seek(rules, rounds=options.rounds, seat=seat, rated=options.rated)
    opponent = OPEN if options.versus == FRIEND else options.versus
    maker, breaker = (ME, opponent) if seat is Seat.MAKER else (opponent, ME)
    return await session.open(
        rules,
        maker=maker,
        breaker=breaker,
        rounds=options.rounds,
        public=options.public,
        rated=options.rated,
        seed=options.seed,
    )


async def let_bots_play(
    session: Session, rules: str, breaker: str, *, secret: Code | None = None, public: bool = False
) -> Mirror:
    """Open a match in which a bot breaks a code, and look on. Raises Refused."""
    return await session.open(rules, maker=MAKER_BOT, breaker=breaker, public=public, secret=secret)


async def leave_in_time(leave: Callable[[], Awaitable[None]]) -> None:
    """Leave what is to be left, at once or when the connection is back: the session asks again.

    That a session ends before that, or a server refuses, is nothing that could be mended any more.
    """
    try:
        await leave()
    except (Refused, ServerUnreachable) as error:
        _LOG.debug("could not leave: %s", error)


async def say_good_bye(session: Session, leave: Callable[[], Awaitable[None]]) -> bool:
    """Leave what is to be left, if that can be done at once; tell whether it was done."""
    if not session.connected:
        return False
    try:
        async with asyncio.timeout(LEAVE_SECONDS):
            await leave()
    except (TimeoutError, Refused, ServerUnreachable) as error:
        _LOG.debug("could not say good-bye: %s", error)
        return False
    return True
