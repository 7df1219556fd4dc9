"""What a line of the log is about, and how it is written: as text, or as JSON with fields.

JSON is the standard library's: what there is to a line is decided here, and is a few fields.
"""

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
    """Return the log for lines about a connection, a match, or both: they begin by saying so.

    In JSON these are fields, too.
    """
    named = {"connection": connection, "match": match}
    return _Subject(log, {name: it for name, it in named.items() if it is not None})


class _Subject(logging.LoggerAdapter[logging.Logger]):
    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, Any]:
        """Put the subject before the message, and into the record."""
        subject = self.extra or {}
        named = ", ".join(f"{name} {it}" for name, it in subject.items())
        return f"{named}: {msg}" if named else msg, {**kwargs, "extra": subject}


class Lines(logging.Formatter):
    """Lines of one server; `node` is its name, once it is known."""

    node: str | None = None


class TextLines(Lines):
    """Lines for people, who know which server's they read."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")


class JsonLines(Lines):
    """One JSON object a line, for machines."""

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
