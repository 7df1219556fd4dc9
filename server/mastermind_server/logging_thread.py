"""The log of a server, which is written by a thread of its own: who reads it holds nobody up."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import threading
import time
from typing import TYPE_CHECKING

from mastermind_server.tuning import LOG_LINES, LOG_STOP_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator

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
def keep_log(level: str, lines: logging.Formatter) -> Iterator[None]:
    """Write what is logged during the block, from this level on, to standard error."""
    root = logging.getLogger()
    before = root.level
    handler = LogWriter(STDERR)
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
    """Writes records to a file descriptor, without ever waiting for whoever reads there."""

    def __init__(self, descriptor: int, lines: int = LOG_LINES) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._queue: queue.Queue[str | None] = queue.Queue(lines)
        self._dropped = 0
        self._counting = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="log", daemon=True)
        self._thread.start()

    def emit(self, record: logging.LogRecord) -> None:
        """Put a record into the queue; a full one drops it."""
        try:
            self._queue.put_nowait(self.format(record))
        except queue.Full:
            self._count_dropped()
        except Exception:  # as every handler does: a wrong line must not fail what it is about
            self.handleError(record)

    def close(self) -> None:
        """Write what waits, as far as somebody reads it soon; then end."""
        deadline = time.monotonic() + LOG_STOP_SECONDS
        with contextlib.suppress(queue.Full):  # nobody reads: the thread ends with the process
            self._queue.put(None, timeout=LOG_STOP_SECONDS)
        self._thread.join(max(0.0, deadline - time.monotonic()))
        super().close()

    def _run(self) -> None:
        while (line := self._queue.get()) is not None:
            self._write(line)
            if self._dropped:
                self._write(self._tell_dropped())

    def _tell_dropped(self) -> str:
        with self._counting:
            dropped, self._dropped = self._dropped, 0
        told = f"{dropped} lines of the log were dropped: nobody read it"
        return self.format(
            logging.LogRecord(__name__, logging.WARNING, __file__, 0, told, None, None)
        )

    def _write(self, line: str) -> None:
        rest = f"{line}\n".encode(errors="backslashreplace")
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError:  # whoever read it has gone, and there is nobody to tell but by the number
            self._count_dropped()

    def _count_dropped(self) -> None:
        with self._counting:
            self._dropped += 1
