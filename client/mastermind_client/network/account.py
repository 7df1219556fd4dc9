"""The user's accounts on servers: connecting as a known player, transfers and log-outs.

Transfers and log-outs ignore the locks of the user's other clients. A player can have many
connections, and the server closes each connection whose token is invalidated.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from mastermind_client.network.failures import UnknownHere
from mastermind_client.network.players.identities import Identities, enter_in_thread
from mastermind_protocol.errors import ErrorCode, Refused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    from mastermind_client.context import ClientContext
    from mastermind_client.network.players.identity import Identity
    from mastermind_client.network.session import Session
    from mastermind_protocol.events import Player
    from mastermind_protocol.messages import Transferable


async def connect_known(
    stack: AsyncExitStack, context: ClientContext, server: str
) -> Session | None:
    """Open a session as the last used player of this computer. `stack` closes the session.

    Another client may be playing as the same player. Returns None if the server knows no player of
    this computer. Raises Refused, ServerUnreachable.
    """
    for identity in await asyncio.to_thread(Identities.of(context).list_registered, server):
        try:
            return await stack.enter_async_context(_connect(context, server, identity))
        except Refused as refusal:
            if refusal.code != ErrorCode.UNKNOWN_TOKEN:
                raise
    return None


async def offer_transfer(context: ClientContext, server: str) -> tuple[Player, Transferable]:
    """Return the last used player of this computer on a server, and a new transfer code for it.

    Raises UnknownHere, Refused, ServerUnreachable.
    """
    async with AsyncExitStack() as stack:
        if (session := await connect_known(stack, context, server)) is None:
            raise UnknownHere(server)
        return session.player, await session.offer_transfer()


async def take_transfer(context: ClientContext, server: str, code: str) -> Player:
    """Use a transfer code: store its player on this computer, and return the player.

    Raises Refused, ServerUnreachable, TooManyClients.
    """
    async with AsyncExitStack() as stack:
        claim = Identities.of(context).claim(server, unused=True)
        identity = await enter_in_thread(stack, claim)
        stack.push_async_callback(context.writer.flush)
        identity.use_transfer_code(code)
        async with _connect(context, server, identity) as session:
            await session.list_unfinished()  # stores them too
            return session.player


async def log_out(context: ClientContext, server: str) -> None:
    """Invalidate all tokens of this computer on a server, and delete them.

    Raises UnknownHere, Refused, ServerUnreachable.
    """
    await _for_each_identity(context, server, _log_out)


async def log_out_elsewhere(context: ClientContext, server: str) -> None:
    """Invalidate all tokens of this computer's players on a server, and store new tokens.

    The files have a valid token at every moment. Raises UnknownHere, Refused, ServerUnreachable.
    """
    await _for_each_identity(context, server, _log_out_elsewhere)


def _connect(
    context: ClientContext, server: str, identity: Identity
) -> AbstractAsyncContextManager[Session]:
    from mastermind_client.network.session import Session  # late: the home page does not need it

    return Session.connect(server, identity, network=context.network)


async def _log_out(context: ClientContext, server: str, identity: Identity) -> None:
    async with _connect(context, server, identity) as session:
        token = identity.tokens[0]  # the server's notice that the token is void may delete it
        await session.log_out()
    identity.drop_token(token)
    identity.replace_matches(())


async def _log_out_elsewhere(context: ClientContext, server: str, identity: Identity) -> None:
    async with _connect(context, server, identity) as session:
        await session.log_out(others=True)  # the number of tokens is limited
        code = (await session.offer_transfer()).code
    old = identity.tokens[0]
    identity.use_transfer_code(code)
    async with _connect(context, server, identity) as session:
        await session.log_out(others=True)
    identity.drop_token(old)


async def _for_each_identity(
    context: ClientContext,
    server: str,
    work: Callable[[ClientContext, str, Identity], Awaitable[None]],
) -> None:
    known = False
    for identity in Identities.of(context).list_registered(server):
        try:
            await work(context, server, identity)
        except Refused as refusal:
            if refusal.code != ErrorCode.UNKNOWN_TOKEN:
                raise
        else:
            known = True
    if not known:
        raise UnknownHere(server)
