"""Crash reports: a log for developers, and a message for the player.

The log is a file of limited size. Tokens, bytes literals, codes of matches and secrets, and control
characters are removed from log and message.
"""

from __future__ import annotations

import logging
import os
import platform
import re
import sys
import traceback
from importlib.metadata import version
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from mastermind_client.language import gettext as _
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from io import TextIOWrapper

EXIT_CRASHED = 70  # EX_SOFTWARE, as sysexits.h calls it
MAX_LOG_BYTES = 256 * 1024  # hundreds of tracebacks; there is one older file of this size at most
MAX_OLD_LOGS = 1
MAX_MESSAGE_CHARACTERS = 200  # characters of the error in the sentence; the log has the full text
_FILE_MODE = 0o600  # the log may contain private data
_SECRETS = (
    ("[token]", re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])")),
    ("[code]", re.compile(r"[(\[]\d+(?:,|(?:, ?\d+)+)[)\]]")),  # numbers in a tuple or a list
    ("[bytes]", re.compile(r"\bb'(?:[^'\\]|\\.)*'|\bb\"(?:[^\"\\]|\\.)*\"")),  # nonces, frames
)
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def log_path() -> Path:
    """Return the path of the log. The file may be missing."""
    return platformdirs.user_log_path("mastermind") / "mastermind.log"


def log_to_file() -> None:
    """Log warnings and errors to the file instead of the terminal, which shows the full screen.

    Only the first call has an effect.
    """
    root = logging.getLogger()
    if not any(isinstance(handler, _LogFile) for handler in root.handlers):
        log = _LogFile()
        log.setLevel(logging.WARNING)
        root.addHandler(log)


def log_failure(error: BaseException) -> OSError | None:
    """Log an exception with its traceback. Returns the error if the log cannot be written."""
    file = _LogFile()
    log = logging.Logger(__name__)  # noqa: LOG001 - without a parent that would print it
    log.addHandler(file)
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    log.critical("Mastermind %s, %s", version("networked-mastermind"), system, exc_info=error)
    file.close()
    return file.problem


def report(error: BaseException) -> int:
    """Log an exception, print a message with the path of the log, and return the exit status.

    If the log cannot be written, the traceback is printed, then the message with the reason.
    """
    problem = log_failure(error)
    if problem is None:
        said = _("Mastermind has failed ({what}). Details are in {file}").format(
            what=_describe_error(error), file=log_path()
        )
    else:
        print(_remove_secrets("".join(traceback.format_exception(error))), end="", file=sys.stderr)
        said = _("Mastermind has failed, and the log {file} cannot be written: {reason}.").format(
            file=log_path(), reason=problem.strerror
        )
    print(f"mastermind: {said}", file=sys.stderr)
    return EXIT_CRASHED


class _LogFile(RotatingFileHandler):
    """The log file, created at the first line. `problem` is the error if a line was not written."""

    def __init__(self) -> None:
        super().__init__(log_path(), "a", MAX_LOG_BYTES, MAX_OLD_LOGS, "utf-8", delay=True)
        self.problem: OSError | None = None
        self.setFormatter(logging.Formatter(_FORMAT))

    def format(self, record: logging.LogRecord) -> str:
        """Return the record with its traceback, without secrets."""
        return _remove_secrets(super().format(record))

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """Store an OSError as `problem`. Other errors are handled by logging."""
        error = sys.exc_info()[1]
        if isinstance(error, OSError):
            self.problem = error
        else:
            super().handleError(record)

    def _open(self) -> TextIOWrapper:
        Path(self.baseFilename).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, _FILE_MODE)
        return os.fdopen(descriptor, "a", encoding="utf-8")


def _describe_error(error: BaseException) -> str:
    """Return the error in a line of at most MAX_MESSAGE_CHARACTERS characters."""
    words = " ".join(str(error).split())
    what = _remove_secrets(f"{type(error).__name__}: {words}" if words else type(error).__name__)
    return (
        what if len(what) <= MAX_MESSAGE_CHARACTERS else f"{what[: MAX_MESSAGE_CHARACTERS - 3]}..."
    )


def _remove_secrets(text: str) -> str:
    """Return the text without secrets and control characters. Line ends stay."""
    for name, secret in _SECRETS:
        text = secret.sub(name, text)
    return "\n".join(map(sanitise, text.split("\n")))
