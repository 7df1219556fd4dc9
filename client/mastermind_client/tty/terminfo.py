"""The capabilities of a terminal by its name TERM, from the system's terminfo database.

`curses.setupterm` reads only the first terminal of a process, but one process can have players at
many terminals. So this module reads the compiled entries, whose format is in term(5).
"""

from __future__ import annotations

import struct
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SYSTEM_FOLDERS = ("/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo", "/usr/lib/terminfo")
MAX_ENTRY_BYTES = 32768  # term(5): the size of the largest entry
_NARROW, _WIDE = 0o432, 0o1036  # magic numbers: numbers of 16 or 32 bits
_HEADER = struct.Struct("<6h")
_COLOURS, _MOUSE = 13, 355  # places of `colors` among the numbers, of `kmous` among the strings


class Capabilities(NamedTuple):
    """The number of colours, 0 for none, and whether the terminal is of the xterm kind.

    Such a terminal has a mouse, and a window with a title.
    """

    colours: int
    is_xterm: bool


_FEW_COLOURS = ("ansi", "linux", "-color", "-16color")  # ends of names for at most 16 colours


def find_capabilities(environ: Mapping[str, str]) -> Capabilities:
    """Return the capabilities of the terminal that TERM names.

    A name that the system does not know is judged by its spelling: many terminals are xterm with
    extensions, and their entries are missing on other computers.
    """
    term = environ.get("TERM", "")
    if environ.get("WT_SESSION") and not term:
        return Capabilities(256, is_xterm=True)  # Windows Terminal sets no TERM
    folders = tuple(_list_folders(environ))
    return _find_entry(term, folders) or _guess(term)


@lru_cache(maxsize=64)
def _find_entry(term: str, folders: tuple[str, ...]) -> Capabilities | None:
    """Return the capabilities of the first readable entry, or None without one."""
    if not term or "/" in term or term.startswith("."):
        return None
    for folder in folders:
        for letter in (term[0], f"{ord(term[0]):x}"):  # macOS names the folders by code points
            try:
                with Path(folder, letter, term).open("rb") as file:
                    return _parse(file.read(MAX_ENTRY_BYTES))
            except (OSError, ValueError, struct.error):  # missing, or no entry
                continue
    return None


def _list_folders(environ: Mapping[str, str]) -> Iterator[str]:
    """Yield the folders of the database in the order of ncurses."""
    if environ.get("TERMINFO"):
        yield environ["TERMINFO"]
    if environ.get("HOME"):
        yield f"{environ['HOME']}/.terminfo"
    yield from filter(None, environ.get("TERMINFO_DIRS", "").split(":"))
    yield from SYSTEM_FOLDERS


def _parse(entry: bytes) -> Capabilities:
    """Return the capabilities in a compiled entry. Raises struct.error or ValueError."""
    magic, names, flags, numbers, strings, _table = _HEADER.unpack_from(entry)
    if magic not in (_NARROW, _WIDE):
        raise ValueError(f"no compiled terminfo entry: it begins with {magic:o}")
    number = struct.Struct("<h" if magic == _NARROW else "<i")
    start = _HEADER.size + names + flags
    start += start % 2
    colours = (
        number.unpack_from(entry, start + _COLOURS * number.size)[0] if numbers > _COLOURS else 0
    )
    start += numbers * number.size
    mouse = struct.unpack_from("<h", entry, start + _MOUSE * 2)[0] if strings > _MOUSE else -1
    return Capabilities(max(0, colours), is_xterm=mouse >= 0)


def _guess(term: str) -> Capabilities:
    is_xterm = term.startswith("xterm") or term.endswith(("-256color", "-direct"))
    few = 16 if term.endswith(_FEW_COLOURS) else 0
    return Capabilities(few or (256 if is_xterm else 0), is_xterm)
