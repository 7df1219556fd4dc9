"""How a command says good-bye to its server."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from mastermind_client.net.failures import ServerUnreachable
from mastermind_protocol.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mastermind_client.net.session import Session

_LOG = logging.getLogger(__name__)
LEAVE_SECONDS = 2.0  # for saying good-bye to the server: nobody waits longer for a prompt


async def leave_in_time(leave: Callable[[], Awaitable[None]]) -> None:
    """Leave what is to be left, at once or when the connection is back: the session asks again.

    That a session ends before that, or a server refuses, is nothing that could be mended any more.
    """
    try:
        await leave()
    except (Refused, ServerUnreachable) as error:
        _LOG.debug("could not leave: %s", error)


async def say_good_bye(session: Session, leave: Callable[[], Awaitable[None]]) -> bool:
    """Leave what is to be left, if that can be done at once; tell whether it was done."""
    if not session.connected:
        return False
    try:
        async with asyncio.timeout(LEAVE_SECONDS):
            await leave()
    except (TimeoutError, Refused, ServerUnreachable) as error:
        _LOG.debug("could not say good-bye: %s", error)
        return False
    return True
