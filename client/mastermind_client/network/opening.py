"""Opening a session, and finding the matches to resume."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from itertools import chain
from typing import TYPE_CHECKING

from mastermind_client.config.options import DEFAULT_PORT, HOSTED, OFFLINE, JoinOptions
from mastermind_client.network.embedded import (
    GAMES_FILE,
    DatabaseInUse,
    copy_hosted_matches,
    embedded_server,
    keep_hosted_matches,
)
from mastermind_client.network.failures import (
    AlreadyHosting,
    Cause,
    GamesOpenElsewhere,
    NothingToContinue,
    SeatOpenElsewhere,
    ServerUnreachable,
    TooManyClients,
)
from mastermind_client.network.players.identities import Identities, enter_in_thread
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.players.stored_player import read_file
from mastermind_client.network.running import sort_seats
from mastermind_client.network.session import Session
from mastermind_protocol.errors import Refused
from mastermind_protocol.requests import GUEST

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable
    from pathlib import Path

    from mastermind_client.config.options import ContinueOptions
    from mastermind_client.context import ClientContext
    from mastermind_client.network.running import OwnSeat


_LOG = logging.getLogger(__name__)


async def query_seats(context: ClientContext) -> dict[Path | None, list[OwnSeat]]:
    """Ask all servers for this user's unfinished matches, and return the seats in them.

    The keys are the files of the identities, and are never None. Identities that a running client
    uses are left out. If a server cannot be reached, or a home screen is connected as the player,
    the stored matches are returned.
    """
    known = await asyncio.to_thread(Identities.of(context).list_with_matches)
    free = [identity for identity in known if not identity.held]
    queried = await asyncio.gather(*(_query_server(context, identity) for identity in free))
    return {identity.path: seats for identity, seats in zip(free, queried, strict=True)}


async def find_seats(context: ClientContext, options: ContinueOptions) -> list[OwnSeat]:
    """Return the matches to resume, the most urgent first.

    Raises NothingToContinue.
    """
    found = sort_seats(chain.from_iterable((await query_seats(context)).values()))
    if options.server is not None:
        found = [seat for seat in found if seat.server == options.server]
    if options.name is not None:
        found.sort(key=lambda seat: seat.player != options.name)
    if not found:
        known = await asyncio.to_thread(Identities.of(context).list_with_matches)
        raise NothingToContinue(elsewhere=any(identity.held for identity in known))
    return found


async def find_match_to_resume(context: ClientContext, options: ContinueOptions) -> JoinOptions:
    """Return the options that join the match to resume.

    Raises NothingToContinue, and SeatOpenElsewhere if another client plays the named match.
    """
    if options.code is not None:
        known = await asyncio.to_thread(Identities.of(context).list_with_matches)
        return _find_join_options(options, options.code, known)
    return (await find_seats(context, options))[0].options


def _find_join_options(
    options: ContinueOptions, code: str, identities: Iterable[Identity]
) -> JoinOptions:
    """Return the options that join a match: on its stored server, or on the usual one.

    Raises SeatOpenElsewhere if another client uses the user's seat. This client would otherwise
    take the free seat of the opponent.
    """
    seated = [
        (known.held, seat)
        for known in identities
        for seat in known.stored.list_seats()
        if seat.match.code == code and options.server in (None, seat.server)
    ]
    free = [seat for held, seat in seated if not held]
    if seated and not free:
        raise SeatOpenElsewhere(code)
    free.sort(key=lambda seat: seat.player != options.name)
    return (
        free[0].options
        if free
        else JoinOptions(code, options.server or options.usual_server, options.name)
    )


async def _query_server(context: ClientContext, identity: Identity) -> list[OwnSeat]:
    known = identity.stored
    if known.server in (OFFLINE, HOSTED) or identity.at_home:
        return known.list_seats()  # clients keep these up to date
    try:
        async with Session.connect(known.server, identity, network=context.network) as session:
            await refresh_matches(session)
    except (ServerUnreachable, Refused) as error:
        _LOG.debug("could not query %s: %s", known.server, error)
        return known.list_seats(from_server=False)
    return identity.stored.list_seats()


async def refresh_matches(session: Session) -> None:
    """Replace the stored matches by those of the server, also in the file of a read-only identity.

    Raises Refused, ServerUnreachable.
    """
    known = session.identity.stored
    await session.list_unfinished()
    if session.identity.stored != known:
        await asyncio.to_thread(session.identity.write_unless_locked)


@asynccontextmanager
async def open_session(
    context: ClientContext,
    address: str,
    name: str | None,
    match: str | None = None,
    *,
    keep: bool = True,
    home: Session | None = None,
    host: str = "",
) -> AsyncIterator[Session]:
    """Open a session for the block, if possible as the player with a seat in the `match`.

    For the addresses OFFLINE and HOSTED, a server is started in this process. If `context.local`
    is false, these addresses raise ValueError. Other computers can connect to the server of HOSTED.
    Finished matches there, or on a server that a friend hosts, are copied to the offline games.

    Offline games are not stored if `keep` is false, or if another client has the stored games open.
    The `path` of the session's identity is None then.

    `home` is a session at the address with the identity of `Identities.connect_home`. It is yielded
    itself if it is connected as the player to use, and the caller closes it.

    Without a `name`, a new player is a guest, and a known player keeps the name. `host` is the name
    in an invitation of the player who hosts the server, or "". Once a server has welcomed the
    player, only the server says who hosts it. Raises ServerUnreachable, Refused, OSError, and
    SeatOpenElsewhere if another client has the `match` open.
    """
    if address in (OFFLINE, HOSTED) and not context.local:
        raise ValueError("no server may be started in this process")
    identities = Identities.of(context)
    async with AsyncExitStack() as stack:
        hosting = await stack.enter_async_context(AsyncExitStack())
        if address != OFFLINE:
            usual = None if home is None else home.identity
            claim = identities.claim(address, match=match, name=name, home=usual)
            identity = await enter_in_thread(stack, claim)
            if address == HOSTED:
                ours = name or identity.stored.name or GUEST
                address = await _start_hosted_server(context, hosting, match, ours)
        else:
            if keep:
                await copy_hosted_matches(context)
            identity, address = await _start_offline_server(identities, stack, match, keep=keep)
        stack.push_async_callback(_save, identity, context)  # while the claim lasts
        identity.keep_name_if_seated(match)
        connecting = (
            nullcontext(home)
            if home is not None and home.connected and home.is_of(identity, name)
            else Session.connect(address, identity, name, match=match, network=context.network)
        )
        try:
            session = await stack.enter_async_context(connecting)
        except ServerUnreachable as failure:
            if match is None or failure.cause is not Cause.NEVER_REACHED:
                raise
            if host and not identity.tokens:
                raise ServerUnreachable(Cause.HOST_AWAY, server=address, host=host) from failure
            raise ServerUnreachable(Cause.MATCH_AWAY, **failure.values) from failure
        # The server stops before our session: friends then read that we have closed the game.
        stack.push_async_callback(hosting.aclose)
        stack.callback(session.updates.unsubscribe)
        if identity.stored.host and context.local:
            keeping = keep_hosted_matches(context, session, identity.stored.server)
            await stack.enter_async_context(keeping)
        yield session


def check_kept(session: Session, address: str) -> None:
    """Raise GamesOpenElsewhere if `session` is one of a temporary player of offline games."""
    if address == OFFLINE and session.identity.path is None:
        raise GamesOpenElsewhere


async def _save(identity: Identity, context: ClientContext) -> None:
    identity.save()
    await context.writer.flush()


async def _start_hosted_server(
    context: ClientContext, stack: AsyncExitStack, match: str | None, host: str
) -> str:
    """Start the server for friends of `host` until `stack` is closed. Return its ws:// address."""
    server = embedded_server(context.hosted_folder, DEFAULT_PORT, host)
    try:
        return await stack.enter_async_context(server)
    except DatabaseInUse as error:
        raise (AlreadyHosting() if match is None else SeatOpenElsewhere(match)) from error


async def _start_offline_server(
    identities: Identities, stack: AsyncExitStack, match: str | None, *, keep: bool
) -> tuple[Identity, str]:
    """Claim the offline player and start a server for it. Return the player and the address.

    Player and games are temporary if `keep` is false, or if another client has the stored games
    open. A temporary player has no seat in `match`, so with a `match` SeatOpenElsewhere is raised.
    """
    if keep:
        try:
            identity = await enter_in_thread(stack, identities.claim(OFFLINE))
            server = embedded_server(identities.offline_folder)
            return identity, await stack.enter_async_context(server)
        except (TooManyClients, DatabaseInUse):
            _LOG.info("the games in %s are open in another process", identities.offline_folder)
    if match is not None:
        raise SeatOpenElsewhere(match)
    return Identity(), await stack.enter_async_context(embedded_server())


def is_saved(context: ClientContext, identity: Identity, match: str) -> bool:
    """Return whether the files have the player's seat in a match, and a match of this computer.

    `match` is a code. Earlier changes must have been written (`Writer.flush`). Reads a file.
    """
    games = {OFFLINE: Identities.of(context).offline_folder, HOSTED: context.hosted_folder}
    folder = games.get(identity.stored.server)
    if identity.path is None or (folder is not None and not (folder / GAMES_FILE).is_file()):
        return False
    try:
        stored = read_file(identity.path)
    except OSError:  # no longer readable
        return False
    return stored is not None and stored.find_match(match) is not None
