"""Failures as sentences (`describe_failure`) or as clauses of a sentence (`explain_failure`).

Failures are refusals, lost connections, ended sessions and system errors.
"""

from __future__ import annotations

from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING

from mastermind_client.config.options import ANYONE, FRIEND
from mastermind_client.invocation import write_command, write_server_command
from mastermind_client.language import SOURCE_LANGUAGE, is_current_language, ngettext
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.network.failures import (
    Cause,
    DisconnectReason,
    Failure,
    NameOpenElsewhere,
    NoDataFolder,
    NothingToContinue,
    OnlyWatchable,
    ServerUnreachable,
)
from mastermind_protocol.errors import ErrorCode, MastermindError, Reason, Refused
from mastermind_protocol.text import sanitise

if TYPE_CHECKING:
    from collections.abc import Mapping


MINUTE_SECONDS = 60
_UNREADABLE = N_("the server cannot read what this client sends")
_IMPOSSIBLE = N_("that cannot be done now")

ERROR_TEXTS: Mapping[str, str] = MappingProxyType(
    {
        ErrorCode.NOT_MSGPACK: _UNREADABLE,
        ErrorCode.FRAME_TOO_LARGE: _UNREADABLE,
        ErrorCode.FRAME_TOO_DEEP: _UNREADABLE,
        ErrorCode.UNKNOWN_MESSAGE: N_("the server does not know what this client asks"),
        ErrorCode.INVALID_MESSAGE: N_("the server does not allow what this client asks"),
        ErrorCode.HELLO_FIRST: _UNREADABLE,
        ErrorCode.HELLO_TWICE: _UNREADABLE,
        ErrorCode.UNKNOWN_TOKEN: N_("the server does not know you"),
        ErrorCode.UNKNOWN_TRANSFER: N_(
            "this transfer code is wrong, was used or is too old: ask for another"
        ),
        ErrorCode.LOGGED_OUT: N_("you have been logged out here"),
        ErrorCode.BANNED: N_("this server's operator has banned you"),
        ErrorCode.INVALID_NAME: N_("the server does not allow this name"),
        ErrorCode.INVALID_RULES: N_("the server does not know these rules"),
        ErrorCode.NEEDS_V2: N_("the match has a clock, which this program does not know"),
        ErrorCode.NEEDS_V3: N_("this needs a newer version of this program"),
        ErrorCode.INVALID_CLOCK: N_("the server does not know this clock"),
        ErrorCode.INVALID_CODE: N_("that is no code of these rules"),
        ErrorCode.INVALID_FEEDBACK: N_("that is no answer by these rules"),
        ErrorCode.INVALID_TEXT: N_("that text cannot be sent"),
        ErrorCode.INVALID_SEATS: N_("the seats cannot be taken like that"),
        ErrorCode.UNKNOWN_BOT: N_("the server does not know this bot"),
        ErrorCode.RATED: N_("that is not for rated matches"),
        ErrorCode.CONTEST: N_("the code of the day does not allow that"),
        ErrorCode.UNKNOWN_MATCH: N_("there is no such match on this server"),
        ErrorCode.NOT_ONLINE: N_("that player is not connected"),
        ErrorCode.NO_CHALLENGES: N_("that player takes no challenges"),
        ErrorCode.UNKNOWN_PLAYER: N_("the server knows no such player in rated matches"),
        ErrorCode.SEAT_TAKEN: N_("the seat is taken"),
        ErrorCode.ALREADY_SEATED: N_("you have a seat in this match already"),
        ErrorCode.NOT_SEATED: N_("you have no seat in this match: you may only watch"),
        ErrorCode.NOT_FOLLOWED: N_("you do not follow this match"),
        ErrorCode.NOT_YOUR_TURN: N_("it is not your turn"),
        ErrorCode.WRONG_PHASE: _IMPOSSIBLE,
        ErrorCode.STALE_VERSION: N_("the match has changed meanwhile: look at it and try again"),
        ErrorCode.OPPONENT_LEFT: N_("your opponent has left"),
        ErrorCode.TOO_MANY: N_("that is more than the server allows"),
        ErrorCode.RATE_LIMITED: N_("that is too much at once: wait a moment"),
        ErrorCode.STORAGE_FAILED: N_("the server could not save this, and nothing was done"),
        ErrorCode.RESTARTING: N_("the server is restarting"),
        ErrorCode.INTERNAL: N_("the server failed"),
    }
)
"""A text for each error code, for errors without a known reason. Marked for translation."""


_CLOSE_REASONS = {
    N_("too many bad frames"),
    N_("no hello"),
    N_("logged out"),
    N_("banned"),
}  # why a server closes a connection


def describe_refusal(error: MastermindError) -> str:
    """Return the reason for a refusal as a sentence, with a capital letter and a full stop."""
    return write_sentence(explain_refusal(error))


def explain_refusal(error: MastermindError) -> str:
    """Return the reason for a refusal as a clause, without a capital letter and a full stop.

    If the error has a `reason` that this client knows, the translated reason is returned.
    Otherwise English readers get the server's text. Readers of other languages get a translated
    text for the error's code. This client's own errors without a reason are already translated.
    """
    if isinstance(error, NameOpenElsewhere):
        text = _("{name} plays rated matches in another terminal: play there, or end it first")
        return text.format(name=error.values["name"])
    if isinstance(error, OnlyWatchable):
        from shlex import quote

        text = _("both seats are taken, but you can watch: {command}")
        return text.format(command=write_command("watch", quote(str(error.values["invitation"]))))
    if error.reason is Reason.UNKNOWN_BOT and (suggestion := _suggest_opponent(error)):
        return suggestion
    if error.reason is not None:
        return error.write(lambda text: _write_wait(_(text), "{retry_after} s", error.retry_after))
    theirs = type(error) is Refused and error.code in ERROR_TEXTS
    return (
        error.message
        if is_current_language(SOURCE_LANGUAGE) or not theirs
        else _(ERROR_TEXTS[error.code])
    )


def _suggest_opponent(error: MastermindError) -> str:
    """Return the reason with the opponent whose name is most like an unknown one, or ""."""
    from difflib import get_close_matches  # slow, and only errors need it

    name, known, last = (str(error.values[key]) for key in ("name", "known", "last"))
    near = get_close_matches(name, [FRIEND, ANYONE, *known.split(", "), last], 1)
    text = _("{name!r} is no bot here, maybe you meant {suggestion!r}? Use {known} or {last}")
    return text.format(name=name, suggestion=near[0], known=known, last=last) if near else ""


def _write_wait(text: str, placeholder: str, seconds: float | None) -> str:
    """Return `text` with `placeholder` replaced by the time in minutes, hours or days.

    Less than two minutes stay seconds. Parts of a unit count as a whole one.
    """
    if seconds is None or seconds < 2 * MINUTE_SECONDS or placeholder not in text:
        return text
    minutes = ceil(seconds / MINUTE_SECONDS)
    hours, days = ceil(minutes / 60), ceil(minutes / (24 * 60))
    if minutes < 2 * 60:
        written = ngettext("{number} minute", "{number} minutes", minutes).format(number=minutes)
    elif hours < 2 * 24:
        written = ngettext("{number} hour", "{number} hours", hours).format(number=hours)
    else:
        written = ngettext("{number} day", "{number} days", days).format(number=days)
    return text.replace(placeholder, written)


def describe_close(reason: str) -> str:
    """Return the server's reason for closing a connection. Known reasons are translated."""
    return _(reason) if reason in _CLOSE_REASONS else reason


def write_sentence(text: str) -> str:
    """Return a clause as a sentence, with a capital letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def describe_failure(error: Exception) -> str:
    """Return the failure as a sentence, with a capital letter and a full stop."""
    return write_sentence(explain_failure(error))


def omit_server_command(error: Exception) -> Exception:
    """Return the failure without the command that starts a server, if its text names one."""
    if isinstance(error, ServerUnreachable) and error.cause is Cause.NEVER_REACHED:
        return ServerUnreachable(Cause.CANNOT_REACH, **error.values)
    return error


def explain_failure(error: Exception) -> str:
    """Return the failure as a clause, without a capital letter and a full stop.

    For a system error about a file, the clause starts with the file's name.
    """
    match error:
        case MastermindError():
            return explain_refusal(error)
        case Failure():
            values = {
                name: explain_disconnect(value) if isinstance(value, DisconnectReason)
                else explain_failure(value) if isinstance(value, Exception) else value
                for name, value in error.values.items()
            }  # fmt: skip
            nothing = isinstance(error, NothingToContinue)
            command = write_command("play") if nothing else write_server_command()
            seconds = error.values.get("seconds")
            waited = float(seconds) if isinstance(seconds, int) else None
            text = _write_wait(_(error.sentence), "{seconds} s", waited)
            return sanitise(text.format(command=command, **values))
        case NoDataFolder(filename=file, strerror=reason):
            sentence = _("{file}: {reason}: make it writable, or set XDG_DATA_HOME")
            return sentence.format(file=file, reason=reason)
        case OSError():
            reason = error.strerror or str(error)
            return f"{error.filename}: {reason}" if error.filename else reason
        case _:
            return str(error)


def explain_disconnect(reason: DisconnectReason) -> str:
    """Return the reason for a lost connection as a clause. A quoted text is sanitised."""
    quote = describe_close(sanitise(reason.quote))
    sentence = reason.fault.quoting if quote else reason.fault.sentence
    return _(sentence).format(reason=quote)
