"""A connection that also answers the page requests of browsers, before a WebSocket handshake."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from mastermind_server.network.addresses import PROXY_ADDRESS
from mastermind_server.network.sockets.connection import Connection
from mastermind_server.network.web.pages import (
    HOME_PREVIEW,
    find_match_code,
    is_file_request,
    is_kept_alive,
    is_page_request,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from websockets.http11 import Request

    from mastermind_server.network.sockets.scheduler import PageQueue
    from mastermind_server.network.web.pages import Pages, Preview


class BrowserConnection(Connection):
    """A connection that also answers page requests, with the responses of `pages`.

    `queue` limits the rate of page requests. `describe` returns the preview of a match, from the
    match code and the client's address. The other arguments are those of `Connection`. After an
    answer the connection is idle: it waits up to `handshake_seconds` for another page request or a
    handshake. A browser that is still reading the answer gets more time.
    """

    __slots__ = ("_describe", "_pages", "_queue", "_unsent")

    def __init__(
        self,
        pages: Pages,
        queue: PageQueue,
        describe: Callable[[str, str], Awaitable[Preview]],
        *arguments: Any,
    ) -> None:
        super().__init__(*arguments)
        self._pages, self._queue, self._describe = pages, queue, describe
        self._unsent = 0  # bytes of an answer, when the timeout was started

    @property
    def _idle(self) -> bool:
        return self._pool is self._connection_limits.idle_pages

    def evict(self, limit: str) -> None:
        """Close this connection because the limit named `limit` is exceeded.

        An idle connection first sends the rest of its page. Any other connection is closed as in
        `Connection.evict`.
        """
        if self._idle:
            self._pool = None
            self._transport.close()
        else:
            super().evict(limit)

    def _answer_request(self, request: Request, *, proxied: bool) -> None:
        if not is_page_request(request):
            if self._idle:
                self._change_pool(self._connection_limits.pending)
            super()._answer_request(request, proxied=proxied)
            return
        self._answering = True

        def answer() -> None:
            if not self._lost:
                self._answer_page(request, proxied=proxied)

        if self._timer is not None:
            self._timer.cancel()  # the browser waits, and not the server
        self._change_pool(None)
        self._queue.run(self.address, answer, page=not is_file_request(request))

    def _answer_page(self, request: Request, *, proxied: bool) -> None:
        match_code = find_match_code(request)
        if match_code is None:
            self._send_page(request, HOME_PREVIEW, proxied=proxied)
        else:
            work = self._handle_messages(
                self._answer_match_page(request, match_code, proxied=proxied)
            )
            self.worker = asyncio.get_running_loop().create_task(work)

    async def _answer_match_page(self, request: Request, match_code: str, *, proxied: bool) -> None:
        preview = await self._describe(match_code, self.address)
        if not self._lost:
            self._send_page(request, preview, proxied=proxied)

    def _send_page(self, request: Request, preview: Preview, *, proxied: bool) -> None:
        """Answer a page request, and wait for the next one unless the connection closes."""
        schemes = request.headers.get_all("X-Forwarded-Proto") if proxied else ()
        response = self._pages.answer(request, forwarded_schemes=schemes, preview=preview)
        limits = self._connection_limits
        keep = is_kept_alive(request) and not (limits.draining or self._half_closed)
        if not keep:
            response.headers["Connection"] = "close"
        self.websocket.answer_page(response, keep=keep)
        self._answering = False
        self._send_output()
        self._unsent = self._send_buffer.size
        self._start_timeout(self._limits.handshake_seconds, self._on_handshake_timeout)
        self._change_pool(limits.idle_pages)
        if proxied:
            self._change_address(PROXY_ADDRESS)  # the next request may be another client's
        self._update_flow_control()

    def _abort_handshake(self) -> None:
        """Handle the timeout of a handshake or a page request.

        An idle connection is closed if its answer is sent. It gets more time if a part of the
        answer was sent since the last timeout. Any other connection is aborted.
        """
        unsent = self._send_buffer.size
        if self._lost or not self._idle:
            super()._abort_handshake()
        elif not unsent:
            self._transport.close()
        elif unsent < self._unsent:
            self._unsent = unsent
            self._start_timeout(self._limits.handshake_seconds, self._on_handshake_timeout)
        else:
            super()._abort_handshake()
