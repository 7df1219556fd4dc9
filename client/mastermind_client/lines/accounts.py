"""`mastermind transfer` and `mastermind logout`: who we are on a server, on several computers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_client.net import accounts
from mastermind_client.words.accounts import (
    tell_logged_out,
    tell_offer,
    tell_taken,
    write_transfer_command,
)

if TYPE_CHECKING:
    from mastermind_client.config.options import LogoutOptions, TransferOptions


async def transfer(options: TransferOptions) -> None:
    """Show a code for another computer, or be who has been given one.

    Raises UnknownHere, Refused, ServerUnreachable.
    """
    server = options.server
    if options.code is not None:
        player = await accounts.take_transfer(server, options.code)
        print(tell_taken(player.name, server))
        return
    player, offered = await accounts.offer_transfer(server)
    print(tell_offer(player.name, offered))
    print(" ", write_transfer_command(offered.code, server))


async def log_out(options: LogoutOptions) -> None:
    """Let the server know this computer no more, or no other. Raises as `transfer` does."""
    if options.everywhere:
        await accounts.log_out_elsewhere(options.server)
    else:
        await accounts.log_out(options.server)
    print(tell_logged_out(options.server, elsewhere=options.everywhere))
