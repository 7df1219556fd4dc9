"""Texts of listed matches: waiting, running and finished."""

from __future__ import annotations

from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.language import ngettext
from mastermind_client.messages.events import compare_points
from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import tzinfo

    from mastermind_protocol.messages import ArchivedMatch, Listed


PHASES: Mapping[Phase, str] = MappingProxyType(
    {
        Phase.GATHERING: N_("gathering"),
        Phase.SETTING: N_("setting"),
        Phase.BREAKING: N_("breaking"),
        Phase.FINISHED: N_("finished"),
    }
)
"""The name of each phase, marked for translation."""

DATE_LENGTH = 10  # characters of a written time


def describe_listed(listed: Listed) -> str:
    """Return the terms and the players of a listed match as one line."""
    if listed.phase is not Phase.GATHERING:
        text = _("{terms}: {maker} sets, {breaker} breaks ({phase})")
    elif listed.maker:
        text = _("{terms}: {maker} sets, you break")
    else:
        text = _("{terms}: {breaker} breaks, you set")
    return text.format(
        terms=describe_terms(listed.rules, listed.rounds, rated=listed.rated),
        maker=name_listed(listed, Seat.MAKER),
        breaker=name_listed(listed, Seat.BREAKER),
        phase=_(PHASES[listed.phase]),
    )


def describe_terms(rules: str, rounds: int, *, rated: bool = False) -> str:
    """Return the terms of a match: the rules, the rounds and whether it is rated."""
    return ", ".join(list_terms(rules, rounds, rated=rated))


def list_terms(rules: str, rounds: int, *, rated: bool = False) -> list[str]:
    """Return the terms of a match as a list."""
    terms = [sanitise(rules)]
    if rounds > 1:
        terms.append(ngettext("{number} round", "{number} rounds", rounds).format(number=rounds))
    if rated:
        terms.append(_("rated"))
    return terms


def name_listed(listed: Listed, seat: Seat) -> str:
    """Return the name of the player in a seat; bots are marked."""
    name = sanitise((listed.maker if seat is Seat.MAKER else listed.breaker) or "?")
    return _("{name} (bot)").format(name=name) if seat in listed.bots else name


def cells_of_waiting(listed: Listed) -> tuple[str, ...]:
    """Return the waiting player, the free seat with the terms, and the code of a match."""
    there = Seat.MAKER if listed.maker else Seat.BREAKER
    terms = [
        _("you break") if there is Seat.MAKER else _("you hide"),
        *list_terms(listed.rules, listed.rounds, rated=listed.rated),
    ]
    return name_listed(listed, there), ", ".join(terms), listed.match


def cells_of_running(listed: Listed) -> tuple[str, ...]:
    """Return both players, the terms and the code of a match."""
    players = _("{breaker} and {maker}").format(
        breaker=name_listed(listed, Seat.BREAKER), maker=name_listed(listed, Seat.MAKER)
    )
    return (
        players,
        describe_terms(listed.rules, listed.rounds, rated=listed.rated),
        listed.match,
    )


def cells_of_archived(match: ArchivedMatch, zone: tzinfo | None = None) -> tuple[str, ...]:
    """Return the opponent, the result with the terms, and the date of a finished match.

    The date is of a time zone or the machine's own.
    """
    result = [_name_result(match), *list_terms(match.rules, match.rounds, rated=match.rated)]
    if match.rounds > 1:
        mine, theirs = match.points
        result.append(f"{mine}:{theirs}")
    else:
        guesses = ngettext("{number} guess", "{number} guesses", match.guesses)
        result.append(guesses.format(number=match.guesses))
    date = write_time(match.at, zone)[:DATE_LENGTH]
    return name_opponent(match.opponent, match.bot), ", ".join(result), date


def describe_archived(archived: ArchivedMatch, zone: tzinfo | None = None) -> str:
    """Return the time, the terms and the result of a finished match as one line."""
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
    """Return the opponent, the seat and the result of a finished match."""
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
        name=name_opponent(archived.opponent, archived.bot),
        seat=_describe_seat(archived),
        guesses=ngettext("{number} guess", "{number} guesses", archived.guesses).format(
            number=archived.guesses
        ),
    )
    if archived.rounds == 1:
        return told
    mine, theirs = archived.points
    return f"{told}, {compare_points(mine, theirs)}"


def name_opponent(opponent: str | None, bot: bool) -> str:
    """Return the name of an opponent; a `bot` is marked."""
    if opponent is None:
        return _("Somebody")
    name = sanitise(opponent)
    return _("{name} (bot)").format(name=name) if bot else name


def _name_result(match: ArchivedMatch) -> str:
    if match.won is None:
        return _("draw")
    if match.how is MatchEnd.LEFT:
        return _("won: they left") if match.won else _("lost: you left")
    return _("won") if match.won else _("lost")


def _describe_seat(archived: ArchivedMatch) -> str:
    if archived.rounds > 1:
        return _("first as codemaker") if archived.seat is Seat.MAKER else _("first as codebreaker")
    return _("as codemaker") if archived.seat is Seat.MAKER else _("as codebreaker")
