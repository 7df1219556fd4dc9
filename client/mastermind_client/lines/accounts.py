"""`mastermind transfer` and `mastermind logout`: who we are on a server, on several computers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.messages.players import (
    describe_logout,
    describe_transfer,
    describe_transferred,
    format_transfer_command,
)
from mastermind_client.net import accounts

if TYPE_CHECKING:
    from mastermind_client.config.options import LogoutOptions, TransferOptions
    from mastermind_client.context import ClientContext


async def transfer(context: ClientContext, options: TransferOptions) -> None:
    """Show a code for another computer, or be who has been given one.

    Raises UnknownHere, Refused, ServerUnreachable.
    """
    server = options.server
    if options.code is not None:
        player = await accounts.take_transfer(context, server, options.code)
        print(describe_transferred(player.name, server), file=context.output)
        return
    player, offered = await accounts.offer_transfer(context, server)
    print(describe_transfer(player.name, offered), file=context.output)
    print(" ", format_transfer_command(offered.code, server), file=context.output)


async def log_out(context: ClientContext, options: LogoutOptions) -> None:
    """Let the server know this computer no more, or no other. Raises as `transfer` does."""
    if options.everywhere:
        await accounts.log_out_elsewhere(context, options.server)
    else:
        await accounts.log_out(context, options.server)
    told = describe_logout(options.server, elsewhere=options.everywhere)
    print(told, file=context.output)
