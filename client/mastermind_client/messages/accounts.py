"""Who we are on several computers, in words."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from mastermind_protocol.messages import Transferable


def tell_offer(name: str, offered: Transferable) -> str:
    """Say for how long a code is good; the line to type follows."""
    minutes = max(1, offered.seconds // 60)
    told = ngettext(
        "To be {name} on another computer, type there, within {number} minute:",
        "To be {name} on another computer, type there, within {number} minutes:",
        minutes,
    )
    return sanitise(told.format(name=name, number=minutes))


def write_transfer_command(code: str, server: str) -> str:
    """Return what is to be typed on the other computer."""
    return shlex.join(("mastermind", "transfer", code, "--server", server))


def tell_taken(name: str, server: str) -> str:
    """Say who we are by the code of another computer."""
    told = _("You are {name} on {server} now, on this computer too.")
    return sanitise(told.format(name=name, server=server))


def tell_logged_out(server: str, *, elsewhere: bool) -> str:
    """Say that a server knows this computer no more, or no other."""
    told = (
        _("You are logged out of {server} everywhere but on this computer.")
        if elsewhere
        else _("This computer is logged out of {server}.")
    )
    return sanitise(told.format(server=server))
