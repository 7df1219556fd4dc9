"""One's own matches that are over, in words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import ngettext
from mastermind_client.words.listings import describe_terms
from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from datetime import tzinfo

    from mastermind_protocol.messages import ArchivedMatch


def describe_archived(archived: ArchivedMatch, zone: tzinfo | None = None) -> str:
    """Say when a match was finished, in a time zone or the machine's own, what, and how."""
    return _("{time}  {terms}: {result}").format(
        time=write_time(archived.at, zone),
        terms=describe_terms(archived.rules, archived.rounds, rated=archived.rated),
        result=describe_result(archived),
    )


def write_time(milliseconds: int, zone: tzinfo | None = None) -> str:
    """Return a time since 1970 as ``2026-11-21 15:04``, in a zone or the machine's own."""
    try:
        moment = datetime.fromtimestamp(milliseconds / 1000, UTC).astimezone(zone)
    except (ValueError, OverflowError, OSError):  # a year that no calendar has
        return "?"
    return f"{moment:%Y-%m-%d %H:%M}"


def describe_result(archived: ArchivedMatch) -> str:
    """Say against whom a match was played, in which seat, and how it ended for oneself."""
    if archived.won is None:
        text = _("a draw with {name}, {seat}, {guesses}")
    elif archived.how is MatchEnd.LEFT:
        text = (
            _("won, for {name} left, {seat}, {guesses}")
            if archived.won
            else _("lost to {name} by leaving, {seat}, {guesses}")
        )
    elif archived.won:
        text = _("won against {name}, {seat}, {guesses}")
    else:
        text = _("lost to {name}, {seat}, {guesses}")
    told = text.format(
        name=name_opponent(archived),
        seat=_describe_seat(archived),
        guesses=ngettext("{number} guess", "{number} guesses", archived.guesses).format(
            number=archived.guesses
        ),
    )
    if archived.rounds == 1:
        return told
    mine, theirs = archived.points
    return _("{told}, {mine} points to {theirs}").format(told=told, mine=mine, theirs=theirs)


def name_opponent(archived: ArchivedMatch) -> str:
    """Return the name of whom one played against; a bot shows as one."""
    if archived.opponent is None:
        return _("Somebody")
    name = sanitise(archived.opponent)
    return _("{name} (bot)").format(name=name) if archived.bot else name


def _describe_seat(archived: ArchivedMatch) -> str:
    if archived.rounds > 1:
        return _("first as codemaker") if archived.seat is Seat.MAKER else _("first as codebreaker")
    return _("as codemaker") if archived.seat is Seat.MAKER else _("as codebreaker")
