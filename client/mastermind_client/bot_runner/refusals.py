"""Requests of a bot that the server refuses temporarily. A bot has time to repeat them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from mastermind_protocol.errors import TRANSIENT_CODES, ErrorCode, Refused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_T = TypeVar("_T")

RETRY_SECONDS = 1.0  # before a refused request is repeated, unless the server names a time
_TEMPORARY_CODES = TRANSIENT_CODES | {ErrorCode.TOO_MANY}


def is_temporary(refusal: Refused) -> bool:
    """Return whether a later request can be accepted."""
    return refusal.code in _TEMPORARY_CODES


async def wait_after(refusal: Refused) -> None:
    """Wait until the refused request may be repeated."""
    await asyncio.sleep(refusal.retry_after or RETRY_SECONDS)


async def repeat_until_accepted(request: Callable[[], Awaitable[_T]]) -> _T:
    """Return the result of `request`, which is called again after each temporary refusal.

    Raises a Refused that is permanent, and ServerUnreachable.
    """
    while True:
        try:
            return await request()
        except Refused as refusal:
            if not is_temporary(refusal):
                raise
            await wait_after(refusal)
