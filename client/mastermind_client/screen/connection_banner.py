"""What is wrong with a connection, in the place of the title: nobody can overlook it."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from prompt_toolkit.utils import get_cwidth

from mastermind_client.language import gettext as _
from mastermind_client.screen.kit.lines import crop, text
from mastermind_client.words.failures import describe_failure, explain_outage
from mastermind_client.words.refusals import write_sentence

if TYPE_CHECKING:
    from mastermind_client.screen.kit.lines import Glyphs, Line
    from mastermind_client.screen.places.places import Place


class Trouble(NamedTuple):
    """What is wrong with a connection.

    `told` says what happens next, the most of it first: what fits is shown. The `reason` is a
    sentence.
    """

    told: tuple[str, ...]
    reason: str


def find_trouble(place: Place, *, seated: bool) -> Trouble | None:
    """Return what is wrong with our connection, if anything is.

    Whoever is `seated` in a match is told that the seat is kept.
    """
    if place.ended is not None:
        told = [_("No connection any more. Esc goes back.")]
        if seated:
            told.insert(0, _("No connection. Your seat is kept: Esc, then Continue."))
        return Trouble(tuple(told), describe_failure(place.ended))
    if place.lost is None:
        return None
    lost = _("Connection lost.")
    if place.attempt:
        lost = _("Connection lost. Trying again ({number}).").format(number=place.attempt)
    told = [lost]
    if seated:
        until = tell_time(place.until)
        told[:0] = [
            f"{lost} " + _("Your seat is kept until {time}.").format(time=until),
            f"{lost} " + _("Your seat is kept."),
        ]
    return Trouble(tuple(told), write_sentence(explain_outage(place.lost)))


def draw_trouble(trouble: Trouble, columns: int, glyphs: Glyphs) -> Line:
    """Return the banner: as much as fits is told, and the least of it in any case."""
    fitting = (words for words in trouble.told if get_cwidth(words) + 2 <= columns)
    words = next(fitting, trouble.told[-1])
    return crop(text(f" {words} ", "class:banner"), columns, glyphs.ellipsis)


def tell_time(moment: float, form: str = "%H:%M:%S") -> str:
    """Return the time of the day, such as 14:05:10, of a moment of the monotonic clock."""
    away = timedelta(seconds=moment - time.monotonic())
    return (datetime.now().astimezone() + away).strftime(form)
