"""A session at the right place, as the right player: on a server, or in this process."""

from __future__ import annotations

import logging
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from mastermind_client.config.options import OFFLINE
from mastermind_client.net.embedded import DatabaseInUse, embedded_server
from mastermind_client.net.failures import SeatOpenElsewhere
from mastermind_client.net.identity import Identities, Identity, enter_in_thread
from mastermind_client.net.session import Session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mastermind_client.context import ClientContext

_LOG = logging.getLogger(__name__)


@asynccontextmanager
async def open_session(
    context: ClientContext,
    address: str,
    name: str | None,
    match: str | None = None,
    *,
    keep: bool = True,
) -> AsyncIterator[Session]:
    """Hold a session at an address, as the player with a seat in the `match`.

    OFFLINE starts a server in this process, which the context must allow.

    Offline games are kept if `keep`, unless another client has the kept ones open; the identity
    has a path if they are. Raises ServerUnreachable, Refused, OSError, and
    SeatOpenElsewhere if that client has the `match`.
    """
    if address == OFFLINE and not context.local:
        raise ValueError("no server may be started in this process")
    identities = Identities.of(context)
    async with AsyncExitStack() as stack:
        if address != OFFLINE:
            claim = identities.claim(address, match=match, name=name)
            identity = await enter_in_thread(stack, claim)
        else:
            identity, address = await _play_offline(identities, stack, match, keep=keep)
        stack.push_async_callback(_save, identity, context)  # while the claim lasts
        identity.keep_name_in(match)
        connecting = Session.connect(address, identity, name, network=context.network)
        yield await stack.enter_async_context(connecting)


async def _save(identity: Identity, context: ClientContext) -> None:
    identity.save()
    await context.writer.flush()


async def _play_offline(
    identities: Identities, stack: AsyncExitStack, match: str | None, *, keep: bool
) -> tuple[Identity, str]:
    """Start a server in this process; return the player and the address."""
    if keep and (identity := await enter_in_thread(stack, identities.claim_offline())) is not None:
        try:
            server = embedded_server(identities.offline)
            return identity, await stack.enter_async_context(server)
        except DatabaseInUse:
            _LOG.info("the games in %s are open in another process", identities.offline)
    if match is not None:
        raise SeatOpenElsewhere(match)
    return Identity(), await stack.enter_async_context(embedded_server())
