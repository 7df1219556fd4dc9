"""`mastermind transfer` and `mastermind logout`: who we are on a server, on several computers."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.net import accounts
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from mastermind_client.config.options import LogoutOptions, TransferOptions


async def transfer(options: TransferOptions) -> None:
    """Show a code for another computer, or be who has been given one.

    Raises UnknownHere, Refused, ServerUnreachable.
    """
    server = options.server
    if options.code is not None:
        player = await accounts.take_transfer(server, options.code)
        told = _("You are {name} on {server} now, on this computer too.")
        print(sanitise(told.format(name=player.name, server=server)))
        return
    player, offered = await accounts.offer_transfer(server)
    minutes = max(1, offered.seconds // 60)
    told = ngettext(
        "To be {name} on another computer, type there, within {number} minute:",
        "To be {name} on another computer, type there, within {number} minutes:",
        minutes,
    )
    print(sanitise(told.format(name=player.name, number=minutes)))
    print(" ", shlex.join(("mastermind", "transfer", offered.code, "--server", server)))


async def log_out(options: LogoutOptions) -> None:
    """Let the server know this computer no more, or no other. Raises as `transfer` does."""
    if options.everywhere:
        await accounts.log_out_elsewhere(options.server)
        told = _("You are logged out of {server} everywhere but on this computer.")
    else:
        await accounts.log_out(options.server)
        told = _("This computer is logged out of {server}.")
    print(sanitise(told.format(server=options.server)))
