"""The banner for a lost connection, which replaces the title."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from prompt_toolkit.utils import get_cwidth

from mastermind_client.language import gettext as _
from mastermind_client.messages.failures import describe_failure, explain_outage, write_sentence
from mastermind_client.screen.toolkit.lines import crop, text

if TYPE_CHECKING:
    from datetime import tzinfo

    from mastermind_client.network.updates import Connection
    from mastermind_client.screen.toolkit.lines import Glyphs, Line


class Trouble(NamedTuple):
    """A lost connection: versions of the text to display, the longest first, and the reason."""

    told: tuple[str, ...]
    reason: str


def find_trouble(connection: Connection, zone: tzinfo | None, *, seated: bool) -> Trouble | None:
    """Return the texts for a lost connection, or None if the connection is not lost.

    A `seated` player reads that the seat is kept.
    """
    if connection.ended is not None:
        told = [_("The connection has ended. Esc goes back.")]
        if seated:
            told.insert(0, _("No connection. Your seat is kept: Esc, then Continue."))
        return Trouble(tuple(told), describe_failure(connection.ended))
    if connection.lost is None:
        return None
    lost = _("Connection lost.")
    if connection.attempt:
        lost = _("Connection lost. Trying again ({number}).").format(number=connection.attempt)
    told = [lost]
    if seated:
        until = format_local_time(connection.until, zone)
        told[:0] = [
            f"{lost} " + _("Your seat is kept until {time}.").format(time=until),
            f"{lost} " + _("Your seat is kept."),
        ]
    return Trouble(tuple(told), write_sentence(explain_outage(connection.lost)))


def draw_trouble(trouble: Trouble, columns: int, glyphs: Glyphs) -> Line:
    """Return the banner with the longest text that fits, or with the shortest one cropped."""
    fitting = (words for words in trouble.told if get_cwidth(words) + 2 <= columns)
    words = next(fitting, trouble.told[-1])
    return crop(text(f" {words} ", "class:banner"), columns, glyphs.ellipsis)


def format_local_time(moment: float, zone: tzinfo | None, form: str = "%H:%M:%S") -> str:
    """Return the local time of a moment of the monotonic clock: ``14:05:10``."""
    away = timedelta(seconds=moment - time.monotonic())
    return (datetime.now(UTC) + away).astimezone(zone).strftime(form)
