"""The format of log lines: text, or JSON with fields for the connection and the match."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import MutableMapping

TEXT, JSON = "text", "json"
SUBJECTS = ("connection", "match")


def about(
    log: logging.Logger, *, connection: int | None = None, match: str | None = None
) -> logging.LoggerAdapter[logging.Logger]:
    """Return a logger whose lines begin with the connection, the match, or both.

    In JSON they are also fields.
    """
    subject = {"connection": connection, "match": match}
    return _Subject(log, {name: value for name, value in subject.items() if value is not None})


class _Subject(logging.LoggerAdapter[logging.Logger]):
    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, Any]:
        """Add the subject to the message and to the record."""
        subject = self.extra or {}
        prefix = ", ".join(f"{name} {value}" for name, value in subject.items())
        return f"{prefix}: {msg}" if prefix else msg, {**kwargs, "extra": subject}


class Lines(logging.Formatter):
    """A formatter for one server; `node` is its name, which is set after the start."""

    node: str | None = None


class TextLines(Lines):
    """Formats lines for people."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")


class JsonLines(Lines):
    """Formats each line as a JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record, in ASCII."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **{name: getattr(record, name, None) for name in SUBJECTS},
            "node": self.node,
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)
