from __future__ import annotations

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
    """A small pipe: what is written to one descriptor is read from the other."""

    reading: int
    writing: int

    def read(self) -> list[str]:
        """Return the lines up to the end, which must come."""
        with os.fdopen(os.dup(self.reading)) as lines:
            return lines.read().splitlines()

    def fill(self) -> int:
        """Write lines until no more goes in; return how many."""
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


def log(writer: LogWriter, *lines: str) -> None:
    for line in lines:
        writer.handle(logging.LogRecord("server", logging.INFO, __file__, 0, line, None, None))


def test_lines_are_written_in_order_and_the_last_before_the_end(pipe):
    writer = LogWriter(pipe.writing, Limiter())
    log(writer, "one", "two \N{SNOWMAN} \udc00", "three")
    writer.close()
    os.close(pipe.writing)
    assert pipe.read() == ["one", "two \N{SNOWMAN} \\udc00", "three"]


def test_what_nobody_reads_is_dropped_and_the_number_told_when_somebody_does(pipe):
    limiter = Limiter(Limits(log_bytes=4 * len(LINE) + 4))
    writer = LogWriter(pipe.writing, limiter)
    before = pipe.fill()
    log(writer, *[LINE] * 10)
    with os.fdopen(os.dup(pipe.reading)) as reading:
        read = 0
        while (line := reading.readline()) == f"{LINE}\n":
            read += 1
        writer.close()
        os.close(pipe.writing)
        read += reading.read().count(LINE)
    told = re.fullmatch(r"(\d+) lines of the log were dropped: .*\n", line)
    assert told is not None
    assert read - before + int(told[1]) == 10
    assert int(told[1]) == limiter.met["log_bytes"] >= 6


def test_of_one_second_so_many_lines_of_a_level_are_written_and_the_others_counted(pipe):
    limiter = Limiter(Limits(log_lines=3))
    writer = LogWriter(pipe.writing, limiter)
    for second, level in [*[(1, logging.INFO)] * 10, (1, logging.ERROR), (2, logging.INFO)]:
        record = logging.LogRecord("server", level, __file__, 0, f"{second}", None, None)
        record.created = second + 0.5
        writer.handle(record)
    writer.close()
    os.close(pipe.writing)
    lines = pipe.read()
    told = [re.match(r"(\d+) lines of the log were dropped", line) for line in lines]
    assert sum(int(each[1]) for each in told if each) == 7
    assert [line for line in lines if line.isdigit()] == ["1", "1", "1", "1", "2"]
    assert limiter.met["log_lines"] == 7


def test_the_end_does_not_wait_for_somebody_to_read(pipe):
    limiter = Limiter(Limits(log_bytes=4 * len(LINE) + 4))
    writer = LogWriter(pipe.writing, limiter)
    pipe.fill()
    log(writer, *[LINE] * 10)
    writer.close()


def test_a_reader_that_has_gone_harms_nobody(pipe):
    closed = os.dup(pipe.writing)
    os.close(closed)
    writer = LogWriter(closed, Limiter())
    log(writer, "one", "two")
    writer.close()


def test_nothing_is_changed_after_the_log(capfd):
    root = logging.getLogger()
    before = root.level, root.handlers[:]
    with keep_log("INFO", TextLines(), Limiter()):
        logging.getLogger("server").info("%d matches", 3)
    assert (root.level, root.handlers) == before
    assert re.fullmatch(r"\d{4}-.* INFO server: 3 matches\n", capfd.readouterr().err)


def test_libraries_speak_up_only_when_something_is_wrong():
    quiet_libraries()
    for name in ("websockets.server", "alembic.runtime.migration"):
        assert logging.getLogger(name).getEffectiveLevel() == logging.WARNING


def test_frames_to_those_who_have_gone_are_not_logged(caplog):
    quiet_libraries()
    asyncio_log = logging.getLogger("asyncio")
    asyncio_log.warning("socket.send() raised exception.")
    asyncio_log.warning("Executing %r took %.3f seconds", "a task", 1)
    assert [record.getMessage() for record in caplog.records] == [
        "Executing 'a task' took 1.000 seconds"
    ]
