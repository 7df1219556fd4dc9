from __future__ import annotations

import pytest

from mastermind_client.cli.interface import Interface, choose_interface


@pytest.mark.parametrize(
    ("plain", "term", "stdin", "stdout", "interface"),
    [
        (False, "xterm-256color", True, True, "full"),
        (False, "linux", True, True, "full"),
        (True, "xterm-256color", True, True, "plain"),
        (False, "xterm-256color", False, True, "plain"),
        (False, "xterm-256color", True, False, "plain"),
        (False, "xterm-256color", False, False, "plain"),
        (False, "dumb", True, True, "plain"),
        (False, "", True, True, "plain"),
        (False, None, True, True, "plain"),
    ],
)
def test_the_screen_is_filled_where_there_is_one_and_nobody_asks_for_lines(
    plain: bool, term: str | None, stdin: bool, stdout: bool, interface: Interface
) -> None:
    environ = {} if term is None else {"TERM": term}
    assert choose_interface(plain, environ, stdin, stdout) == interface
