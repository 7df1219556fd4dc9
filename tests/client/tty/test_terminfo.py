import struct
import subprocess
import sys
from pathlib import Path

import pytest

from mastermind_client.tty.terminfo import Capabilities, find_capabilities

COLOURS, MOUSE = 13, 355  # places in the order of ncurses
NONE = Capabilities(0, is_xterm=False)
CURSES = (
    "import curses, sys; curses.setupterm(sys.argv[1]);"
    "print(max(0, curses.tigetnum('colors')), curses.tigetstr('kmous') is not None)"
)


def write_entry(
    folder: Path, term: str, colours: int, *, mouse: bool = False, wide: bool = False
) -> None:
    """Write a compiled entry with only these capabilities."""
    names = f"{term}\0".encode()
    numbers = [-1] * COLOURS + [colours]
    strings = [-1] * MOUSE + [0] if mouse else []
    header = struct.pack(
        "<6h", 0o1036 if wide else 0o432, len(names), 0, len(numbers), len(strings), 4
    )
    padding = b"\0" * (len(names) % 2)
    values = struct.pack(f"<{len(numbers)}{'i' if wide else 'h'}", *numbers)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / term).write_bytes(
        header + names + padding + values + struct.pack(f"<{len(strings)}h", *strings) + b"\x1b[M\0"
    )


@pytest.mark.parametrize("term", ["vt100", "linux", "xterm-256color"])
def test_the_systems_entries_are_read_as_curses_reads_them(term):
    found = subprocess.run(
        [sys.executable, "-c", CURSES, term], capture_output=True, text=True, check=True
    ).stdout
    colours, mouse = find_capabilities({"TERM": term})
    assert found == f"{colours} {mouse}\n"


@pytest.mark.parametrize("wide", [False, True])
def test_an_entry_has_colours_and_a_mouse(tmp_path, wide):
    write_entry(tmp_path / "z", "zx", 88, mouse=True, wide=wide)
    write_entry(tmp_path / "z", "zero", -1, wide=wide)
    write_entry(tmp_path / "7a", "zeta", 16, wide=wide)  # as on macOS
    environ = {"TERMINFO": str(tmp_path)}
    assert find_capabilities({**environ, "TERM": "zx"}) == Capabilities(88, is_xterm=True)
    assert find_capabilities({**environ, "TERM": "zero"}) == NONE
    assert find_capabilities({**environ, "TERM": "zeta"}) == Capabilities(16, is_xterm=False)


def test_the_users_entries_come_before_the_systems(tmp_path):
    write_entry(tmp_path / ".terminfo" / "v", "vt100", 8, mouse=True)
    environ = {"TERM": "vt100", "HOME": str(tmp_path)}
    assert find_capabilities(environ) == Capabilities(8, is_xterm=True)
    assert find_capabilities({"TERM": "vt100"}) == NONE
    assert find_capabilities({"TERM": "vt100", "TERMINFO_DIRS": f":{tmp_path}/.terminfo"})[0] == 8


def test_a_name_is_no_path_out_of_the_database(tmp_path):
    write_entry(tmp_path, "other", 88)
    folder = tmp_path / "database"
    folder.mkdir()
    assert find_capabilities({"TERM": "../other", "TERMINFO": str(folder)}) == NONE


@pytest.mark.parametrize("content", [b"", b"\x1a\x01", b"#!/bin/sh\n echo no entry at all"])
def test_a_file_that_is_no_entry_is_passed_over(tmp_path, content):
    folder = tmp_path / "x"
    folder.mkdir()
    (folder / "xterm-of-mine").write_bytes(content)
    environ = {"TERM": "xterm-of-mine", "TERMINFO": str(tmp_path)}
    assert find_capabilities(environ) == Capabilities(256, is_xterm=True)


@pytest.mark.parametrize(
    ("term", "found"),
    [
        ("xterm-new", Capabilities(256, is_xterm=True)),
        ("new-256color", Capabilities(256, is_xterm=True)),
        ("xterm-new-16color", Capabilities(16, is_xterm=True)),
        ("new-color", Capabilities(16, is_xterm=False)),
        ("new", NONE),
        ("", NONE),
    ],
)
def test_the_name_of_an_unknown_terminal_is_judged(term, found):
    assert find_capabilities({"TERM": term}) == found
