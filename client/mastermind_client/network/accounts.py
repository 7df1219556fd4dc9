"""Transfer of a player between computers, and logging out.

No function waits for other clients of the user: a player can have many connections, and the server
closes the connections with a void token.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from mastermind_client.network.failures import UnknownHere
from mastermind_client.network.identity import Identities, enter_in_thread
from mastermind_client.network.session import Session
from mastermind_protocol.errors import ErrorCode, Refused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mastermind_client.context import ClientContext
    from mastermind_client.network.identity import Identity
    from mastermind_protocol.events import Player
    from mastermind_protocol.messages import Transferable


async def offer_transfer(context: ClientContext, server: str) -> tuple[Player, Transferable]:
    """Return this computer's last used player on a server, and a transfer code for the player.

    Raises UnknownHere, Refused, ServerUnreachable.
    """
    for identity in Identities.of(context).list_settled(server):
        try:
            async with Session.connect(server, identity, network=context.network) as session:
                return session.player, await session.offer_transfer()
        except Refused as refusal:
            if refusal.code != ErrorCode.UNKNOWN_TOKEN:
                raise
    raise UnknownHere(server)


async def take_transfer(context: ClientContext, server: str, code: str) -> Player:
    """Store the player of a transfer code on this computer, and return the player.

    Raises Refused, ServerUnreachable, TooManyClients.
    """
    async with AsyncExitStack() as stack:
        claim = Identities.of(context).claim(server, unused=True)
        identity = await enter_in_thread(stack, claim)
        stack.push_async_callback(context.writer.flush)
        identity.use_transfer_code(code)
        async with Session.connect(server, identity, network=context.network) as session:
            await session.list_running()  # stores them too
            return session.player


async def log_out(context: ClientContext, server: str) -> None:
    """Invalidate all tokens of this computer on a server, and delete them.

    Raises UnknownHere, Refused, ServerUnreachable.
    """
    await _with_each(context, server, _log_out)


async def log_out_elsewhere(context: ClientContext, server: str) -> None:
    """Invalidate all tokens of this computer's players on a server, and store new tokens.

    At each moment a valid token is stored. Raises as `log_out` does.
    """
    await _with_each(context, server, _log_out_elsewhere)


async def _log_out(context: ClientContext, server: str, identity: Identity) -> None:
    async with Session.connect(server, identity, network=context.network) as session:
        token = identity.tokens[0]  # the notice that it is void may delete it
        await session.log_out()
    identity.drop(token)
    identity.replace_stored(())


async def _log_out_elsewhere(context: ClientContext, server: str, identity: Identity) -> None:
    async with Session.connect(server, identity, network=context.network) as session:
        await session.log_out(others=True)  # the number of tokens is limited
        code = (await session.offer_transfer()).code
    old = identity.tokens[0]
    identity.use_transfer_code(code)
    async with Session.connect(server, identity, network=context.network) as session:
        await session.log_out(others=True)
    identity.drop(old)


async def _with_each(
    context: ClientContext,
    server: str,
    work: Callable[[ClientContext, str, Identity], Awaitable[None]],
) -> None:
    known = False
    for identity in Identities.of(context).list_settled(server):
        try:
            await work(context, server, identity)
        except Refused as refusal:
            if refusal.code != ErrorCode.UNKNOWN_TOKEN:
                raise
        else:
            known = True
    if not known:
        raise UnknownHere(server)
