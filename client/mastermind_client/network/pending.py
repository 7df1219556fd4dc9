"""The requests of a session that a caller awaits."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from mastermind_protocol import requests
from mastermind_protocol.errors import Reason, Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from mastermind_protocol import messages as wire

Move: TypeAlias = requests.Secret | requests.Guess | requests.Advise | requests.Resign
"""A request for the position at one version of a match."""


@dataclass(slots=True)
class _PendingRequest:
    request: requests.AnyRequest
    answer: asyncio.Future[wire.AnyMessage]
    deferred: bool  # not sent yet: it waits for the log of its match


class PendingRequests:
    """The unanswered requests, by id. A deferred request is not sent before `release`."""

    def __init__(self) -> None:
        self._pending: dict[int, _PendingRequest] = {}

    def __bool__(self) -> bool:
        return bool(self._pending)

    def __contains__(self, request: int) -> bool:
        return request in self._pending

    def add(
        self, request: requests.AnyRequest, *, deferred: bool
    ) -> asyncio.Future[wire.AnyMessage]:
        """Add a request. Return the future of its answer."""
        answer: asyncio.Future[wire.AnyMessage] = asyncio.get_running_loop().create_future()
        self._pending[request.id] = _PendingRequest(request, answer, deferred)
        return answer

    def remove(self, request: int) -> None:
        """Remove the request with this id, if it is pending."""
        self._pending.pop(request, None)

    def replace(self, request: int, by: requests.AnyRequest) -> bool:
        """Give the caller of the request with this id the answer to `by` instead.

        Returns False, without a change, if the request is not pending.
        """
        replaced = self._pending.pop(request, None)
        if replaced is None:
            return False
        self._pending[by.id] = _PendingRequest(by, replaced.answer, deferred=False)
        return True

    def resolve(self, request: int, answer: wire.AnyMessage) -> None:
        """Give the caller the answer to the request with this id, and remove the request."""
        pending = self._pending.pop(request, None)
        if pending is not None and not pending.answer.done():
            pending.answer.set_result(answer)

    def reject(self, request: int, refusal: Refused) -> None:
        """Raise `refusal` in the caller of the request with this id, and remove the request."""
        pending = self._pending.pop(request, None)
        if pending is not None and not pending.answer.done():
            pending.answer.set_exception(refusal)

    def fail(self, failure: Exception) -> None:
        """Raise `failure` in all callers."""
        for pending in self._pending.values():
            if not pending.answer.done():
                pending.answer.set_exception(failure)

    def repeat(
        self, is_deferred: Callable[[requests.AnyRequest], bool]
    ) -> list[requests.AnyRequest]:
        """Return the requests to send again. Defer those for which `is_deferred` returns True."""
        for pending in self._pending.values():
            pending.deferred = is_deferred(pending.request)
        return [pending.request for pending in self._pending.values() if not pending.deferred]

    def release(self, match: str) -> list[requests.AnyRequest]:
        """Return the deferred requests of a match, to be sent now that its log has arrived."""
        released = self._list_deferred(match)
        for pending in released:
            pending.deferred = False
        return [pending.request for pending in released]

    def refuse_undone(self, match: str, version: int) -> None:
        """Refuse the deferred moves for positions that the server has undone, after `version`.

        The server would accept such a move if the match has reached the same version again.
        """
        for pending in self._list_deferred(match):
            move = pending.request
            if isinstance(move, Move) and move.v > version:
                refusal = Refused(Reason.STALE_VERSION, field="v", limit=version, given=move.v)
                pending.answer.set_exception(refusal)

    def _list_deferred(self, match: str) -> list[_PendingRequest]:
        """Return the deferred requests of a match that still have a caller."""
        return [
            pending
            for pending in self._pending.values()
            if pending.deferred
            and isinstance(pending.request, requests.Say | Move)
            and pending.request.match == match
            and not pending.answer.done()
        ]
