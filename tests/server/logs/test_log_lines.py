import json
import logging
from datetime import UTC, datetime
from typing import Any

import pytest

from mastermind_server.logs.log_lines import JsonLines, TextLines, about

LOG = logging.getLogger("mastermind_server.network")


@pytest.fixture
def last(caplog):
    """Returns the last record of the log."""
    caplog.set_level(logging.INFO)
    return lambda: caplog.records[-1]


def read(record: logging.LogRecord, node: str | None = None) -> dict[str, Any]:
    lines = JsonLines()
    lines.node = node
    line = lines.format(record)
    assert line.isascii()
    assert "\n" not in line
    found: dict[str, Any] = json.loads(line)
    return found


def test_a_line_has_its_connection_and_match_as_text_and_as_fields(last):
    about(LOG, connection=7, match="ABCDEF").info("%d%% done", 50)
    text = TextLines().format(last())
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
    about(LOG, match="ABCDEF").info("over")
    assert (read(last())["connection"], read(last())["message"]) == (None, "match ABCDEF: over")
    about(LOG).info("plain")
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
        about(LOG, connection=1).exception("failed")
    found = read(last())
    assert found["message"] == "connection 1: failed"
    assert found["error"].startswith("Traceback (most recent call last):\n")
