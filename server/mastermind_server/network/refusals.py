"""Error messages to clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.messages import Error

if TYPE_CHECKING:
    from mastermind_protocol.errors import MastermindError


BANNED = "banned"  # the reason of the close code


def describe(error: MastermindError, request: int | None) -> Error:
    """Return the message to a client about `error` in its request."""
    return Error(
        id=request,
        code=error.code,
        message=error.message,
        field=error.field,
        limit=error.limit,
        retry_after=error.retry_after,
        details=error.details,
    )
