import errno
import os

import pytest

from mastermind_client.bot_runner.command import CannotPlay
from mastermind_client.config.settings_file import BrokenFile
from mastermind_client.language import gettext, use_language
from mastermind_client.messages.failures import (
    ERROR_TEXTS,
    describe_close,
    describe_failure,
    describe_refusal,
    explain_disconnect,
    explain_failure,
    explain_refusal,
)
from mastermind_client.network.failures import (
    Cause,
    DisconnectReason,
    Fault,
    ServerUnreachable,
    TooManyClients,
)
from mastermind_client.network.players.identity import make_folder
from mastermind_protocol.code import parse_code
from mastermind_protocol.errors import (
    ErrorCode,
    InvalidCode,
    InvalidRules,
    MastermindError,
    Reason,
    Refused,
)
from mastermind_protocol.rules import DEFAULT


def invalid(typed: str) -> InvalidCode:
    """Return the error for a text typed as a code of `classic`."""
    with pytest.raises(InvalidCode) as raised:
        parse_code(typed, DEFAULT)
    return raised.value


UNKNOWN = Refused.with_message("moonlight", "the moon is full.")


@pytest.mark.parametrize(
    ("language", "refused", "line"),
    [
        ("en", Refused(Reason.NOT_WHEN_FINISHED), "Not now: the match is over."),
        ("en", Refused(Reason.UNKNOWN_OP), "The server does not know what this client asks."),
        ("en", UNKNOWN, "The moon is full."),
        ("pl", UNKNOWN, "The moon is full."),
        ("en", invalid("12x4"),
         "Peg 3: 'x' is no symbol of classic; allowed: 1 2 3 4 5 6 (or R G B Y O P)."),
        ("pl", invalid("12x4"),
         "Pionek 3: 'x' nie jest symbolem w classic; dozwolone: 1 2 3 4 5 6 (albo R G B Y O P)."),
        ("pl", invalid("1"), "Podanych pionków: 1, a kod w classic ma 4."),
        ("pl", Refused(Reason.BOTH_SEATS_TAKEN), "Oba miejsca są zajęte: możesz tylko patrzeć."),
        ("pl", Refused(Reason.TOO_MANY_REQUESTS, retry_after=1.5),
         "Za dużo zapytań: poczekaj 2 s."),
        ("pl", Refused.with_message(ErrorCode.SEAT_TAKEN, "somebody sits there"),
         "Miejsce jest zajęte."),
        # The client's own text:
        *(("pl", kind.with_message(ErrorCode.UNKNOWN_BOT, "bot zniknął"), "Bot zniknął.")
          for kind in (MastermindError, CannotPlay)),
    ],
)  # fmt: skip
def test_a_refusal_is_a_sentence_in_the_readers_language(language, refused, line):
    use_language(language)
    assert describe_refusal(refused) == line


def test_an_explanation_is_no_sentence():
    assert explain_refusal(Refused(Reason.NOT_WHEN_FINISHED)) == "not now: the match is over"


def test_every_code_has_a_meaning():
    assert set(ERROR_TEXTS) == set(ErrorCode)


@pytest.mark.parametrize("reason", Reason, ids=lambda reason: reason.key)
def test_a_translated_reason_keeps_its_values(reason):
    values = {place: f"<{place}>" for place in reason.placeholders}
    english = reason.write(values)
    use_language("pl")
    polish = reason.write(values, gettext)
    assert all(polish.count(value) == english.count(value) for value in values.values())


def test_braces_in_a_value_are_text():
    use_language("pl")
    refused = Refused(Reason.UNKNOWN_BOT, name="{0.__class__}", known="{known}", last="c")
    assert describe_refusal(refused) == "'{0.__class__}' to nie tutejszy bot: użyj {known} albo c."


@pytest.mark.parametrize(
    ("name", "line"),
    [
        (
            "optmal",
            "'optmal' is no bot here, maybe you meant 'optimal'? Use knuth, optimal or hard.",
        ),
        (
            "freind",
            "'freind' is no bot here, maybe you meant 'friend'? Use knuth, optimal or hard.",
        ),
        ("banana", "'banana' is no bot here: use knuth, optimal or hard."),
    ],
)
def test_an_unknown_bot_is_answered_with_the_opponent_that_is_probably_meant(name, line):
    refused = Refused(Reason.UNKNOWN_BOT, name=name, known="knuth, optimal", last="hard")
    assert describe_refusal(refused) == line


def test_a_known_reason_of_a_close_is_translated():
    use_language("pl")
    assert describe_close("no hello") not in ("", "no hello")
    assert describe_close("the moon is full") == "the moon is full"
    assert describe_close("") == ""


NO_RULES = InvalidRules.with_message(ErrorCode.INVALID_RULES, "no rules")
NO_CODE = InvalidCode.with_message(ErrorCode.INVALID_CODE, "no code")
REASON = DisconnectReason(Fault.NOTHING_LISTENS)
THERE, CERTIFICATE = "that server", "the server's certificate"


def test_a_failure_of_the_system_is_explained_by_the_file_and_the_reason(tmp_path):
    with pytest.raises(OSError, match="Errno") as raised:
        (tmp_path / "nowhere" / "file").touch()
    assert explain_failure(raised.value) == f"{tmp_path}/nowhere/file: No such file or directory"


def test_a_data_folder_that_cannot_be_made_is_explained_with_the_variable_for_another(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="Errno") as raised:
        make_folder(tmp_path / "file" / "mastermind")
    assert explain_failure(raised.value) == (
        f"{tmp_path}/file/mastermind: Not a directory: make it writable, or set XDG_DATA_HOME"
    )


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "No space left on device"),
        (OSError("64 clients"), "64 clients"),
        (BrokenFile("64 clients"), "64 clients"),
    ],
    ids=repr,
)
def test_a_failure_without_a_file_is_explained_by_its_text(error, words):
    assert explain_failure(error) == words


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError("no such thing"), "No such thing."),
        (Refused.with_message(ErrorCode.SEAT_TAKEN, "too late"), "Too late."),
        (ServerUnreachable(Cause.TEXT), "The server sent text: it is no Mastermind server."),
        (TooManyClients(64, "ws://h"), "64 clients of yours play on ws://h already."),
    ],
    ids=repr,
)
def test_a_failure_is_described_in_a_sentence(error, words):
    assert describe_failure(error) == words


@pytest.mark.parametrize(
    ("fault", "text", "words"),
    [
        (Fault.NO_ADDRESS, "",
         "that is no server address: use ws://HOST:PORT or wss://HOST:PORT"),
        (Fault.NOTHING_LISTENS, "", "nothing listens there"),
        (Fault.NO_ANSWER, "", "no answer in time"),
        (Fault.NO_GAME_SERVER, "", "the answer is not from a Mastermind server"),
        (Fault.OTHER_PROTOCOL, "", f"{THERE} speaks another version of the protocol"),
        (Fault.NO_WEBSOCKET, "", ("the answer is no WebSocket: a proxy in front of the server"
         " must pass on the headers Upgrade and Connection")),
        (Fault.REDIRECTED, "", "the server has another address now"),
        (Fault.REDIRECTED, "wss://h",
         "the server redirects to wss://h: use this address if you trust it"),
        (Fault.LOGIN_WANTED, "", "the proxy in front of the server wants a login"),
        (Fault.FORBIDDEN, "", "the server, or a proxy in front of it, forbids access from here"),
        (Fault.NOT_THERE, "", "nothing is at this path of the server"),
        (Fault.AWAY, "", "the proxy in front of the server gets no answer from it"),
        (Fault.OWN_PROXY, "",
         "the proxy that this computer uses does not connect to the server"),
        (Fault.OWN_PROXY, "why",
         "the proxy that this computer uses does not connect to the server: why"),
        (Fault.BAD_STATUS, "500",
         "the answer is an error of the server or of a proxy: HTTP 500"),
        (Fault.FULL, "", "the server takes no more connections now: try again later"),
        (Fault.RESTARTING, "", "the server is restarting"),
        (Fault.HOST_CLOSED, "Ada",
         "Ada has closed the game: it is kept, and continues when Ada opens it"),
        (Fault.CLOSED, "", "the server closed the connection"),
        (Fault.CLOSED, "no hello", "the server closed the connection: no hello"),
        (Fault.BROKEN, "", "the connection broke"),
        (Fault.NO_TLS, "",
         f"{THERE} does not speak TLS: without it, by ws://, others can read along"),
        (Fault.ONLY_TLS, "", f"{THERE} speaks only TLS: use wss:// instead of ws://"),
        (Fault.SELF_SIGNED, "", (f"{CERTIFICATE} is self-signed: if you trust it,"
         " pass a file that contains it with --cafile")),
        (Fault.UNKNOWN_AUTHORITY, "", (f"{CERTIFICATE} is signed by an authority unknown to this"
         " computer: if you trust it, pass a file with its certificate with --cafile")),
        (Fault.OTHER_HOST, "", f"{CERTIFICATE} is for another address than this one"),
        (Fault.EXPIRED, "", (f"{CERTIFICATE} has expired: its operator has to renew it,"
         " unless the clock of this computer is wrong")),
        (Fault.NOT_YET_VALID, "",
         f"{CERTIFICATE} is not valid yet: is the clock of this computer right?"),
        (Fault.BAD_CERTIFICATE, "no purpose", f"{CERTIFICATE} is refused: no purpose"),
        (Fault.TLS_FAILED, "no shared cipher", "TLS failed: no shared cipher"),
        (Fault.OTHER, "no route", "no route"),
        (Fault.OTHER, "", "no connection"),
    ],
)  # fmt: skip
def test_a_disconnect_reason_is_explained(fault, text, words):
    assert explain_disconnect(DisconnectReason(fault, text)) == words


ENDS = [
    (ServerUnreachable(Cause.NEVER_REACHED, server="ws://h", reason=REASON),
     ("cannot reach ws://h: nothing listens there. Is the address right, and is a server "
     "running there? One is started by: mastermind-server")),
    (ServerUnreachable(Cause.CANNOT_REACH, server="ws://h", reason=REASON),
     "cannot reach ws://h: nothing listens there"),
    (ServerUnreachable(Cause.HOST_AWAY, server="ws://h", host="Ada"),
     "Ada has closed the game at ws://h: it is kept, and continues when Ada opens it"),
    (ServerUnreachable(Cause.MATCH_AWAY, server="ws://h", reason=REASON),
     ("cannot reach ws://h: nothing listens there. If a player hosted the match there, it "
     "continues when this player opens it")),
    (ServerUnreachable(Cause.LOST, server="ws://h", reason=REASON, seconds=300),
     "lost ws://h: nothing listens there; gave up after 5 minutes"),
    (ServerUnreachable(Cause.NO_GREETING, server="ws://h"), "ws://h did not answer our greeting"),
    (ServerUnreachable(Cause.IDENTITY_NOT_KEPT, reason=OSError(13, "Denied", "file")),
     "cannot keep who we are: file: Denied"),
    (ServerUnreachable(Cause.TEXT), "the server sent text: it is no Mastermind server"),
    (ServerUnreachable(Cause.OTHER_PROTOCOL), "the server speaks another version of the protocol"),
    (ServerUnreachable(Cause.UNKNOWN_RULES, server="ws://h", error=NO_RULES),
     "ws://h plays by rules that this client does not know: no rules"),
    (ServerUnreachable(Cause.WRONG_VERSION, server="ws://h", match="ABC234", version=4),
     "ws://h contradicts itself: version 4 does not follow in match ABC234"),
    (ServerUnreachable(Cause.WRONG_CHAT, server="ws://h"),
     "ws://h contradicts itself: a chat line has no content, or two"),
    (ServerUnreachable(Cause.WRONG_CODE, server="ws://h", reason=NO_CODE),
     "ws://h contradicts itself: no code"),
    (ServerUnreachable(Cause.WRONG_ANSWER, kind="done"), "the server answered with done"),
    (ServerUnreachable(Cause.SWAPPED_SECRET, server="ws://h"),
     "ws://h cheats: it set another secret than yours"),
    (ServerUnreachable(Cause.CRASHED, server="ws://h", error="ValueError()"),
     "the session with ws://h failed: ValueError()"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(119, "119 s"), (120, "2 minutes"), (7100, "119 minutes"),
     (7200, "2 hours"), (90_000, "25 hours"), (604_800, "7 days")],
)  # fmt: skip
def test_a_long_wait_is_told_in_minutes_hours_or_days(seconds, words):
    refusal = Refused(Reason.BANNED_UNTIL, why="spam", retry_after=seconds)
    assert explain_refusal(refusal).endswith(f"banned you for {words}: spam")


@pytest.mark.parametrize(("error", "words"), ENDS, ids=[error.cause.name for error, _ in ENDS])
def test_the_end_of_a_session_is_explained(error, words):
    assert explain_failure(error) == words


def test_every_cause_is_explained_and_translated():
    assert [error.cause for error, _ in ENDS] == list(Cause)
    use_language("pl")
    assert not {explain_failure(error) for error, _ in ENDS} & {words for _, words in ENDS}
