"""Why something could not be done, whatever has failed: a refusal, the connection, the system."""

from __future__ import annotations

from typing import assert_never

from mastermind_client.invocation import write_command, write_server_command
from mastermind_client.language import gettext as _
from mastermind_client.net.failures import (
    Cause,
    CertificatesUnreadable,
    Fault,
    NothingToContinue,
    Outage,
    SeatOpenElsewhere,
    ServerUnreachable,
    TooManyClients,
    UnknownHere,
)
from mastermind_client.words.refusals import describe_close, explain_refusal, write_sentence
from mastermind_protocol.errors import MastermindError
from mastermind_protocol.text import sanitise


def describe_failure(error: Exception) -> str:
    """Say in a sentence why something could not be done."""
    return write_sentence(explain_failure(error))


def explain_failure(error: Exception) -> str:
    """Say why something could not be done, to be put into a sentence.

    Of a file the system's own words tell which one it is about.
    """
    match error:
        case MastermindError():
            return explain_refusal(error)
        case ServerUnreachable():
            values = {
                name: explain_outage(value) if isinstance(value, Outage)
                else explain_failure(value) if isinstance(value, Exception) else value
                for name, value in error.values.items()
            }  # fmt: skip
            sentence = _find_sentence(error.cause)
            return sanitise(sentence.format(command=write_server_command(), **values))
        case TooManyClients():
            text = _("{number} clients of yours play on {server} already")
            return text.format(number=error.number, server=error.server)
        case SeatOpenElsewhere():
            text = _(
                "your seat in match {match} is open in another terminal: go on there, or end it"
            )
            return text.format(match=error.match)
        case NothingToContinue(elsewhere=True):
            return _("your matches are open in another terminal: go on there, or end it first")
        case NothingToContinue():
            text = _("there is no match to go on with: {command} begins one")
            return text.format(command=write_command("play"))
        case CertificatesUnreadable(reason=None):
            return _("{file}: there is no certificate in it, in PEM").format(file=error.file)
        case CertificatesUnreadable():
            return f"{error.file}: {error.reason}"
        case UnknownHere(server=server):
            return _("this computer is nobody on {server} yet").format(server=server)
        case OSError():
            reason = error.strerror or str(error)
            return f"{error.filename}: {reason}" if error.filename else reason
        case _:
            return str(error)


def explain_outage(reason: Outage) -> str:
    """Say why there is no connection; what somebody else says of it is made harmless."""
    quote = sanitise(reason.quote)
    match reason.fault:
        case Fault.NO_ADDRESS:
            return _("that is no server address: use ws://HOST:PORT or wss://HOST:PORT")
        case Fault.NOTHING_LISTENS:
            return _("nothing listens there")
        case Fault.NO_ANSWER:
            return _("no answer in time")
        case Fault.NO_GAME_SERVER:
            return _("what answers there is no Mastermind server")
        case Fault.OTHER_PROTOCOL:
            return _("what answers there does not speak this version of the protocol")
        case Fault.FULL:
            return _("the server takes no more connections now: try again later")
        case Fault.RESTARTING:
            return _("the server is restarting")
        case Fault.CLOSED if quote:
            text = _("the server closed the connection: {reason}")
            return text.format(reason=describe_close(quote))
        case Fault.CLOSED:
            return _("the server closed the connection")
        case Fault.BROKEN:
            return _("the connection broke")
        case Fault.NO_TLS:
            return _(
                "what answers there does not speak TLS: without it, by ws://, others can read along"
            )
        case Fault.ONLY_TLS:
            return _("what answers there speaks TLS only: use wss:// in place of ws://")
        case Fault.SELF_SIGNED:
            return _(
                "the server's certificate is signed by nobody but itself: if you know it to be "
                "right, name a file with it by --cafile"
            )
        case Fault.UNKNOWN_AUTHORITY:
            return _(
                "the server's certificate is signed by somebody whom this computer does not know: "
                "if you trust them, name a file with theirs by --cafile"
            )
        case Fault.OTHER_HOST:
            return _("the server's certificate is for another address than this one")
        case Fault.EXPIRED:
            return _(
                "the server's certificate has expired: whoever runs the server has to renew it, "
                "unless the clock of this computer is wrong"
            )
        case Fault.NOT_YET_VALID:
            return _(
                "the server's certificate is not valid yet: is the clock of this computer right?"
            )
        case Fault.BAD_CERTIFICATE:
            return _("the server's certificate is refused: {reason}").format(reason=quote)
        case Fault.TLS_FAILED:
            return _("TLS failed: {reason}").format(reason=quote)
        case Fault.OTHER:
            return quote or _("no connection")
        case _:
            assert_never(reason.fault)


def _find_sentence(cause: Cause) -> str:
    match cause:
        case Cause.NEVER_REACHED:
            return _(
                "cannot reach {server}: {reason}. Is the address right, and is a server running "
                "there? One is started by: {command}"
            )
        case Cause.CANNOT_REACH:
            return _("cannot reach {server}: {reason}")
        case Cause.LOST:
            return _("lost {server}: {reason}; gave up after {seconds} s")
        case Cause.NO_GREETING:
            return _("{server} did not answer our greeting")
        case Cause.IDENTITY_NOT_KEPT:
            return _("cannot keep who we are: {reason}")
        case Cause.TEXT:
            return _("the server sent text: it is no Mastermind server")
        case Cause.OTHER_PROTOCOL:
            return _("the server speaks another version of the protocol")
        case Cause.UNKNOWN_RULES:
            return _("{server} plays by rules that this client does not know: {error}")
        case Cause.WRONG_VERSION:
            return _(
                "{server} contradicts itself: match {match} cannot go on with its version {version}"
            )
        case Cause.WRONG_CHAT:
            return _("{server} contradicts itself: somebody said nothing, or two things at once")
        case Cause.WRONG_CODE:
            return _("{server} contradicts itself: {reason}")
        case Cause.WRONG_ANSWER:
            return _("the server answered with {kind}")
        case Cause.SWAPPED_SECRET:
            return _("{server} cheats: it set another secret than yours")
        case Cause.CRASHED:
            return _("the session with {server} failed: {error}")
        case _:
            assert_never(cause)
