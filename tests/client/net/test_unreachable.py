from __future__ import annotations

from mastermind_client.net.unreachable import ServerUnreachable


def test_what_is_quoted_of_a_server_moves_no_cursor() -> None:
    assert str(ServerUnreachable("ws://h: \x1b]52;c;QUFB\x07\x1b[2J")) == "ws://h: ?]52;c;QUFB??[2J"
