"""The log of a server, which is written by a thread of its own: who reads it holds nobody up."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

from mastermind_server.tuning import LOG_STOP_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_server.limits import Limiter

STDERR = 2  # by number: the stream has a lock, which a blocked thread would hold at the end


def quiet_libraries() -> None:
    """Keep out of our log what others log of strangers' lines, and of migrations."""
    logging.getLogger("websockets").setLevel(logging.WARNING)
    logging.getLogger("alembic").setLevel(logging.WARNING)
    logging.getLogger("asyncio").addFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    """Tell asyncio's other words from those for each frame to a client that has gone."""
    return not str(record.msg).startswith("socket.send() raised")


@contextlib.contextmanager
def keep_log(level: str, lines: logging.Formatter, limiter: Limiter) -> Iterator[None]:
    """Write what is logged during the block, from this level on, to standard error."""
    root = logging.getLogger()
    before = root.level
    handler = LogWriter(STDERR, limiter)
    handler.setFormatter(lines)
    root.addHandler(handler)
    root.setLevel(level)
    try:
        yield
    finally:
        root.setLevel(before)
        root.removeHandler(handler)
        handler.close()


class LogWriter(logging.Handler):
    """Writes records to a file descriptor, without ever waiting for whoever reads there.

    At most so many bytes wait, and of one second so many lines of each level are written: many of
    one kind are to push out none that is worse.
    """

    def __init__(self, descriptor: int, limiter: Limiter) -> None:
        super().__init__()
        self._descriptor, self._limits, self._met = descriptor, limiter.limits, limiter.met
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._waiting = self._dropped = 0  # bytes, and lines
        self._second, self._logged = 0, Counter[int]()  # in that second, by level
        self._counting = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="log", daemon=True)
        self._thread.start()

    def emit(self, record: logging.LogRecord) -> None:
        """Put a record into the queue, or drop it if there are too many."""
        if (second := int(record.created)) != self._second:
            self._second = second
            self._logged.clear()
        self._logged[record.levelno] += 1
        if self._logged[record.levelno] > self._limits.log_lines:
            self._met["log_lines"] += 1
            self._count_dropped()
            return
        try:
            line = self._encode(record)
        except Exception:  # as every handler does: a wrong line must not fail what it is about
            self.handleError(record)
            return
        with self._counting:
            if self._waiting + len(line) > self._limits.log_bytes:
                self._met["log_bytes"] += 1
                self._dropped += 1
                return
            self._waiting += len(line)
        self._queue.put(line)

    def close(self) -> None:
        """Write what waits, as far as somebody reads it soon; then end."""
        deadline = time.monotonic() + LOG_STOP_SECONDS
        self._queue.put(None)
        self._thread.join(max(0.0, deadline - time.monotonic()))
        super().close()

    def _run(self) -> None:
        line: bytes | None = b""
        while line is not None:
            line = self._queue.get()
            if line is not None:
                self._write(line)
                with self._counting:
                    self._waiting -= len(line)
            if self._dropped:
                self._write(self._tell_dropped())

    def _tell_dropped(self) -> bytes:
        with self._counting:
            dropped, self._dropped = self._dropped, 0
        told = f"{dropped} lines of the log were dropped: too many came, or nobody read it"
        return self._encode(
            logging.LogRecord(__name__, logging.WARNING, __file__, 0, told, None, None)
        )

    def _encode(self, record: logging.LogRecord) -> bytes:
        return f"{self.format(record)}\n".encode(errors="backslashreplace")

    def _write(self, line: bytes) -> None:
        try:
            while line:
                line = line[os.write(self._descriptor, line) :]
        except OSError:  # whoever read it has gone, and there is nobody to tell but by the number
            self._count_dropped()

    def _count_dropped(self) -> None:
        with self._counting:
            self._dropped += 1
