"""Entering the match that options describe, and leaving it when the client or a page closes."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from mastermind_client.config.options import (
    ANYONE,
    FRIEND,
    JoinOptions,
    PlayOptions,
    ReviewOptions,
    WatchOptions,
)
from mastermind_client.network.failures import SeatOpenElsewhere, ServerUnreachable
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import Seat
from mastermind_protocol.requests import ME, OPEN
from mastermind_protocol.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from mastermind_client.config.options import MatchOptions
    from mastermind_client.network.identity import Identities
    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.session import Session
    from mastermind_protocol.match import Match

_LOG = logging.getLogger(__name__)
LEAVE_SECONDS = 2.0  # that a leaving player waits for the server
MAKER_BOT = "random"  # the codemaker of two bots


async def enter_match(session: Session, options: MatchOptions, identities: Identities) -> Mirror:
    """Open, find, join or follow the match that `options` describe, and return its mirror.

    Raises Refused, ServerUnreachable, and SeatOpenElsewhere if the user's seat is open in another
    client.
    """
    match options:
        case PlayOptions():
            return await _open_match(session, options)
        case JoinOptions(code=str(code), own=own):
            if own and not session.identity.has_seat(code):
                raise SeatOpenElsewhere(code)
            return await _take_seat(session, code, identities)
        case WatchOptions(bot=str(bot), rules=Rules(name=rules), secret=secret, public=public):
            return await session.open(
                rules, maker=MAKER_BOT, breaker=bot, public=public, secret=secret
            )
        case WatchOptions(code=str(code)) | ReviewOptions(code=str(code)):
            return await session.follow(code)
        case _:
            raise ValueError(f"no match is named by {options}")


async def _take_seat(session: Session, code: str, identities: Identities) -> Mirror:
    try:
        return await session.join(code)
    except Refused as refusal:
        if await asyncio.to_thread(identities.is_open_elsewhere, session.server, code):
            raise SeatOpenElsewhere(code) from refusal
        raise


async def _open_match(session: Session, options: PlayOptions) -> Mirror:
    rules, seat = options.rules.name, options.seat
    if options.versus == ANYONE:
        return await session.seek(
            rules, rounds=options.total_rounds, seat=seat, rated=options.rated, clock=options.clock
        )
    opponent = OPEN if options.versus == FRIEND else options.versus
    maker, breaker = (ME, opponent) if seat is Seat.MAKER else (opponent, ME)
    return await session.open(
        rules, maker=maker, breaker=breaker, rounds=options.total_rounds,
        public=options.public, rated=options.rated, clock=options.clock, seed=options.seed,
    )  # fmt: skip


def is_invitation(match: Match) -> bool:
    """Return whether the free seat is for an invited friend. An invitation can be suspended."""
    opened = match.opened
    return opened.previous is None and opened.reserved is None and not opened.public


async def leave_eventually(leave: Callable[[], Awaitable[None]]) -> None:
    """Call `leave`, which waits for a connection. A failure is logged."""
    try:
        await leave()
    except (Refused, ServerUnreachable) as error:
        _LOG.debug("could not leave: %s", error)


async def leave_within_timeout(session: Session, leave: Callable[[], Awaitable[None]]) -> bool:
    """Return whether `leave` succeeds within LEAVE_SECONDS. A failure is logged."""
    if not session.connected:
        return False
    leaving = asyncio.ensure_future(leave())  # timeouts fail in a cancelled task before 3.11.4
    try:
        await asyncio.wait([leaving], timeout=LEAVE_SECONDS)
        if leaving.done():
            leaving.result()
            return True
        _LOG.debug("could not leave in %s s", LEAVE_SECONDS)
    except (Refused, ServerUnreachable) as error:
        _LOG.debug("could not leave: %s", error)
    finally:
        leaving.cancel()
    return False


async def enter_or_leave(
    session: Session,
    leave: Callable[[Mirror], Awaitable[None]],
    entering: Coroutine[Any, Any, Mirror],
) -> Mirror:
    """Return the match that `entering` returns.

    If this task is cancelled, and the match is entered within LEAVE_SECONDS, the match is left
    again.
    """
    entered = asyncio.create_task(entering)
    try:
        return await asyncio.shield(entered)
    except asyncio.CancelledError:
        await asyncio.wait([entered], timeout=LEAVE_SECONDS if session.connected else 0)
        if entered.done() and entered.exception() is None:
            await leave(entered.result())
        raise
    finally:
        entered.cancel()
