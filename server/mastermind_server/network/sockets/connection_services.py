"""What all connections of a server share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from mastermind_server.clock import Clock
    from mastermind_server.limits import Limiter
    from mastermind_server.network.rate_limits import ReceiveRates
    from mastermind_server.network.sockets.access import Access
    from mastermind_server.network.sockets.connection import Connection
    from mastermind_server.network.sockets.connection_limits import ConnectionLimits
    from mastermind_server.network.sockets.scheduler import LoopScheduler, PageQueue
    from mastermind_server.network.sockets.send_buffers import SendBuffers
    from mastermind_server.network.sockets.unlisted_proxies import UnlistedProxies
    from mastermind_server.network.web.pages import Preview


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionServices:
    """What all connections of a server share.

    `on_message` is called with each binary message, or None for a text message, and the time when
    it was read, in seconds of `clock`. `on_end` is called after a connection is lost and its last
    request is handled. Both can return an awaitable, which the connection awaits before its next
    message. `describe` returns the preview of a match, from its code and the client's address.
    """

    clock: Clock
    scheduler: LoopScheduler
    connection_limits: ConnectionLimits
    send_buffers: SendBuffers
    rates: ReceiveRates
    limiter: Limiter
    access: Access
    page_queue: PageQueue
    unlisted_proxies: UnlistedProxies
    describe: Callable[[str, str], Awaitable[Preview]]
    on_message: Callable[[Connection, bytes | None, float], Awaitable[None] | None]
    on_end: Callable[[Connection], Coroutine[Any, Any, None] | None]
