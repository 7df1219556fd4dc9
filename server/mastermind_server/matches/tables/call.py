"""A request with its sender."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from mastermind_protocol.requests import Request

if TYPE_CHECKING:
    from mastermind_protocol.events import Player
    from mastermind_server.matches.tables.followers import Peer
    from mastermind_server.storage.idempotency import RequestKey

R = TypeVar("R", bound=Request)


class Call(NamedTuple, Generic[R]):
    """A request of `player` from the connection `peer`. `key` is its request key.

    `at` is the time when the request was read, in monotonic seconds of the server's clock.
    """

    peer: Peer
    player: Player
    request: R
    key: RequestKey
    at: float
