"""What a client raises when there is no session: apart, for it is cheap to load."""

from __future__ import annotations

from mastermind_protocol.text import sanitise


class ServerUnreachable(Exception):
    """There is no session with the server; the text says why and what to try.

    It may quote the server, so it is made harmless here.
    """

    def __init__(self, text: str) -> None:
        super().__init__(sanitise(text))
