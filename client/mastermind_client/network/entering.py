"""Entering and leaving matches."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from mastermind_client.clock import LEAVE_SECONDS
from mastermind_client.config.options import (
    ANYONE,
    FRIEND,
    ChallengeOptions,
    JoinOptions,
    PlayOptions,
    ReviewOptions,
    WatchOptions,
)
from mastermind_client.network.failures import (
    NameOpenElsewhere,
    SeatOpenElsewhere,
    ServerUnreachable,
)
from mastermind_client.network.players.identities import Identities, is_chosen
from mastermind_protocol.errors import ErrorCode, Reason, Refused
from mastermind_protocol.events import Seat
from mastermind_protocol.requests import SEAT_FOR_ANYONE, SEAT_FOR_ME
from mastermind_protocol.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from mastermind_client.config.options import MatchOptions
    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.session import Session
    from mastermind_protocol.match import Match

_LOG = logging.getLogger(__name__)
MAKER_BOT = "random"  # sets the secret of a match that is opened to watch another bot


async def enter_match(session: Session, options: MatchOptions, identities: Identities) -> Mirror:
    """Open, find, join or follow the match that `options` describe, and return its mirror.

    Raises Refused, ServerUnreachable, and SeatOpenElsewhere if the user's seat is open in another
    client. NameOpenElsewhere is raised if the rated player with our name is open there, or for a
    new rated match of a guest without a wished name, if the user's named player is.
    """
    rated = isinstance(options, PlayOptions | ChallengeOptions) and options.rated
    if rated and options.name is None and not is_chosen(session.player.name):
        await _check_name(session, identities)
    try:
        return await _enter_match(session, options, identities)
    except Refused as refusal:
        if refusal.reason is Reason.NAME_TAKEN:
            await _check_name(session, identities)
        raise


async def _check_name(session: Session, identities: Identities) -> None:
    """Raise NameOpenElsewhere if the player with our name, or for a guest with any, is open."""
    name = await asyncio.to_thread(identities.find_name_open_elsewhere, session.identity)
    if name is not None:
        raise NameOpenElsewhere(Reason.NAME_TAKEN, name=name)


async def _enter_match(session: Session, options: MatchOptions, identities: Identities) -> Mirror:
    match options:
        case PlayOptions():
            return await _open_match(session, options)
        case JoinOptions(code=str(code), own=own):
            if own and not session.identity.has_seat(code):
                raise SeatOpenElsewhere(code)
            return await _take_seat(session, code, identities)
        case ChallengeOptions():
            return await session.challenge(
                None, options.rules.name, name=options.opponent, rounds=options.rounds,
                rated=options.rated, clock=options.clock,
            )  # fmt: skip
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
        if session.identity.has_seat(code):
            raise
        if await asyncio.to_thread(identities.is_open_elsewhere, session.server, code):
            raise SeatOpenElsewhere(code) from refusal
        raise


async def _open_match(session: Session, options: PlayOptions) -> Mirror:
    rules, seat = options.rules.name, options.seat
    if options.versus == ANYONE:
        return await session.seek(
            rules, rounds=options.total_rounds, seat=seat, rated=options.rated, clock=options.clock
        )
    opponent = SEAT_FOR_ANYONE if options.versus == FRIEND else options.versus
    maker, breaker = (SEAT_FOR_ME, opponent) if seat is Seat.MAKER else (opponent, SEAT_FOR_ME)
    open_rounds = partial(
        session.open, rules, maker=maker, breaker=breaker,
        public=options.public, rated=options.rated, clock=options.clock, seed=options.seed,
    )  # fmt: skip
    try:
        return await open_rounds(rounds=options.total_rounds)
    except Refused as refusal:
        only_makes_codes = options.against_bot and refusal.code == ErrorCode.INVALID_SEATS
        if options.rounds or not only_makes_codes:
            raise
        return await open_rounds(rounds=1)  # the user has asked for no second round


def is_invitation(match: Match) -> bool:
    """Return whether the match waits for an invited friend. Such a match can be suspended."""
    opened = match.opened
    return opened.previous is None and opened.reserved is None and not opened.public


async def leave_eventually(leave: Callable[[], Awaitable[None]]) -> None:
    """Call `leave`, and wait until it is done, without a timeout. A failure is logged."""
    try:
        await leave()
    except (Refused, ServerUnreachable) as error:
        _LOG.debug("could not leave: %s", error)


async def leave_within_timeout(session: Session, leave: Callable[[], Awaitable[None]]) -> bool:
    """Call `leave`. Return whether it succeeds within LEAVE_SECONDS.

    A failure is logged, except that Refused is raised if an opponent has just joined the match.
    """
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
        if isinstance(error, Refused) and error.reason is Reason.JUST_JOINED:
            raise
        _LOG.debug("could not leave: %s", error)
    finally:
        leaving.cancel()
    return False


async def enter_or_leave(
    session: Session,
    leave: Callable[[Mirror], Awaitable[None]],
    entering: Coroutine[Any, Any, Mirror],
) -> Mirror:
    """Await `entering`, and return the entered match.

    If this task is cancelled, `entering` can still take LEAVE_SECONDS. If it enters a match in this
    time, `leave` is called with the match.
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
