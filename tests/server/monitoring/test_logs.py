import fcntl
import json
import logging
import os
import re
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest

from mastermind_server.limits import Limiter, Limits
from mastermind_server.monitoring.logs import (
    JsonFormatter,
    LogWriter,
    TextFormatter,
    log_to_stderr,
    quiet_libraries,
    with_context,
)

LOG = logging.getLogger("mastermind_server.network")
LINE = "x" * 1000
SMALL = 4096  # bytes: the smallest pipe there is


@pytest.fixture
def last(caplog):
    """Returns the last record of the log."""
    caplog.set_level(logging.INFO)
    return lambda: caplog.records[-1]


def read(record: logging.LogRecord, node: str | None = None) -> dict[str, Any]:
    lines = JsonFormatter()
    lines.node = node
    line = lines.format(record)
    assert line.isascii()
    assert "\n" not in line
    found: dict[str, Any] = json.loads(line)
    return found


def test_a_line_has_its_connection_and_match_as_text_and_as_fields(last):
    with_context(LOG, connection=7, match="ABCDEF").info("%d%% done", 50)
    text = TextFormatter().format(last())
    assert text.endswith(" INFO mastermind_server.network: connection 7, match ABCDEF: 50% done")
    found = read(last(), node="one")
    at = datetime.fromisoformat(found.pop("time"))
    assert at.tzinfo == UTC
    assert abs(at.timestamp() - last().created) <= 0.001
    assert found == {
        "level": "INFO",
        "logger": "mastermind_server.network",
        "message": "connection 7, match ABCDEF: 50% done",
        "connection": 7,
        "match": "ABCDEF",
        "node": "one",
    }


def test_a_line_without_a_subject_has_empty_fields(last):
    LOG.warning("the disk is full")
    found = read(last())
    assert (found["connection"], found["match"], found["node"]) == (None, None, None)
    with_context(LOG, match="ABCDEF").info("over")
    assert (read(last())["connection"], read(last())["message"]) == (None, "match ABCDEF: over")
    with_context(LOG).info("plain")
    assert read(last())["message"] == "plain"


def test_each_record_is_one_line_of_json():
    record = LOG.makeRecord(
        LOG.name, logging.INFO, __file__, 1, '"quoted"\n\ud800 %s', ("żółw",), None
    )
    assert read(record)["message"] == '"quoted"\n\ud800 żółw'


def test_an_exception_is_logged_with_its_traceback(last):
    try:
        json.loads("{")
    except ValueError:
        with_context(LOG, connection=1).exception("failed")
    found = read(last())
    assert found["message"] == "connection 1: failed"
    assert found["error"].startswith("Traceback (most recent call last):\n")


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
    writer.setFormatter(TextFormatter())
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
    with log_to_stderr("INFO", TextFormatter(), Limiter()):
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
