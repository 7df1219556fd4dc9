"""Texts about matches in lists: public, unfinished and finished matches."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from mastermind_client.columns import Column
from mastermind_client.invocation import write_command
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.language import ngettext
from mastermind_client.messages.clocks import describe_clock, format_time_left
from mastermind_client.messages.players import format_name, format_points
from mastermind_client.messages.rules import describe_size
from mastermind_client.network.running import WhoseTurn
from mastermind_protocol.clock import SECOND
from mastermind_protocol.events import MatchEnd, Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import tzinfo

    from mastermind_client.network.running import OwnSeat, UnfinishedMatch
    from mastermind_protocol.match import Match
    from mastermind_protocol.messages import ArchivedMatch, Listed


PHASE_NAMES: Mapping[Phase, str] = MappingProxyType(
    {
        Phase.GATHERING: N_("gathering"),
        Phase.SETTING: N_("setting"),
        Phase.BREAKING: N_("breaking"),
        Phase.FINISHED: N_("finished"),
    }
)
"""The name of each phase, marked for translation."""
DATE_LENGTH = 10  # characters of the date at the start of a time


def describe_listed(listed: Listed) -> str:
    """Return the terms and the players of a public match."""
    if listed.phase is not Phase.GATHERING:
        text = _("{terms}: {maker} sets, {breaker} breaks ({phase})")
    elif listed.maker:
        text = _("{terms}: {maker} sets, you break")
    else:
        text = _("{terms}: {breaker} breaks, you set")
    return text.format(
        terms=describe_terms(listed.rules, listed.rounds, rated=listed.rated, clock=listed.clock),
        maker=format_seat(listed, Seat.MAKER),
        breaker=format_seat(listed, Seat.BREAKER),
        phase=_(PHASE_NAMES[listed.phase]),
    )


def describe_terms(
    rules: str, rounds: int, *, rated: bool = False, clock: str | None = None
) -> str:
    """Return the terms of a match, separated by commas: ``classic, 2 rounds, 5+3, rated``."""
    return ", ".join(list_terms(rules, rounds, rated=rated, clock=clock))


def describe_invitation(match: Match) -> list[str]:
    """Return sentences about an invitation: who invites, the reader's seat, and the terms."""
    if match.phase is not Phase.GATHERING or not match.players:
        return [describe_size(match.rules)]
    (there,) = match.players
    sentences = [
        _("{name} invites you.").format(name=format_name(there)),
        _("You hide a code.") if match.maker is None else _("You break a code."),
    ]
    if match.opened.rounds > 1:
        sentences.append(_("Then the seats change."))
        sentences.append(f"{_format_rounds(match.opened.rounds)}.")
    sentences.append(describe_size(match.rules))
    if match.clock is not None:
        sentences.append(describe_clock(match.clock))
    if match.opened.rated:
        sentences.append(_("Rated: no advice, no bots."))
    return sentences


def _format_rounds(rounds: int) -> str:
    return ngettext("{number} round", "{number} rounds", rounds).format(number=rounds)


def list_terms(
    rules: str, rounds: int, *, rated: bool = False, clock: str | None = None
) -> list[str]:
    """Return the terms of a match.

    These are the rules, the number of rounds if there are several, the clock if any, and ``rated``
    for a rated match.
    """
    terms = [sanitise(rules)]
    if rounds > 1:
        terms.append(_format_rounds(rounds))
    if clock is not None:
        terms.append(sanitise(clock))
    if rated:
        terms.append(_("rated"))
    return terms


def format_seat(listed: Listed, seat: Seat) -> str:
    """Return the name of the player in a seat, with a mark for a bot, or ``?`` for a free seat."""
    name = sanitise((listed.maker if seat is Seat.MAKER else listed.breaker) or "?")
    return _("{name} (bot)").format(name=name) if seat in listed.bots else name


def _write_opener(listed: Listed, _zone: tzinfo | None) -> str:
    """Return the player who waits for an opponent."""
    return format_seat(listed, Seat.MAKER if listed.maker else Seat.BREAKER)


def _write_free_seat_and_terms(listed: Listed, _zone: tzinfo | None) -> str:
    seat = _("you break") if listed.maker else _("you hide")
    return f"{seat}, {_write_terms(listed, _zone)}"


def _write_players(listed: Listed, _zone: tzinfo | None) -> str:
    return _("{breaker} and {maker}").format(
        breaker=format_seat(listed, Seat.BREAKER), maker=format_seat(listed, Seat.MAKER)
    )


def _write_terms(listed: Listed, _zone: tzinfo | None) -> str:
    return describe_terms(listed.rules, listed.rounds, rated=listed.rated, clock=listed.clock)


_CODE_COLUMN: Column[Listed] = Column("", lambda listed, _zone: listed.match, "drop")
WAITING_COLUMNS: Sequence[Column[Listed]] = (
    Column("", _write_opener, "crop"), Column("", _write_free_seat_and_terms), _CODE_COLUMN,
)  # fmt: skip
RUNNING_COLUMNS: Sequence[Column[Listed]] = (
    Column("", _write_players, "crop"), Column("", _write_terms), _CODE_COLUMN,
)  # fmt: skip


def _write_result_and_terms(match: ArchivedMatch, _zone: tzinfo | None) -> str:
    result = [
        _format_result(match),
        *list_terms(match.rules, match.rounds, rated=match.rated, clock=match.clock),
    ]
    if match.rounds > 1:
        mine, theirs = match.points
        result.append(f"{mine}:{theirs}")
    else:
        guesses = ngettext("{number} guess", "{number} guesses", match.guesses)
        result.append(guesses.format(number=match.guesses))
    return ", ".join(result)


ARCHIVE_COLUMNS: Sequence[Column[ArchivedMatch]] = (
    Column("", lambda match, _zone: format_opponent(match.opponent, match.bot), "crop"),
    Column("", _write_result_and_terms, "crop"),
    Column("", lambda match, zone: format_date_time(match.at, zone)[:DATE_LENGTH]),
)


def describe_archived(archived: ArchivedMatch, zone: tzinfo | None = None) -> str:
    """Return the time, terms and result of a finished match.

    The time is in `zone`, or in the local time zone for None.
    """
    return _("{time}  {terms}: {result}").format(
        time=format_date_time(archived.at, zone),
        terms=describe_terms(
            archived.rules, archived.rounds, rated=archived.rated, clock=archived.clock
        ),
        result=describe_archived_result(archived),
    )


def format_date_time(milliseconds: int, zone: tzinfo | None = None) -> str:
    """Return a Unix time in milliseconds as ``2026-11-21 15:04``.

    The time is in `zone`, or in the local time zone for None.
    """
    try:
        moment = datetime.fromtimestamp(milliseconds / 1000, UTC).astimezone(zone)
    except (ValueError, OverflowError, OSError):  # beyond the range of dates
        return "?"
    return f"{moment:%Y-%m-%d %H:%M}"


def describe_archived_result(archived: ArchivedMatch) -> str:
    """Return the reader's result of a finished match, with opponent, seat and number of guesses."""
    if archived.how is MatchEnd.CLOSED:
        text = _("closed with {name}, {seat}, {guesses}")
    elif archived.measured_bot:
        text = _("hid a code from {name}, {guesses}")
    elif archived.won is None:
        text = _("a draw with {name}, {seat}, {guesses}")
    elif archived.how is MatchEnd.LEFT:
        text = (
            _("won because {name} left, {seat}, {guesses}")
            if archived.won
            else _("lost to {name} by leaving, {seat}, {guesses}")
        )
    elif archived.won:
        text = _("won against {name}, {seat}, {guesses}")
    else:
        text = _("lost to {name}, {seat}, {guesses}")
    result = text.format(
        name=format_opponent(archived.opponent, archived.bot),
        seat=_format_own_seat(archived),
        guesses=ngettext("{number} guess", "{number} guesses", archived.guesses).format(
            number=archived.guesses
        ),
    )
    if archived.rounds == 1:
        return result
    mine, theirs = archived.points
    return f"{result}, {format_points(mine, theirs)}"


def format_opponent(opponent: str | None, bot: bool) -> str:
    """Return the name of an opponent, followed by ``(bot)`` for a bot."""
    if opponent is None:
        return _("Someone")
    name = sanitise(opponent)
    return _("{name} (bot)").format(name=name) if bot else name


def _format_result(match: ArchivedMatch) -> str:
    if match.how is MatchEnd.CLOSED:
        return _("closed")
    if match.measured_bot:
        return _("code hidden")
    if match.won is None:
        return _("draw")
    if match.how is MatchEnd.LEFT:
        return _("won: they left") if match.won else _("lost: you left")
    return _("won") if match.won else _("lost")


def _format_own_seat(archived: ArchivedMatch) -> str:
    if archived.rounds > 1:
        return _("first as codemaker") if archived.seat is Seat.MAKER else _("first as codebreaker")
    return _("as codemaker") if archived.seat is Seat.MAKER else _("as codebreaker")


def format_opponent_or_invitation(match: UnfinishedMatch) -> str:
    """Return the name of the opponent, or ``An invitation`` before a friend has joined."""
    return sanitise(match.opponent) if match.opponent else _("An invitation")


def describe_standing(match: UnfinishedMatch, zone: tzinfo | None = None) -> str:
    """Return the state of an unfinished match, for example ``your turn``.

    The state includes the time left, if it is known. Times of day are in `zone`, or in the local
    time zone for None.
    """
    if not match.opponent:
        return _("waiting for a friend")
    if match.until is not None:
        mine = match.turn is WhoseTurn.MINE
        text = _("your turn, {time} left") if mine else _("their turn, {time} left")
        left = round((match.until - time.time()) * SECOND)
        return text.format(time=format_time_left(left, live=match.live))
    if match.turn is WhoseTurn.MINE:
        return _("your turn")
    if match.away is not None:
        return _("away since {time}").format(time=_format_clock_time(match.away, zone))
    return _("their turn")


def list_unfinished_terms(match: UnfinishedMatch) -> list[str]:
    """Return the rules, the clock if any, and the current guess if there is one."""
    terms = list_terms(match.rules, 1, clock=match.clock)
    if match.guess:
        terms.append(_("guess {number}").format(number=match.guess))
    return terms


def describe_unfinished(match: UnfinishedMatch, zone: tzinfo | None = None) -> str:
    """Return opponent, code and state of a match: ``Ana, X922X4, your turn``."""
    return f"{format_opponent_or_invitation(match)}, {match.code}, {describe_standing(match, zone)}"


def describe_seat(seat: OwnSeat, zone: tzinfo | None = None) -> str:
    """Return the rules, the opponent and the last known state of a match."""
    match = seat.match
    text = _("{rules}: {name}, {standing}").format(
        rules=describe_terms(match.rules, 1, clock=match.clock),
        name=format_opponent_or_invitation(match),
        standing=describe_standing(match, zone),
    )
    return (
        text if seat.from_server else _("{match} (the server does not answer)").format(match=text)
    )


def describe_suspended(
    match: UnfinishedMatch, zone: tzinfo | None = None, *, saved: bool = True
) -> str:
    """Return a line about a suspended match with the command that resumes it if it is `saved`."""
    if not saved:
        told = _("Not saved, because its files have been removed: {match}.")
        return told.format(match=describe_unfinished(match, zone))
    return _("Saved for later: {match}. Continue: {command}").format(
        match=describe_unfinished(match, zone), command=write_command("continue", match.code)
    )


def _format_clock_time(moment: float, zone: tzinfo | None) -> str:
    return f"{datetime.fromtimestamp(moment, UTC).astimezone(zone):%H:%M}"
