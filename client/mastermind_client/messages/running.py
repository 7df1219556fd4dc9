"""Texts about the player's unfinished matches."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mastermind_client.invocation import write_command
from mastermind_client.language import gettext as _
from mastermind_client.net.running import WhoseTurn
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from datetime import tzinfo

    from mastermind_client.net.running import OwnSeat, UnfinishedMatch


def name_running(match: UnfinishedMatch) -> str:
    """Return the name of the opponent, or a word for an invitation."""
    return sanitise(match.opponent) if match.opponent else _("An invitation")


def describe_standing(match: UnfinishedMatch, zone: tzinfo | None = None) -> str:
    """Return the reason why a match waits. Times are in `zone`, or in the local time zone."""
    name = name_running(match)
    if not match.opponent:
        return _("waiting for a friend")
    if match.turn is WhoseTurn.MINE:
        return _("your turn")
    if match.away is not None:
        return _("{name} is away since {time}").format(name=name, time=_tell_time(match.away, zone))
    return _("{name} thinks").format(name=name)


def describe_terms(match: UnfinishedMatch) -> list[str]:
    """Return the rules, and the current guess if there is one."""
    terms = [sanitise(match.rules)]
    if match.guess:
        terms.append(_("guess {number}").format(number=match.guess))
    return terms


def describe_running(match: UnfinishedMatch, zone: tzinfo | None = None) -> str:
    """Return opponent, code and state of a match: ``Ana, X922X4, your turn``."""
    return f"{name_running(match)}, {match.code}, {describe_standing(match, zone)}"


def describe_seat(seat: OwnSeat, zone: tzinfo | None = None) -> str:
    """Return rules, opponent and state of a match in a list, as last known."""
    match, standing = seat.match, describe_standing(seat.match, zone)
    told = _("{rules}: {name}, {standing}").format(
        rules=sanitise(match.rules), name=name_running(match), standing=standing
    )
    return told if seat.reached else _("{match} (the server does not answer)").format(match=told)


def describe_kept(match: UnfinishedMatch, zone: tzinfo | None = None) -> str:
    """Return the line about a suspended match, with the command that resumes it."""
    return _("Put aside: {match}. Come back: {command}").format(
        match=describe_running(match, zone), command=write_command("continue", match.code)
    )


def _tell_time(moment: float, zone: tzinfo | None) -> str:
    return f"{datetime.fromtimestamp(moment, UTC).astimezone(zone):%H:%M}"
