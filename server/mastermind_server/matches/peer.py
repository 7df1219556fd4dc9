"""A connected client, as the game sees it: who it is, and somewhere to push frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mastermind_protocol.events import Player


class Peer(Protocol):
    """One connection. `player` is None until it has said hello; `followed` are match codes."""

    player: Player | None
    followed: set[str]

    @property
    def address(self) -> str:
        """Where it comes from, without the port."""
        ...

    def push(self, frame: bytes) -> None:
        """Send a frame, in order, without waiting for the client to read it."""
        ...
