"""The server's log: the format of its lines, and the thread that writes them.

A slow reader of the log does not block the server.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import queue
import threading
import time
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, MutableMapping

    from mastermind_server.limits import Limiter

STOP_SECONDS = 0.5  # for the reader of the log; lines that are not read by then are lost

TEXT, JSON = "text", "json"
CONTEXT_FIELDS = ("connection", "match")
STDERR_DESCRIPTOR = 2  # not sys.stderr, whose lock a blocked thread would hold at exit


def with_context(
    log: logging.Logger, *, connection: int | None = None, match: str | None = None
) -> logging.LoggerAdapter[logging.Logger]:
    """Return a logger that puts the number of a connection, a match code, or both before messages.

    A JsonFormatter writes both as fields, too.
    """
    subject = {"connection": connection, "match": match}
    return _ContextAdapter(
        log, {name: value for name, value in subject.items() if value is not None}
    )


class _ContextAdapter(logging.LoggerAdapter[logging.Logger]):
    """Adds the number of a connection and a match code to each message, if they are set."""

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, Any]:
        """Put connection and match before the message, and add both to the record as attributes."""
        context = self.extra or {}
        prefix = ", ".join(f"{name} {value}" for name, value in context.items())
        return f"{prefix}: {msg}" if prefix else msg, {**kwargs, "extra": context}


class LogFormatter(logging.Formatter):
    """The base class of the formatters. `node` is the id of this node, or None before its start."""

    node: str | None = None


class TextFormatter(LogFormatter):
    """Formats each record as a line of text, with time, level and logger."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")


class JsonFormatter(LogFormatter):
    """Formats each record as a JSON object on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the JSON object of a record as ASCII text."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **{name: getattr(record, name, None) for name in CONTEXT_FIELDS},
            "node": self.node,
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)


def quiet_libraries() -> None:
    """Suppress the log lines of libraries about malformed client input and about migrations."""
    logging.getLogger("websockets").setLevel(logging.WARNING)
    logging.getLogger("alembic").setLevel(logging.WARNING)
    logging.getLogger("asyncio").addFilter(_is_relevant)


def _is_relevant(record: logging.LogRecord) -> bool:
    """Return False for the records that asyncio logs for writes to closed sockets."""
    return not str(record.msg).startswith("socket.send() raised")


@contextlib.contextmanager
def log_to_stderr(level: str, formatter: logging.Formatter, limiter: Limiter) -> Iterator[None]:
    """Within the block, write log records of `level` and above to standard error."""
    root = logging.getLogger()
    before = root.level
    handler = LogWriter(STDERR_DESCRIPTOR, limiter)
    handler.setFormatter(formatter)
    root.addHandler(handler)
    root.setLevel(level)
    try:
        yield
    finally:
        root.setLevel(before)
        root.removeHandler(handler)
        handler.close()


class LogWriter(logging.Handler):
    """Writes records to a file descriptor on a thread, without blocking the callers.

    At most `log_bytes` bytes are pending, and at most `log_lines` lines of each level are written
    in a second. Each level has its own limit, so that many lines of a low level displace no line of
    a higher level. All further lines are dropped. A line then reports the number of dropped lines.
    It has the highest level of these lines, so dropped lines of the level INFO cause no warning.
    """

    def __init__(self, descriptor: int, limiter: Limiter) -> None:
        self._descriptor, self._limits = descriptor, limiter.limits
        self._exceeded = limiter.exceeded
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._pending = 0  # bytes
        self._dropped, self._worst = 0, logging.NOTSET  # number of lines, and their highest level
        self._second, self._logged = 0, Counter[int]()  # the lines of this second, by level
        self._counts_lock = threading.Lock()
        self._thread = threading.Thread(target=self._write_lines, name="log", daemon=True)
        self._thread.start()
        super().__init__()  # `logging` closes the handler at exit: not without a thread

    def emit(self, record: logging.LogRecord) -> None:
        """Queue the line of a record. Drop the record if `log_lines` or `log_bytes` is exceeded."""
        if (second := int(record.created)) != self._second:
            self._second = second
            self._logged.clear()
        self._logged[record.levelno] += 1
        if self._logged[record.levelno] > self._limits.log_lines:
            self._exceeded["log_lines"] += 1
            self._add_dropped(record.levelno)
            return
        try:
            line = self._encode_record(record)
        except Exception:  # as every handler does: a wrong format must not fail the caller
            self.handleError(record)
            return
        with self._counts_lock:
            fits = self._pending + len(line) <= self._limits.log_bytes
            if fits:
                self._pending += len(line)
        if fits:
            self._queue.put(line)
        else:
            self._exceeded["log_bytes"] += 1
            self._add_dropped(record.levelno)

    def close(self) -> None:
        """End the thread when it has written the pending lines.

        Waits at most STOP_SECONDS. Lines that are not written by then are lost.
        """
        deadline = time.monotonic() + STOP_SECONDS
        self._queue.put(None)
        self._thread.join(max(0.0, deadline - time.monotonic()))
        super().close()

    def _write_lines(self) -> None:
        line: bytes | None = b""
        while line is not None:
            line = self._queue.get()
            if line is not None:
                self._write_line(line)
                with self._counts_lock:
                    self._pending -= len(line)
            if self._dropped:
                self._write_line(self._make_dropped_line())

    def _make_dropped_line(self) -> bytes:
        with self._counts_lock:
            dropped, self._dropped = self._dropped, 0
            level, self._worst = self._worst, logging.NOTSET
        text = f"{dropped} lines of the log were dropped: too many lines, or a slow reader"
        return self._encode_record(
            logging.LogRecord(__name__, level, __file__, 0, text, None, None)
        )

    def _encode_record(self, record: logging.LogRecord) -> bytes:
        return f"{self.format(record)}\n".encode(errors="backslashreplace")

    def _write_line(self, line: bytes) -> None:
        try:
            while line:
                line = line[os.write(self._descriptor, line) :]
        except OSError:  # the reader has closed the pipe; a later reader gets the number
            self._add_dropped(logging.WARNING)

    def _add_dropped(self, level: int) -> None:
        with self._counts_lock:
            self._dropped += 1
            self._worst = max(self._worst, level)
