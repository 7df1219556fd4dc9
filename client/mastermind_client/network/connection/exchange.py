"""The requests of a session: sends them, and repeats those that the server refuses temporarily."""

from __future__ import annotations

import asyncio
import itertools
import logging
import secrets
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, TypeAlias, TypeVar, get_args

from msgspec.structs import asdict

from mastermind_client.network.connection.reconnecting import (
    MIN_RETRY_SECONDS,
    RETRY_PERIODS,
    add_jitter,
)
from mastermind_client.network.failures import Cause, ServerUnreachable
from mastermind_client.network.updates import RequestDelayed, SessionEnded
from mastermind_protocol import requests
from mastermind_protocol.errors import ErrorCode, Reason, Refused

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping

    from mastermind_client.network.connection.link import Link
    from mastermind_client.network.mirror import Mirror
    from mastermind_client.network.updates import Publisher
    from mastermind_protocol import messages as wire
    from mastermind_protocol.commands import Command

_T = TypeVar("_T")

_LOG = logging.getLogger(__name__)
_REQUESTS: Mapping[str | int | None, type[requests.AnyRequest]] = {
    kind.__struct_config__.tag: kind for kind in get_args(requests.AnyRequest)
}
MAX_RETRY_SECONDS = 5.0  # of repeating a temporarily refused request
Move: TypeAlias = requests.Secret | requests.Guess | requests.Advise | requests.Resign
"""A request for the position at one version of a match."""


@dataclass(slots=True)
class _AwaitedRequest:
    request: requests.AnyRequest
    answer: asyncio.Future[wire.AnyMessage]
    deferred: bool  # not sent yet: it waits for the log of its match


class PendingRequests:
    """The unanswered requests, by id, and the `ids` of new ones.

    A caller awaits the answer to a request, except to a *catch-up*: a request for the rows that
    the mirror of a followed match does not have or confirm. Chat is deferred during any catch-up of
    its match. A move is deferred too while known rows are read again: it is for a position that may
    be undone. A deferred request is not sent before `release`.
    """

    def __init__(self) -> None:
        self.ids = itertools.count(secrets.randbits(52) + 1)  # differs from the ids of other runs
        self._awaited: dict[int, _AwaitedRequest] = {}
        self._catch_ups: dict[int, Mirror] = {}

    def __bool__(self) -> bool:
        return bool(self._awaited or self._catch_ups)

    def is_awaited(self, request: int) -> bool:
        """Return whether a caller awaits the answer to the request with this id."""
        return request in self._awaited

    def is_deferred(self, request: requests.AnyRequest) -> bool:
        """Return whether a request must wait for rows of its match that have been requested."""
        return isinstance(request, requests.Say | Move) and any(
            mirror.code == request.match
            and (isinstance(request, requests.Say) or mirror.confirmed < mirror.version)
            for mirror in self._catch_ups.values()
        )

    def add(
        self, request: requests.AnyRequest, *, deferred: bool
    ) -> asyncio.Future[wire.AnyMessage]:
        """Add a request. Return the future of its answer."""
        answer: asyncio.Future[wire.AnyMessage] = asyncio.get_running_loop().create_future()
        self._awaited[request.id] = _AwaitedRequest(request, answer, deferred)
        return answer

    def remove(self, request: int) -> None:
        """Remove the request with this id, if a caller awaits it."""
        self._awaited.pop(request, None)

    def add_catch_up(self, mirror: Mirror) -> requests.Follow:
        """Add and return a request for the rows that a mirror does not have or confirm."""
        follow = requests.Follow(id=next(self.ids), match=mirror.code, v=mirror.confirmed)
        self._catch_ups[follow.id] = mirror
        return follow

    def add_next_catch_up(self, mirror: Mirror, log: wire.Log) -> requests.Follow:
        """Add and return a request for the rows after `log`, a part of a log.

        If a caller awaits `log`, the caller now awaits the answer to this request.
        """
        follow = self.add_catch_up(mirror)
        if (caller := self._awaited.pop(log.id, None)) is not None:
            del self._catch_ups[follow.id]
            self._awaited[follow.id] = _AwaitedRequest(follow, caller.answer, deferred=False)
        return follow

    def remove_catch_up(self, request: int) -> Mirror | None:
        """Remove the catch-up with this id, and return its mirror. Returns None for other ids."""
        return self._catch_ups.pop(request, None)

    def resolve(self, request: int, answer: wire.AnyMessage) -> None:
        """Give the caller the answer to the request with this id, and remove the request."""
        awaited = self._awaited.pop(request, None)
        if awaited is not None and not awaited.answer.done():
            awaited.answer.set_result(answer)

    def reject(self, request: int, refusal: Refused) -> None:
        """Raise `refusal` in the caller of the request with this id, and remove the request."""
        awaited = self._awaited.pop(request, None)
        if awaited is not None and not awaited.answer.done():
            awaited.answer.set_exception(refusal)

    def fail(self, failure: Exception) -> None:
        """Raise `failure` in all callers."""
        for awaited in self._awaited.values():
            if not awaited.answer.done():
                awaited.answer.set_exception(failure)

    def repeat(self, mirrors: Iterable[Mirror]) -> list[requests.AnyRequest]:
        """Return the requests to send over a new connection: catch-ups of `mirrors`, then the rest.

        The other awaited requests are deferred.
        """
        self._catch_ups.clear()  # their answers were lost with the connection
        catch_ups = list(map(self.add_catch_up, mirrors))
        for awaited in self._awaited.values():
            awaited.deferred = self.is_deferred(awaited.request)
        repeated = [awaited.request for awaited in self._awaited.values() if not awaited.deferred]
        return [*catch_ups, *repeated]

    def release(self, match: str) -> list[requests.AnyRequest]:
        """Return the deferred requests of a match, to be sent now that its log has arrived."""
        released = self._list_deferred(match)
        for awaited in released:
            awaited.deferred = False
        return [awaited.request for awaited in released]

    def refuse_undone(self, match: str, version: int) -> None:
        """Refuse the deferred moves for positions that the server has undone, after `version`.

        The server would accept such a move if the match has reached the same version again.
        """
        for awaited in self._list_deferred(match):
            move = awaited.request
            if isinstance(move, Move) and move.v > version:
                refusal = Refused(Reason.STALE_VERSION, field="v", limit=version, given=move.v)
                awaited.answer.set_exception(refusal)

    def _list_deferred(self, match: str) -> list[_AwaitedRequest]:
        """Return the deferred requests of a match that still have a caller."""
        return [
            awaited
            for awaited in self._awaited.values()
            if awaited.deferred
            and isinstance(awaited.request, requests.Say | Move)
            and awaited.request.match == match
            and not awaited.answer.done()
        ]


def make_request(command: Command, request: int, mirror: Mirror) -> requests.AnyRequest:
    """Return the request with the id `request` for a command at the mirror's version."""
    kind = _REQUESTS[command.__struct_config__.tag]
    values = {**asdict(command), "id": request, "match": mirror.code, "v": mirror.version}
    return kind(**{name: values[name] for name in kind.__struct_fields__ if name in values})


class Exchange:
    """Sends requests over a link, and returns their answers, which a receiver finds.

    It adds the requests to `pending`, and publishes long delays and the end of the session.
    """

    def __init__(
        self, server: str, link: Link, pending: PendingRequests, updates: Publisher
    ) -> None:
        self._server, self._link, self._pending, self._updates = server, link, pending, updates
        self._random = Random()  # noqa: S311 - jitter

    @property
    def connected(self) -> bool:
        """Whether the session has a connection."""
        return self._link.welcomed.is_set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep the link connected during the block, which begins after the server's welcome.

        Raises ServerUnreachable, Refused.
        """
        runner = asyncio.create_task(self._run(), name="session")
        welcomed = asyncio.create_task(self._link.welcomed.wait())
        try:
            await asyncio.wait({welcomed, runner}, return_when=asyncio.FIRST_COMPLETED)
            if self._updates.connection.ended is not None:
                raise self._updates.connection.ended
            yield
        finally:
            welcomed.cancel()
            runner.cancel()
            await asyncio.gather(runner, return_exceptions=True)

    async def get(self, kind: type[_T], request: requests.AnyRequest) -> _T:
        """Send a request and return its answer, which must be of a `kind`. Raises as `ask` does."""
        answer = await self.ask(request)
        if not isinstance(answer, kind):
            raise ServerUnreachable(Cause.WRONG_ANSWER, kind=type(answer).__name__.lower())
        return answer

    async def ask(self, request: requests.AnyRequest) -> wire.AnyMessage:
        """Send a request and return its answer. Raises Refused, or the failure of the session.

        After a temporary refusal the request is repeated, and an update reports a long delay. Chat
        above the rate limit is not repeated, because it would arrive too late.
        """
        since: float | None = None
        while True:
            try:
                return await self._ask_once(request)
            except Refused as refusal:
                if refusal.retry_after is None:
                    raise
                if isinstance(request, requests.Say) and refusal.code == ErrorCode.RATE_LIMITED:
                    raise
                period = RETRY_PERIODS.get(refusal.code)
                wait = add_jitter(max(refusal.retry_after, MIN_RETRY_SECONDS), self._random)
                now = time.monotonic()
                if since is None:
                    since = now
                    if period is not None:
                        self._updates.publish(RequestDelayed(refusal))
                if now + wait - since > (period or MAX_RETRY_SECONDS):
                    raise
                await asyncio.sleep(wait)

    async def _ask_once(self, request: requests.AnyRequest) -> wire.AnyMessage:
        if self._updates.connection.ended is not None:
            raise self._updates.connection.ended
        deferred = self._pending.is_deferred(request)
        answer = self._pending.add(request, deferred=deferred)
        try:
            if not deferred:
                await self._link.send(request)
            return await answer
        finally:
            self._pending.remove(request.id)  # the caller may have cancelled it

    async def _run(self) -> None:
        try:
            await self._link.stay_connected()
        except (ServerUnreachable, Refused) as failure:
            self._end(failure)
        except Exception as error:
            _LOG.exception("the session failed")
            self._end(ServerUnreachable(Cause.CRASHED, server=self._server, error=repr(error)))

    def _end(self, failure: Exception) -> None:
        self._pending.fail(failure)
        ended = replace(self._updates.connection, ended=failure)
        self._updates.change_connection(ended, SessionEnded(failure))
