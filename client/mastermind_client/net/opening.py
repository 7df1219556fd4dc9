"""A session at the right place, as the right player: on a server, or in this process."""

from __future__ import annotations

import logging
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from mastermind_client.config.options import OFFLINE
from mastermind_client.net.embedded import DatabaseInUse, embedded_server
from mastermind_client.net.failures import SeatOpenElsewhere
from mastermind_client.net.identity import Identity, claim_identity, claim_offline_identity
from mastermind_client.net.running import offline_folder
from mastermind_client.net.session import Session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_LOG = logging.getLogger(__name__)


@asynccontextmanager
async def open_session(
    address: str, name: str | None, match: str | None = None, *, keep: bool = True
) -> AsyncIterator[Session]:
    """Hold a session at an address, or OFFLINE, as whoever has a seat in the `match`.

    Games offline are kept if `keep` says so, unless another client has the kept ones open; the
    identity has a path if they are. Raises ServerUnreachable, Refused, OSError, and
    SeatOpenElsewhere if that client has the `match`.
    """
    async with AsyncExitStack() as stack:
        if address != OFFLINE:
            identity = stack.enter_context(claim_identity(address, match=match, name=name))
        else:
            identity, address = await _play_offline(stack, match, keep=keep)
        identity.come_back(match)
        yield await stack.enter_async_context(Session.connect(address, identity, name))


async def _play_offline(
    stack: AsyncExitStack, match: str | None, *, keep: bool
) -> tuple[Identity, str]:
    """Return who plays in this process, and the address of the server in it."""
    folder = offline_folder()
    if keep and (identity := stack.enter_context(claim_offline_identity(folder))) is not None:
        try:
            return identity, await stack.enter_async_context(embedded_server(folder))
        except DatabaseInUse:
            _LOG.info("the games in %s are open in another process", folder)
    if match is not None:
        raise SeatOpenElsewhere(match)
    return Identity(), await stack.enter_async_context(embedded_server())
