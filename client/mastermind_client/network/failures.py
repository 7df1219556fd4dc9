"""Failures of connections and sessions, with their sentences, which the interfaces translate.

::

    Failure                    a sentence with placeholders, and their values
    ├── ServerUnreachable      the session could not start, or has ended; the sentence is a Cause
    ├── CertificatesUnreadable
    ├── SeatOpenElsewhere
    ├── NothingToContinue
    ├── UnknownHere
    └── TooManyClients         an OSError as well
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique
from typing import TypeAlias

from mastermind_protocol.errors import MastermindError, Refused
from mastermind_protocol.text import gettext_noop as N_


@unique
class Fault(Enum):
    """The kinds of lost or failed connections, each with a sentence.

    `quoting` is used instead of `sentence` if the system or the server gave a reason. The reason
    replaces `{reason}`.
    """

    def __init__(self, sentence: str, quoting: str | None = None) -> None:
        self.sentence = sentence
        self.quoting = quoting or sentence

    NO_ADDRESS = N_("that is no server address: use ws://HOST:PORT or wss://HOST:PORT")
    NOTHING_LISTENS = N_("nothing listens there")
    NO_ANSWER = N_("no answer in time")
    NO_GAME_SERVER = N_("the answer is not from a Mastermind server")
    OTHER_PROTOCOL = N_("that server speaks another version of the protocol")
    NO_WEBSOCKET = N_(
        "the answer is no WebSocket: a proxy in front of the server must pass on the headers "
        "Upgrade and Connection"
    )
    REDIRECTED = (
        N_("the server has another address now"),
        N_("the server redirects to {reason}: use this address if you trust it"),
    )
    LOGIN_WANTED = N_("the proxy in front of the server wants a login")
    FORBIDDEN = N_("the server, or a proxy in front of it, forbids access from here")
    NOT_THERE = N_("nothing is at this path of the server")
    AWAY = N_("the proxy in front of the server gets no answer from it")
    OWN_PROXY = (
        N_("the proxy that this computer uses does not connect to the server"),
        N_("the proxy that this computer uses does not connect to the server: {reason}"),
    )
    BAD_STATUS = N_("the answer is an error of the server or of a proxy: HTTP {reason}")
    FULL = N_("the server takes no more connections now: try again later")
    RESTARTING = N_("the server is restarting")
    HOST_CLOSED = N_(
        "{reason} has closed the game: it is kept, and continues when {reason} opens it"
    )
    CLOSED = (
        N_("the server closed the connection"),
        N_("the server closed the connection: {reason}"),
    )
    BROKEN = N_("the connection broke")
    NO_TLS = N_("that server does not speak TLS: without it, by ws://, others can read along")
    ONLY_TLS = N_("that server speaks only TLS: use wss:// instead of ws://")
    SELF_SIGNED = N_(
        "the server's certificate is self-signed: if you trust it, pass a file that contains "
        "it with --cafile"
    )
    UNKNOWN_AUTHORITY = N_(
        "the server's certificate is signed by an authority unknown to this computer: if you "
        "trust it, pass a file with its certificate with --cafile"
    )
    OTHER_HOST = N_("the server's certificate is for another address than this one")
    EXPIRED = N_(
        "the server's certificate has expired: its operator has to renew it, unless the clock "
        "of this computer is wrong"
    )
    NOT_YET_VALID = N_(
        "the server's certificate is not valid yet: is the clock of this computer right?"
    )
    BAD_CERTIFICATE = N_("the server's certificate is refused: {reason}")
    TLS_FAILED = N_("TLS failed: {reason}")
    OTHER = N_("no connection"), "{reason}"


@dataclass(frozen=True, slots=True)
class DisconnectReason:
    """Why a connection is lost or failed. `quote` is the server's or system's unsanitised text."""

    fault: Fault
    quote: str = ""


# With these, a server or a proxy has answered, so nobody needs to start a server there.
ANSWERED_FAULTS = frozenset(
    {
        Fault.NO_TLS,
        Fault.ONLY_TLS,
        Fault.SELF_SIGNED,
        Fault.UNKNOWN_AUTHORITY,
        Fault.OTHER_HOST,
        Fault.EXPIRED,
        Fault.NOT_YET_VALID,
        Fault.BAD_CERTIFICATE,
        Fault.TLS_FAILED,
        Fault.NO_WEBSOCKET,
        Fault.REDIRECTED,
        Fault.LOGIN_WANTED,
        Fault.FORBIDDEN,
        Fault.AWAY,
        Fault.OWN_PROXY,
        Fault.BAD_STATUS,
    }
)


@unique
class Cause(Enum):
    """The reasons for the end of a session, each as a sentence with placeholders.

    A Failure has the values for the placeholders. Only `command`, the
    command that starts a server, is filled in by `messages.failures`.
    """

    NEVER_REACHED = N_(
        "cannot reach {server}: {reason}. Is the address right, and is a server running "
        "there? One is started by: {command}"
    )
    CANNOT_REACH = N_("cannot reach {server}: {reason}")
    HOST_AWAY = N_(
        "{host} has closed the game at {server}: it is kept, and continues when {host} opens it"
    )
    MATCH_AWAY = N_(
        "cannot reach {server}: {reason}. If a player hosted the match there, it continues when "
        "this player opens it"
    )
    LOST = N_("lost {server}: {reason}; gave up after {seconds} s")
    NO_GREETING = N_("{server} did not answer our greeting")
    IDENTITY_NOT_KEPT = N_("cannot keep who we are: {reason}")
    TEXT = N_("the server sent text: it is no Mastermind server")
    OTHER_PROTOCOL = N_("the server speaks another version of the protocol")
    UNKNOWN_RULES = N_("{server} plays by rules that this client does not know: {error}")
    WRONG_VERSION = N_(
        "{server} contradicts itself: version {version} does not follow in match {match}"
    )
    WRONG_CHAT = N_("{server} contradicts itself: a chat line has no content, or two")
    WRONG_CODE = N_("{server} contradicts itself: {reason}")
    WRONG_ANSWER = N_("the server answered with {kind}")
    SWAPPED_SECRET = N_("{server} cheats: it set another secret than yours")
    CRASHED = N_("the session with {server} failed: {error}")


Value: TypeAlias = str | int | DisconnectReason | MastermindError | OSError


class Failure(Exception):
    """The base class of failures: an English sentence, and values for its placeholders."""

    def __init__(self, sentence: str, **values: Value) -> None:
        super().__init__(sentence, values)
        self.sentence, self.values = sentence, values


class ServerUnreachable(Failure):
    """The session could not start, or has ended."""

    def __init__(self, cause: Cause, **values: Value) -> None:
        super().__init__(cause.value, **values)
        self.cause = cause


class CertificatesUnreadable(Failure):
    """The file cannot be read for this `reason`, or for None it has no PEM certificates."""

    def __init__(self, file: str, reason: str | None = None) -> None:
        file = f"--cafile {file}"
        if reason is None:
            super().__init__(N_("{file}: there is no certificate in it, in PEM"), file=file)
        else:
            super().__init__("{file}: {reason}", file=file, reason=reason)


class SeatOpenElsewhere(Failure):
    """The user's seat in the match is open in another running client."""

    def __init__(self, match: str) -> None:
        text = N_(
            "your seat in match {match} is open in another terminal: continue there, or end it"
        )
        super().__init__(text, match=match)
        self.match = match


class NameOpenElsewhere(Refused):
    """The rated player with our name is a player of the same user, in another running client."""


class OnlyWatchable(Refused):
    """Both seats are taken. The value `invitation` is the match, with the server if necessary."""


class AlreadyHosting(Failure, OSError):
    """Another running client of the user hosts the server for friends."""

    def __init__(self) -> None:
        super().__init__(N_("another terminal here is hosting already: invite your friend there"))


class GamesOpenElsewhere(Failure, OSError):
    """The games on this computer are open in another running client of the user."""

    def __init__(self) -> None:
        super().__init__(
            N_("your matches are open in another terminal: continue there, or end it first")
        )


class NoDataFolder(OSError):
    """The folder of the stored players cannot be made."""


class NothingToContinue(Failure):
    """The user has no unfinished match, or if `elsewhere`, only matches open in other clients."""

    def __init__(self, *, elsewhere: bool = False) -> None:
        super().__init__(
            N_("your matches are open in another terminal: continue there, or end it first")
            if elsewhere
            else N_("there is no match to continue: {command} starts one")
        )
        self.elsewhere = elsewhere


class UnknownHere(Failure):
    """This computer has no player on the server."""

    def __init__(self, server: str) -> None:
        super().__init__(N_("this computer has no player on {server} yet"), server=server)


class TooManyClients(Failure, OSError):
    """The user's running clients have locked all MAX_IDENTITIES identities for the server."""

    def __init__(self, number: int, server: str) -> None:
        text = N_("{number} clients of yours play on {server} already")
        super().__init__(text, number=number, server=server)
