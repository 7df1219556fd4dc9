"""What a client is told of an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.messages import Error

if TYPE_CHECKING:
    from mastermind_protocol.errors import MastermindError


BANNED = "banned"  # the reason of the close code


def describe(error: MastermindError, request: int | None) -> Error:
    """Return the error message that tells a client what was wrong."""
    return Error(
        id=request,
        code=error.code,
        message=error.message,
        field=error.field,
        limit=error.limit,
        retry_after=error.retry_after,
        details=error.details,
    )
