import errno
import os

import pytest

from mastermind_client.config.settings_file import BrokenFile
from mastermind_client.language import use_language
from mastermind_client.net.failures import (
    Cause,
    Fault,
    Outage,
    ServerUnreachable,
    TooManyClients,
)
from mastermind_client.words.failures import describe_failure, explain_failure, explain_outage
from mastermind_protocol.errors import ErrorCode, InvalidCode, InvalidRules, Refused

HOSTILE = "\x1b]52;c;QUFB\x07\x1b[2J"
NO_RULES = InvalidRules.told(ErrorCode.INVALID_RULES, "no rules")
NO_CODE = InvalidCode.told(ErrorCode.INVALID_CODE, "no code")
REASON = Outage(Fault.NOTHING_LISTENS)


def test_a_failure_is_told_by_the_file_and_the_reason_without_numbers(tmp_path):
    with pytest.raises(OSError, match="Errno") as raised:
        (tmp_path / "nowhere" / "file").touch()
    assert explain_failure(raised.value) == f"{tmp_path}/nowhere/file: No such file or directory"


def test_one_without_a_file_is_told_by_its_reason():
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert explain_failure(full) == "No space left on device"


@pytest.mark.parametrize("error", [OSError("64 clients"), BrokenFile("64 clients")])
def test_one_of_our_own_says_it_itself(error):
    assert explain_failure(error) == "64 clients"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError("no such thing"), "No such thing."),
        (Refused.told(ErrorCode.SEAT_TAKEN, "too late"), "Too late."),
        (ServerUnreachable(Cause.TEXT), "The server sent text: it is no Mastermind server."),
        (
            TooManyClients(64, "ws://h"),
            "64 clients of yours play on ws://h already.",
        ),
    ],
    ids=repr,
)
def test_whatever_has_failed_is_described_in_a_sentence(error, words):
    assert describe_failure(error) == words


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (
            Outage(Fault.NO_ADDRESS),
            "that is no server address: use ws://HOST:PORT or wss://HOST:PORT",
        ),
        (Outage(Fault.NOTHING_LISTENS), "nothing listens there"),
        (Outage(Fault.NO_ANSWER), "no answer in time"),
        (Outage(Fault.NO_GAME_SERVER), "what answers there is no Mastermind server"),
        (
            Outage(Fault.OTHER_PROTOCOL),
            "what answers there does not speak this version of the protocol",
        ),
        (Outage(Fault.FULL), "the server takes no more connections now: try again later"),
        (Outage(Fault.RESTARTING), "the server is restarting"),
        (Outage(Fault.CLOSED), "the server closed the connection"),
        (Outage(Fault.CLOSED, "no hello"), "the server closed the connection: no hello"),
        (Outage(Fault.CLOSED, HOSTILE), "the server closed the connection: ?]52;c;QUFB??[2J"),
        (Outage(Fault.BROKEN), "the connection broke"),
        (
            Outage(Fault.NO_TLS),
            "what answers there does not speak TLS: without it, by ws://, others can read along",
        ),
        (
            Outage(Fault.ONLY_TLS),
            "what answers there speaks TLS only: use wss:// in place of ws://",
        ),
        (
            Outage(Fault.SELF_SIGNED),
            (
                "the server's certificate is signed by nobody but itself: if you know it to be "
                "right, name a file with it by --cafile"
            ),
        ),
        (
            Outage(Fault.UNKNOWN_AUTHORITY),
            (
                "the server's certificate is signed by somebody whom this computer does not know: "
                "if you trust them, name a file with theirs by --cafile"
            ),
        ),
        (
            Outage(Fault.OTHER_HOST),
            "the server's certificate is for another address than this one",
        ),
        (
            Outage(Fault.EXPIRED),
            (
                "the server's certificate has expired: whoever runs the server has to renew it, "
                "unless the clock of this computer is wrong"
            ),
        ),
        (
            Outage(Fault.NOT_YET_VALID),
            "the server's certificate is not valid yet: is the clock of this computer right?",
        ),
        (
            Outage(Fault.BAD_CERTIFICATE, "unsuitable\x07 purpose"),
            "the server's certificate is refused: unsuitable? purpose",
        ),
        (Outage(Fault.TLS_FAILED, "no shared cipher"), "TLS failed: no shared cipher"),
        (Outage(Fault.OTHER, HOSTILE), "?]52;c;QUFB??[2J"),
        (Outage(Fault.OTHER), "no connection"),
    ],
    ids=repr,
)
def test_why_there_is_no_connection_is_told_in_words(reason, words):
    assert explain_outage(reason) == words


ENDS = [
    (
        ServerUnreachable(Cause.NEVER_REACHED, server="ws://h", reason=REASON),
        (
            "cannot reach ws://h: nothing listens there. Is the address right, and is a server "
            "running there? One is started by: mastermind-server"
        ),
    ),
    (
        ServerUnreachable(Cause.CANNOT_REACH, server="ws://h", reason=REASON),
        "cannot reach ws://h: nothing listens there",
    ),
    (
        ServerUnreachable(Cause.LOST, server="ws://h", reason=REASON, seconds=300),
        "lost ws://h: nothing listens there; gave up after 300 s",
    ),
    (ServerUnreachable(Cause.NO_GREETING, server="ws://h"), "ws://h did not answer our greeting"),
    (
        ServerUnreachable(Cause.IDENTITY_NOT_KEPT, reason=OSError(13, "Denied", "file")),
        "cannot keep who we are: file: Denied",
    ),
    (ServerUnreachable(Cause.TEXT), "the server sent text: it is no Mastermind server"),
    (
        ServerUnreachable(Cause.OTHER_PROTOCOL),
        "the server speaks another version of the protocol",
    ),
    (
        ServerUnreachable(Cause.UNKNOWN_RULES, server="ws://h", error=NO_RULES),
        "ws://h plays by rules that this client does not know: no rules",
    ),
    (
        ServerUnreachable(Cause.WRONG_VERSION, server="ws://h", match="ABC234", version=4),
        "ws://h contradicts itself: match ABC234 cannot go on with its version 4",
    ),
    (
        ServerUnreachable(Cause.WRONG_CHAT, server="ws://h"),
        "ws://h contradicts itself: somebody said nothing, or two things at once",
    ),
    (
        ServerUnreachable(Cause.WRONG_CODE, server="ws://h", reason=NO_CODE),
        "ws://h contradicts itself: no code",
    ),
    (ServerUnreachable(Cause.WRONG_ANSWER, kind="done"), "the server answered with done"),
    (
        ServerUnreachable(Cause.SWAPPED_SECRET, server=HOSTILE),
        "?]52;c;QUFB??[2J cheats: it set another secret than yours",
    ),
    (
        ServerUnreachable(Cause.CRASHED, server="ws://h", error="ValueError()"),
        "the session with ws://h failed: ValueError()",
    ),
]


@pytest.mark.parametrize(("error", "words"), ENDS, ids=[error.cause for error, _ in ENDS])
def test_why_there_is_no_session_is_told_in_words(error, words):
    assert explain_failure(error) == words


def test_every_cause_has_words_and_they_are_translated():
    assert [error.cause for error, _ in ENDS] == list(Cause)
    use_language("pl")
    assert not {explain_failure(error) for error, _ in ENDS} & {words for _, words in ENDS}
