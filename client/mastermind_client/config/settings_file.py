"""Reads the file of the settings, without a check of its values.

The texts of the command line need the language early: `read_language` reads only this setting,
before `settings` loads the others.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _

if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES = 64 * 1024  # a hundred times a file with all settings
_ERROR_POSITION = re.compile(r" \(at line (\d+), column \d+\)$")  # in messages of tomllib


class BrokenFile(OSError):
    """A file that cannot be read. The text names the file, the error and, if known, the line."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.strerror = problem


def read_file(path: Path) -> tuple[str, dict[str, object]]:
    """Return the text of the file and its values. A missing file gives an empty text and no values.

    Raises BrokenFile.
    """
    text = _read_text(path)
    if not text:
        return "", {}
    import tomllib

    try:
        return text, tomllib.loads(text)
    except RecursionError:
        raise BrokenFile(_("{file} is nested too deeply").format(file=path)) from None
    except ValueError as error:  # invalid TOML, or a number with too many digits
        at = _ERROR_POSITION.search(str(error))
        line = int(at[1]) if at is not None else text.rstrip().count("\n") + 1
        raise BrokenFile(
            _("{file}, line {line}: this is no TOML").format(file=path, line=line)
        ) from None


def read_language(path: Path) -> str | None:
    """Return the language in the file, or None if it is not set or the file cannot be read."""
    try:
        language = read_file(path)[1].get("language")
    except OSError:
        return None  # `load` reports it
    return language if isinstance(language, str) and language else None


def find_line(text: str, key: str) -> int:
    """Return the number of the line that sets a top-level key. The first line is 1."""
    set_here = rf"^[ \t]*\[*[ \t]*([\"']?){re.escape(key)}\1[ \t]*[.=\]]"
    found = re.search(set_here, text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 if found else 1


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise BrokenFile(
            _("{file} cannot be read: {reason}").format(file=path, reason=error.strerror)
        ) from None
    if len(data) > MAX_BYTES:
        raise BrokenFile(
            _("{file} is too large: settings take {limit} bytes at most").format(
                file=path, limit=MAX_BYTES
            )
        )
    try:
        return data.decode("utf-8-sig")  # some editors write a byte order mark
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise BrokenFile(
            _("{file}, line {line}: this is no text in UTF-8").format(file=path, line=line)
        ) from None
