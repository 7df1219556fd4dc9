import fcntl
import logging
import os
import re
from typing import NamedTuple

import pytest

from mastermind_server.limits import Limiter, Limits
from mastermind_server.logs.log_lines import TextLines
from mastermind_server.logs.logging_thread import LogWriter, keep_log, quiet_libraries

LINE = "x" * 1000
SMALL = 4096  # bytes: the smallest pipe there is


class Pipe(NamedTuple):
    """A small pipe, by its two descriptors."""

    reading: int
    writing: int

    def read(self) -> list[str]:
        """Return all lines until the writing end is closed."""
        with os.fdopen(os.dup(self.reading)) as lines:
            return lines.read().splitlines()

    def fill(self) -> int:
        """Write lines until the pipe is full; return their number."""
        os.set_blocking(self.writing, False)
        lines = SMALL // (len(LINE) + 1)
        for _ in range(lines):
            os.write(self.writing, f"{LINE}\n".encode())
        os.set_blocking(self.writing, True)
        return lines


@pytest.fixture
def pipe():
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, SMALL)
    yield Pipe(reading, writing)
    os.close(reading)


def log(writer: LogWriter, *lines: str, level: int = logging.INFO) -> None:
    for line in lines:
        writer.handle(logging.LogRecord("server", level, __file__, 0, line, None, None))


def test_lines_are_written_in_order_before_the_writer_is_closed(pipe):
    writer = LogWriter(pipe.writing, Limiter())
    log(writer, "one", "two \N{SNOWMAN} \udc00", "three")
    writer.close()
    os.close(pipe.writing)
    assert pipe.read() == ["one", "two \N{SNOWMAN} \\udc00", "three"]


def test_closing_the_writer_does_not_wait_for_a_reader(pipe):
    limiter = Limiter(Limits(log_bytes=4 * len(LINE) + 4))
    writer = LogWriter(pipe.writing, limiter)
    pipe.fill()
    log(writer, *[LINE] * 10)
    writer.close()


@pytest.mark.parametrize("worst", [logging.INFO, logging.ERROR])
def test_the_line_about_dropped_lines_has_the_level_of_the_worst(pipe, worst):
    writer = LogWriter(pipe.writing, Limiter(Limits(log_lines=2)))
    writer.setFormatter(TextLines())
    log(writer, *["many"] * 5)
    log(writer, *["worse"] * 5, level=worst)
    writer.close()
    os.close(pipe.writing)
    levels = {line.split(" ")[2] for line in pipe.read() if "lines of the log were dropped" in line}
    assert logging.getLevelName(worst) in levels
    assert "WARNING" not in levels


def test_a_closed_descriptor_is_ignored(pipe):
    closed = os.dup(pipe.writing)
    os.close(closed)
    writer = LogWriter(closed, Limiter())
    log(writer, "one", "two")
    writer.close()


def test_the_loggers_are_restored_after_the_log(capfd):
    root = logging.getLogger()
    before = root.level, root.handlers[:]
    with keep_log("INFO", TextLines(), Limiter()):
        logging.getLogger("server").info("%d matches", 3)
    assert (root.level, root.handlers) == before
    assert re.fullmatch(r"\d{4}-.* INFO server: 3 matches\n", capfd.readouterr().err)


def test_libraries_log_only_warnings():
    quiet_libraries()
    for name in ("websockets.server", "alembic.runtime.migration"):
        assert logging.getLogger(name).getEffectiveLevel() == logging.WARNING


def test_writes_to_closed_sockets_are_not_logged(caplog):
    quiet_libraries()
    asyncio_log = logging.getLogger("asyncio")
    asyncio_log.warning("socket.send() raised exception.")
    asyncio_log.warning("Executing %r took %.3f seconds", "a task", 1)
    assert [record.getMessage() for record in caplog.records] == [
        "Executing 'a task' took 1.000 seconds"
    ]
