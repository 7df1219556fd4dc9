"""What is wrong with a connection, said so that nobody can overlook it."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.screen.kit.lines import Line, crop, text
from mastermind_client.words.failures import explain_failure, explain_outage

if TYPE_CHECKING:
    from mastermind_client.screen.look import Look
    from mastermind_client.screen.places import Place


def describe_outage(place: Place) -> str:
    """Say what is wrong with our connection, and what happens next; nothing if nothing is."""
    if place.ended is not None:
        told = _("NO CONNECTION; Esc goes back, and you can try again from there: {reason}.")
        return told.format(reason=explain_failure(place.ended))
    if place.lost is None:
        return ""
    reason = explain_outage(place.lost)
    if not place.attempt:
        return _("CONNECTION LOST; your seat is kept: {reason}.").format(reason=reason)
    until = tell_time(place.until)
    told = _("RECONNECTING, try {number}, until {time}; your seat is kept: {reason}.")
    return told.format(number=place.attempt, reason=reason, time=until)


def draw_outage(words: str, look: Look, columns: int) -> list[Line]:
    """Return the banner for an outage in words, which is none without words."""
    banner = text(f" {words} ", "class:banner")
    return [crop(banner, columns, look.glyphs.ellipsis)] if words else []


def tell_time(moment: float) -> str:
    """Return the time of the day, such as 14:05:10, of a moment of the monotonic clock."""
    away = timedelta(seconds=moment - time.monotonic())
    return (datetime.now().astimezone() + away).strftime("%H:%M:%S")
