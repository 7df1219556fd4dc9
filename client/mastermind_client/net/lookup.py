"""Queries for the unfinished matches of players without a running client.

They use read-only identities and claim none, because the player's terminal may return at any time.
"""

from __future__ import annotations

import asyncio
import logging
from itertools import chain
from typing import TYPE_CHECKING

from mastermind_client.config.options import OFFLINE, JoinOptions
from mastermind_client.net.failures import NothingToContinue, SeatOpenElsewhere, ServerUnreachable
from mastermind_client.net.identity import Identities
from mastermind_client.net.running import list_seats, sort_seats
from mastermind_client.net.session import Session
from mastermind_protocol.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from mastermind_client.config.options import ContinueOptions
    from mastermind_client.context import ClientContext
    from mastermind_client.net.identity import KnownIdentity
    from mastermind_client.net.running import OwnSeat

_LOG = logging.getLogger(__name__)


async def look_up(context: ClientContext) -> dict[Path, list[OwnSeat]]:
    """Return the matches of all unused identities of this user, by their token files.

    If a server cannot be reached, they are returned as stored.
    """
    known = await asyncio.to_thread(Identities.of(context).list_known)
    free = [identity for identity in known if not identity.held]
    looked = await asyncio.gather(*(_visit(context, identity) for identity in free))
    return {identity.path: seats for identity, seats in zip(free, looked, strict=True)}


async def find_seats(context: ClientContext, options: ContinueOptions) -> list[OwnSeat]:
    """Return the matches to resume, the most urgent first.

    Raises NothingToContinue.
    """
    found = sort_seats(chain.from_iterable((await look_up(context)).values()))
    if options.server is not None:
        found = [seat for seat in found if seat.server == options.server]
    if options.name is not None:
        found.sort(key=lambda seat: seat.player != options.name)
    if not found:
        known = await asyncio.to_thread(Identities.of(context).list_known)
        raise NothingToContinue(elsewhere=any(identity.held for identity in known))
    return found


async def find_way_back(context: ClientContext, options: ContinueOptions) -> JoinOptions:
    """Return the match to resume, and its server.

    Raises NothingToContinue, and SeatOpenElsewhere if another client plays the named match.
    """
    if options.code is not None:
        known = await asyncio.to_thread(Identities.of(context).list_known)
        return _find_known(options, options.code, known)
    return go_back_to((await find_seats(context, options))[0])


def go_back_to(seat: OwnSeat) -> JoinOptions:
    """Return the options that resume a match as its player."""
    return JoinOptions(seat.match.code, seat.server, seat.player or None, own=True)


def _find_known(
    options: ContinueOptions, code: str, identities: Iterable[KnownIdentity]
) -> JoinOptions:
    """Return the stored server of a match, by default that of the options.

    A seat in use by another client raises SeatOpenElsewhere: the opposite seat is not the user's.
    """
    seated = [
        (known.held, seat)
        for known in identities
        for seat in list_seats(known.remembered)
        if seat.match.code == code and options.server in (None, seat.server)
    ]
    free = [seat for held, seat in seated if not held]
    if seated and not free:
        raise SeatOpenElsewhere(code)
    free.sort(key=lambda seat: seat.player != options.name)
    return (
        go_back_to(free[0])
        if free
        else JoinOptions(code, options.server or options.usual_server, options.name)
    )


async def _visit(context: ClientContext, known: KnownIdentity) -> list[OwnSeat]:
    if known.remembered.server == OFFLINE:
        return list_seats(known.remembered)  # nothing changes there without a client
    identity = known.read_only()
    try:
        server = known.remembered.server
        async with Session.connect(server, identity, network=context.network) as session:
            await session.list_running()
    except (ServerUnreachable, Refused) as error:
        _LOG.debug("could not look at %s: %s", known.remembered.server, error)
        return list_seats(known.remembered, reached=False)
    if identity.remembered != known.remembered:
        await asyncio.to_thread(known.refresh, identity.remembered)
    return list_seats(identity.remembered)
